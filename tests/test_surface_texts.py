"""Which texts of a surface count as read by a model, and listings reduced to hashes."""

from sealmark.record.model import Prompt, PromptArgument, Resource, Surface, Tool
from sealmark.surface.digests import MAX_ITEMS, digests
from sealmark.surface.texts import MAX_CHARACTERS, readable, texts

SCHEMA = {
    "type": "object",
    "properties": {
        "pattern": {"type": "string", "pattern": "^[^\x00]*$", "description": "what to look for"},
        "mode": {"enum": ["fast", "careful"], "default": "fast"},
    },
    "patternProperties": {"^\x01": {"title": "odd"}},
}


def read(**given):
    return {text.where: text.text for text in texts(Surface(**given))}


def test_everything_inside_a_schema_is_read_but_what_programs_read():
    found = read(tools=(Tool(name="search", description="Searches.", input_schema=SCHEMA),))
    said = set(found.values())
    assert {"search", "Searches.", "pattern", "what to look for", "fast", "careful", "mode", "odd"} <= said
    assert "^[^\x00]*$" not in said
    assert "^\x01" not in said
    assert "string" not in said


def test_every_listing_is_read_and_named():
    surface = Surface(
        instructions="Be brief.",
        server_info={"name": "x", "websiteUrl": "https://x.example"},
        resources=(Resource("note://1", name="one"), Resource("note://{id}", name="any", template=True)),
        prompts=(Prompt("ask", arguments=(PromptArgument("topic", "of the question"),)),),
    )
    by_text = {text.text: text for text in texts(surface)}
    assert by_text["Be brief."].listing == "open"
    assert by_text["https://x.example"].listing == "open"
    assert by_text["one"].listing == "resources"
    assert by_text["any"].listing == "templates"
    assert by_text["of the question"].listing == "prompts"
    assert "" not in by_text


def test_a_digest_follows_content_and_not_the_order_of_keys():
    one, other = {"name": "a", "description": "x"}, {"description": "x", "name": "a"}
    assert digests([one]) == digests([other])
    assert digests([one]) != digests([{**one, "description": "y"}])
    assert digests([{"uri": "u"}, 7])[0][0] == "u"
    assert digests([7])[0][0] == ""
    many = [{"name": str(number)} for number in range(MAX_ITEMS + 5)]
    assert len(digests(many)) == MAX_ITEMS + 1
    assert digests(many)[-1][0] == "the other 5"
    assert digests(many)[-1] != digests([*many[:-1], {"name": "x"}])[-1]


def test_more_than_can_be_read_is_said_to_be_more():
    long = "x" * (MAX_CHARACTERS // 4)
    kept, whole = readable(Surface(tools=tuple(Tool(f"t{number}", description=long) for number in range(3))))
    assert whole
    assert sum(text.text == long for text in kept) == 3
    kept, whole = readable(Surface(tools=tuple(Tool(f"t{number}", description=long) for number in range(5))))
    assert not whole
    assert sum(text.text == long for text in kept) == 3
