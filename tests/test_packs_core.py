"""Judges and plans of pack core over records made by hand: what toys cannot show, or not cheaply."""

import pytest

from sealmark.check import Group, Outcome, Seen, Target
from sealmark.packs.core import PACK
from sealmark.packs.core.answers import accepted, leak, used_first
from sealmark.packs.core.bad_input import bad_arguments, kind_of
from sealmark.packs.core.instructions_hygiene import missing_tools
from sealmark.reading.schema import problems, refuses
from sealmark.record import marks
from sealmark.record.model import (
    Call,
    Gathered,
    Observation,
    Prompt,
    Raw,
    Readings,
    ServerFacts,
    SessionFacts,
    Sighting,
    Stray,
    Surface,
    Tool,
)

CHECKS = {check.id: check for check in PACK.checks}
PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ_ONLY = {"readOnlyHint": True}
NO_ARGUMENTS = {"type": "object", "properties": {}}


def target(check, *, transport="stdio", facts=None, **more):
    gathered = Gathered(server=ServerFacts("toy", transport=transport), facts=facts or {"canaries": True}, **more)
    return Target(gathered).bound("core", CHECKS[check])


def outcome(at, case, *observations, role="attack", tool="", step=None):
    probe = at.probe(role, case, step or Call(tool or "x", {}), tool=tool)
    return Outcome(probe, tuple(Observation(probe=probe.id, step=0, **given) for given in observations))


def judged(at, *outcomes):
    return at.check.judge(Seen(at, at.check, Group(outcomes)))


def answer(text="", **more):
    return {"outcome": "result", "is_error": False, "readings": Readings(text=text, **more)}


ERROR = {"outcome": "error", "readings": Readings(text="Invalid arguments: path", failure="validation")}
SEEN = (Sighting("canary", "plain", "text", 0),)


# ---- secret-echo -------------------------------------------------------------------------------------------------


def test_a_probe_that_sends_the_canary_itself_shows_nothing():
    at = target("secret-echo")
    sends = outcome(at, "own", answer() | {"sightings": SEEN}, step=Call("echo", {"text": "{canary}"}))
    asks = outcome(at, "ask", answer() | {"sightings": SEEN}, step=Call("echo", {"text": "hello"}))
    assert judged(at, sends, outcome(at, "other", ERROR)).rule == "clean"
    assert judged(at, sends, asks).rule == "echoed"


def test_a_forged_mark_in_what_was_sent_unasked_is_no_canary():
    def with_stray(head):
        session = SessionFacts("core", "main", 1, strays=(Stray("unmatched", head=head),))
        at = target("secret-echo", sessions=(session,))
        return judged(at, outcome(at, "x", ERROR)).rule

    assert with_stray('{"env":"{canary}"}') == "volunteered"
    assert with_stray('{"env":"{=canary}"}') == "clean"


def test_without_a_planted_variable_nothing_is_said():
    at = target("secret-echo", facts={"canaries": False})
    assert judged(at, outcome(at, "x", ERROR)).tag == "na"


def test_only_tools_that_claim_to_read_and_take_nothing_are_called():
    tools = (
        Tool("env", input_schema=NO_ARGUMENTS, annotations=READ_ONLY),
        Tool("reset", input_schema=NO_ARGUMENTS),
        Tool("read", input_schema=PATH, annotations=READ_ONLY),
        Tool(
            "task", input_schema=NO_ARGUMENTS, annotations=READ_ONLY, extra={"execution": {"taskSupport": "required"}}
        ),
    )
    at = target("secret-echo", surface=Surface(tools=tools))
    assert [(probe.tool, probe.role) for probe in at.check.plan(at)] == [("env", "coverage")]


# ---- robust-input ------------------------------------------------------------------------------------------------

TIMEOUT = {"outcome": "timeout"}


def test_one_unanswered_input_is_no_hang_and_two_are():
    at = target("robust-input")
    first = outcome(at, "missing:path", TIMEOUT, tool="read")
    fine = outcome(at, "type:path", ERROR, tool="read")
    answered = outcome(at, "missing:path", ERROR, role="twin", tool="read")
    again = outcome(at, "missing:path", TIMEOUT, role="twin", tool="read")
    given_up = outcome(at, "missing:path", {"outcome": "unsent", "reason": "tool-hung: 2"}, role="twin", tool="read")
    assert judged(at, first, fine, answered).rule == "clean"
    assert judged(at, first, fine, again).rule == "hung"
    assert judged(at, first, fine, given_up).rule == "hung"
    assert judged(at, first, again).rule == "hung"


def test_what_got_no_answer_is_asked_again_with_more_time_and_only_once():
    at = target("robust-input")
    first = outcome(at, "missing:path", TIMEOUT, tool="read", step=Call("read", {}, False, 10.0))
    more = list(at.check.follow_up(at, Seen(at, at.check, Group([first]))))
    assert [(probe.role, probe.case, probe.steps[0].timeout_sec) for probe in more] == [("twin", "missing:path", 20.0)]
    again = outcome(at, "missing:path", TIMEOUT, role="twin", tool="read")
    assert list(at.check.follow_up(at, Seen(at, at.check, Group([first, again])))) == more


def test_a_connection_that_ended_is_a_crash_only_where_the_process_was_seen_to_end():
    for transport, exit_code, rule in (("stdio", None, "crashed"), ("http", None, "clean"), ("http", 1, "crashed")):
        at = target("robust-input", transport=transport)
        ended = outcome(at, "oversize-argument", {"outcome": "closed", "exit_code": exit_code})
        assert judged(at, ended, outcome(at, "unknown-tool", ERROR)).rule == rule


def test_nothing_answered_is_never_clean():
    at = target("robust-input")
    assert judged(at, outcome(at, "unknown-tool", {"outcome": "unsent", "reason": "no session"})).tag == "inconclusive"


@pytest.mark.parametrize(
    "text",
    ["Error: path is required", '{"error": "bad path"}', '{"success": false}', "path must be a string", "Missing path"],
)
def test_an_error_in_plain_text_is_taken_at_its_word(text):
    at = target("robust-input")
    assert not accepted(outcome(at, "missing:path", answer(text), tool="read"))


def test_what_counts_as_taken_used_and_leaked():
    at = target("robust-input")
    assert accepted(outcome(at, "missing:path", answer("done"), tool="read"))
    assert not accepted(outcome(at, "missing:path", answer("done", result_type="input_required"), tool="read"))
    assert not accepted(outcome(at, "missing:path", TIMEOUT, tool="read"))
    assert used_first(outcome(at, "type:url", answer("fetch failed", failure="transport"), tool="fetch"))
    assert not used_first(outcome(at, "type:url", answer("no API key", failure="auth"), tool="fetch"))
    assert leak(outcome(at, "type:x", answer("x.map is not a function", failure="runtime")))
    assert not leak(outcome(at, "type:x", ERROR))


def tools(count):
    properties = {
        "path": {"type": "string"},
        "mode": {"enum": ["a", "b"]},
        "list": {"type": "array", "items": {"type": "string"}},
    }
    return tuple(
        Tool(f"tool-{number}", input_schema={"type": "object", "properties": properties, "required": ["path"]})
        for number in range(count)
    )


@pytest.mark.parametrize(("count", "most"), [(1, 8), (9, 40), (14, 40), (31, 40), (60, 64), (200, 204)])
def test_calls_are_bounded_and_every_tool_gets_one(count, most):
    at = target("robust-input", surface=Surface(tools=tools(count)))
    probes = list(at.check.plan(at))
    assert len(probes) <= most
    assert {probe.tool for probe in probes} == {tool.name for tool in tools(count)} | {""}
    assert len({probe.id for probe in probes}) == len(probes)
    assert len({kind_of(probe.case) for probe in probes if probe.tool}) >= min(4, count)


def test_of_very_many_tools_some_are_taken_evenly():
    at = target("robust-input", surface=Surface(tools=tools(401)))
    asked = [probe.tool for probe in at.check.plan(at) if probe.tool]
    assert asked == [f"tool-{number}" for number in range(0, 401, 3)]


def test_no_call_of_a_known_tool_is_one_that_its_schema_accepts():
    at = target("robust-input", surface=Surface(tools=tools(5)))
    for probe in at.check.plan(at):
        step = probe.steps[0]
        if probe.tool:
            assert refuses(problems(tools(1)[0].input_schema, step.arguments)), probe.id
            assert not step.valid


def test_a_tool_without_arguments_is_spoilt_only_when_it_claims_to_read():
    assert bad_arguments(Tool("now", input_schema=NO_ARGUMENTS, annotations=READ_ONLY)) == {"type": "sealmark"}
    assert bad_arguments(Tool("wipe", input_schema=NO_ARGUMENTS)) == {}
    assert bad_arguments(Tool("any", input_schema={"type": "object"}, annotations={})) == {}
    assert bad_arguments(Tool("broken", input_schema=None)) == {}


def test_null_and_deep_arguments_are_sent_only_where_the_schema_rejects_them():
    loose = {"type": "object", "properties": {"a": {}, "b": {"type": ["string", "null"]}}, "required": ["a", "b"]}
    kinds = {kind_of(case) for case in bad_arguments(Tool("t", input_schema=loose))}
    assert "null" not in kinds
    assert {"null", "deep", "missing", "type"} <= {
        kind_of(case) for case in bad_arguments(Tool("t", input_schema=PATH))
    }


def test_a_raw_message_may_be_dropped_and_what_follows_it_may_not():
    for era, method in (("legacy", "ping"), ("modern", "server/discover")):
        at = target("robust-input", surface=Surface(era=era))
        raw, after = next(probe.steps for probe in at.check.plan(at) if isinstance(probe.steps[0], Raw))
        assert raw.optional
        assert (after.method, after.timeout_sec) == (method, 10)
        assert marks.fill(raw.text, {}).count("[") == 10_000


# ---- instructions-hygiene ----------------------------------------------------------------------------------------

OFFERED = Surface(server_name="notes", tools=(Tool("read_file", input_schema=PATH), Tool("list-items")))


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("Use the read_file tool.", []),
        ("Call `List_Items` first.", []),
        ("Use the write_file tool.", ["write_file"]),
        ("tools: `search`", ["search"]),
        ("Call listDirectory, then stop.", ["listDirectory"]),
        ("Use `path` and `--limit`; run `git status`.", []),
        ("A read-only tool, a built-in tool, any tool.", []),
        ("The third-party tool `jq` and the command-line tool 'sed'.", []),
        ("See docs/write_file tool pages.", []),
        ("Invoke notes.read_file to read.", []),
        ("Call the API with my_key=1.", []),
    ],
)
def test_only_what_is_written_as_a_tool_is_missed(text, missing):
    assert list(missing_tools(text, OFFERED)) == missing


# ---- refusal-quality, output-schema, credential-exposure ---------------------------------------------------------


def test_refusals_of_tasks_and_failures_after_use_are_not_read():
    task = Tool("slow", input_schema=PATH, extra={"execution": {"taskSupport": "required"}})
    at = target("refusal-quality", surface=Surface(tools=(task, Tool("read", input_schema=PATH))))
    robust = target("robust-input")
    mute = {"outcome": "error", "readings": Readings(text="no")}
    failed = {"outcome": "error", "readings": Readings(text="fetch failed", failure="transport")}
    helped = {"outcome": "error", "readings": Readings(text="The PATH is required")}
    for other in (outcome(robust, "type:path", mute, tool="slow"), outcome(robust, "null:path", failed, tool="read")):
        assert judged(at, other, outcome(robust, "missing:path", helped, tool="read")).rule == "instructive"
    assert judged(at, outcome(robust, "type:path", mute, tool="read")).rule == "mute"
    assert judged(at).tag == "na"


def test_results_that_could_not_be_checked_do_not_hide_those_that_could():
    at = target("output-schema", surface=Surface(tools=(Tool("t", output_schema={"type": "object"}),)))
    unchecked = outcome(at, "a", answer(output_schema="unchecked: the schema is too large"), tool="t")
    good = outcome(at, "b", answer(output_schema="conforms"), tool="t")
    bad = outcome(at, "c", answer(output_schema="sum: is not a number"), tool="t")
    invalid = outcome(at, "d", answer(output_schema="sum: is not a number"), tool="t", step=Call("t", {}, False))
    assert judged(at, unchecked).rule == "not-checked"
    assert judged(at, unchecked, good).rule == "conforms"
    assert judged(at, good, bad).rule == "mismatch"
    assert judged(at, good, invalid).rule == "conforms"


def test_tools_that_reach_outside_are_not_called_for_their_schema():
    promise = {"type": "object"}
    closed = {"readOnlyHint": True, "openWorldHint": False}
    offered = (
        Tool("closed", input_schema=PATH, output_schema=promise, annotations=closed),
        Tool("open", input_schema=PATH, output_schema=promise, annotations=READ_ONLY),
        Tool("writes", input_schema=PATH, output_schema=promise, annotations={"openWorldHint": False}),
        Tool("free", input_schema=NO_ARGUMENTS, output_schema=promise, annotations=closed),
    )
    at = target("output-schema", surface=Surface(tools=offered))
    assert [probe.tool for probe in at.check.plan(at)] == ["closed"]


def test_values_that_the_harness_planted_are_no_exposure():
    at = target("credential-exposure")
    found = answer("key", secrets=("password",))
    ours = outcome(at, "resource-1", found | {"sightings": (Sighting("outside_secret", "plain", "text", 0),)})
    theirs = outcome(at, "resource-1", found)
    assert judged(at, ours).rule == "clean"
    assert judged(at, theirs).rule == "in-resource"


def test_prompts_with_required_arguments_are_not_fetched():
    from sealmark.record.model import PromptArgument

    prompts = (Prompt("free"), Prompt("asks", arguments=(PromptArgument("topic", required=True),)))
    at = target("credential-exposure", surface=Surface(prompts=prompts))
    assert [probe.steps[0].params for probe in at.check.plan(at)] == [{"name": "free"}]
