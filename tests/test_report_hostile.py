"""Whatever a server or a stored file says, it stays in its box: in every format, for any text."""

from __future__ import annotations

import json
import re
from collections import Counter
from xml.etree import ElementTree

import pytest
import xmlschema
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from sarif_kit.validate import validation_errors

from sealmark.compare.diff import diff_all, lines
from sealmark.reading.shown import _plain, _shown, line
from sealmark.reading.visible import visible
from sealmark.record.codec import load_many
from sealmark.report import Options, render
from sealmark.report.gate import gate, grade_line
from sealmark.report.github import annotate, job_summary
from sealmark.report.safe import code, markdown, wrap
from tests import runs
from tests.golden import DATA

XSD = xmlschema.XMLSchema(DATA / "junit-10.xsd")

TERMINAL = ["\x1b[31m", "\x1b]8;;http://x\x07", "\x9b2J", "\u202e", "\u2066", "\u200b", "\u2028", "\x00", "\x7f", "\r"]
LINES = ["\n", "\r\n", "\t", " " * 30, "\n✗ FAIL            x", "\nPACK core  GRADE A", "\nGrades\n  core        A"]
UNICODE = ["\uffff", "\ufffe", "\U000e0041", "\ufeff", "\u0301" * 5, "漢字", "👩\u200d💻"]
XML = ["<script>x(1)</script>", "<img src=x onerror=y>", "</td>", "<!--", "-->", "]]>", "&lt;", "&#10;", "<https://x>"]
BLOCKS = ["```", "~~~", "# h", "\n# h\n", "\n- item", "\n1. item", "\n> quote", "\n---\n", "\n===\n", "<details>"]
INLINE = ["`", "**", "__", "[a](http://x)", "![a](http://x)", "[a][b]", "\n\n[b]: http://x\n", "| a | b |", "|", "\\"]
ESCAPED = ["\\|", "\\`", "\\\\", "\\[", "</details>", "$x$", "^[n]", "{: onclick=x }"]
LINKS = ["http://evil.example/a", "www.evil.example", "mailto:a@b.example", "@user", "@org/team", "#12", "GH-1", ":x:"]
CI = ["\n::error::x", "::stop-commands::x", "##[group]x", "##vso[task.set]x", "##teamcity[x]", "section_start:1:x"]
CODES = ["'", '"', "{0}", "{{ x }}", "{% x %}", "${x}", "{sandbox}", "%0A", "%"]
PIECES = [*TERMINAL, *LINES, *UNICODE, *XML, *BLOCKS, *INLINE, *ESCAPED, *LINKS, *CI, *CODES]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=8).map("".join)
texts = texts.map(lambda text: text.encode("utf-8", "ignore").decode())
some = settings(max_examples=25, deadline=None)

PLAIN = runs.hostile("plain")


def assert_inert(out):
    """No character hides, none drives a terminal, no line is a command to a CI system."""
    for found in out.split("\n"):
        assert visible(found) == found, ascii(found)
        assert not found.lstrip().startswith("::"), found
        assert not re.search(r"##\w*\[", found), found
    assert "\r" not in out


@some
@given(texts)
def test_text_and_summary(text):
    for options in (Options(), Options(verbosity="verbose", width=60), Options(verbosity="quiet")):
        assert_inert(render("text", [runs.hostile(text), runs.hostile_failure(text)], options))
    out = render("summary", [runs.hostile(text), runs.hostile_failure(text)], Options(outcome=(1, (line(text),))))
    assert_inert(out)


def structure(out):
    """Whatever stands left of the text column in the part with the cards."""
    region = out[out.index("Findings, worst first") : out.index("\nNot covered")]
    return Counter(found[:18].rstrip() for found in region.split("\n") if found[:18].strip())


@some
@given(texts)
def test_text_forges_no_structure(text):
    ours, theirs = (structure(render("text", [runs.hostile(chosen)])) for chosen in ("plain", text))
    assert theirs.keys() <= ours.keys()
    assert not theirs - ours


@some
@given(texts)
def test_lines_on_stderr_and_of_diff(text):
    hostile = [runs.hostile(text), runs.hostile_failure(text)]
    printed = [*gate(hostile).lines, *(grade_line(run, named=True) for run in hostile)]
    printed += lines(diff_all([PLAIN, *hostile], hostile)) if text != "plain" else []
    for found in printed:
        assert "\n" not in found
        assert_inert(found)


@some
@given(texts)
def test_json(text):
    records = [runs.hostile(text), runs.hostile_failure(text)]
    assert list(load_many(render("json", records).encode())) == records


@some
@given(texts)
def test_junit(text):
    out = render("junit", [runs.hostile(text), runs.hostile_failure(text)])
    assert not list(XSD.iter_errors(out))
    plain = render("junit", [PLAIN, runs.hostile_failure("plain")])
    shape = [[element.tag for element in ElementTree.fromstring(found).iter()] for found in (out, plain)]
    assert shape[0] == shape[1]
    assert_inert(out)


@some
@given(texts)
def test_sarif(text):
    found = json.loads(render("sarif", [runs.hostile(text), runs.hostile_failure(text)]))
    assert validation_errors(found) == []
    plain = json.loads(render("sarif", [PLAIN, runs.hostile_failure("plain")]))
    assert [len(run["results"]) for run in found["runs"]] == [len(run["results"]) for run in plain["runs"]]
    for run in found["runs"]:
        for result in run["results"]:
            assert not re.search(r"(?<!\\)(?:\\\\)*\]\(", result["message"]["text"])


@some
@given(texts)
def test_badge_and_shields(text):
    for form in ("badge", "shields"):
        assert render(form, [runs.hostile(text)]) == render(form, [PLAIN])


PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
OURS = re.compile(r"</?details>|<details><summary>\d+ probes?</summary>")


def shape(out):
    """The kinds of nodes that a Markdown document is parsed to; code and plain text do not count."""
    found = Counter()
    for block in PARSER.parse(out):
        for token in (block, *(block.children or ())):
            if token.type in ("html_block", "html_inline"):
                assert all(OURS.fullmatch(part) for part in token.content.split("\n") if part), token.content
            if token.type == "text":
                assert not re.search(r"(?<!\w)@\w", token.content), token.content
                assert not re.search(r"\bwww\.|\bhttps?://", _source(token, block, out)), token.content
            found[token.type] += token.type not in ("text", "inline", "text_special", "code_inline")
    return found


def _source(token, block, out):
    """Where a link could be made of plain text: the source lines of its block, without code spans."""
    rows = out.split("\n")[slice(*(block.map or (0, 0)))]
    return re.sub(r"(`+).+?(?<!`)\1(?!`)", "", "\n".join(rows))


@some
@given(texts)
def test_markdown(text):
    for options in (Options(), Options(verbosity="verbose")):
        both = [[runs.hostile(chosen), runs.hostile_failure(chosen)] for chosen in (text, "plain")]
        out, plain = (render("markdown", records, options) for records in both)
        assert_inert(out)
        found, expected = shape(out), shape(plain)
        for kind in expected.keys() | found.keys():
            if kind.startswith(("paragraph_", "list_item_", "strong_")):
                assert found[kind] <= expected[kind] + 4 * (text.count("\n") + 2), kind
            else:
                assert found[kind] <= expected[kind], kind


@some
@given(texts)
def test_job_summary_and_annotations(text):
    hostile = [runs.hostile(text), runs.hostile_failure(text)]
    plain = [PLAIN, runs.hostile_failure("plain")]
    assert_inert(job_summary(hostile, Options()))
    found = annotate(hostile, Options())
    assert len(found) == len(annotate(plain, Options()))
    for command in found:
        assert visible(command, newlines="escape") == command
        assert re.fullmatch(r"::(error|warning|notice) file=[^:,]+,line=\d+,title=[^:,]+::.*", command)


@some
@given(texts)
def test_templates(text):
    template = "a {{ sentence }}\nb {{ run.gathered.surface.tools[0].description }}{{ cards[0].summary }}"
    whole = Options(template=template + "{{ cards | json }}")
    out, plain = (render("text", [record], whole) for record in (runs.hostile(text), PLAIN))
    assert_inert(out)
    assert out.count("\n") == plain.count("\n")
    out, plain = (render("markdown", [record], Options(template=template)) for record in (runs.hostile(text), PLAIN))
    assert_inert(out)
    assert not shape(out) - shape(plain)


@given(st.text(st.characters(max_codepoint=127)) | texts)
def test_the_quick_answer_of_line_is_the_slow_one(text):
    assert not _plain(text) or _shown(text) == text


@given(texts)
def test_markdown_text_is_one_plain_paragraph(text):
    out = f"- x {markdown(line(text))}"
    kinds = [token.type for block in PARSER.parse(out) for token in (block, *(block.children or ()))]
    assert set(kinds) <= {
        *("bullet_list_open", "list_item_open", "paragraph_open", "inline", "text", "text_special"),
        *("paragraph_close", "list_item_close", "bullet_list_close"),
    }


@given(texts)
def test_markdown_text_survives_as_what_it_shows(text):
    shown = line(text)
    tokens = PARSER.parse(f"x: {markdown(shown)}")[1].children
    rendered = "".join(token.content for token in tokens).removeprefix("x:")
    assert _mentions(rendered).strip() == _mentions(shown).strip()


def _mentions(text):
    return re.sub(r"\\x(40|23)(?=\w)", lambda match: chr(int(match[1], 16)), text)


@given(texts)
def test_a_code_span_holds_its_text(text):
    shown = line(text)
    tokens = PARSER.parse(f"- x {code(shown)} y")[3].children if shown else []
    spans = [token.content for token in tokens if token.type == "code_inline"]
    assert spans == ([shown] if shown else [])


@given(texts)
def test_a_code_span_in_a_table_holds_its_cell(text):
    out = f"| a | b |\n| --- | --- |\n| {code(line(text), table=True)} | {markdown(line(text))} |\n"
    kinds = Counter(token.type for token in PARSER.parse(out))
    assert (kinds["td_open"], kinds["tr_open"]) == (2, 2)


@given(texts, st.integers(4, 40))
def test_wrapped_lines_keep_every_word(text, width):
    shown = line(text)
    made = wrap(shown, width)
    joined = "".join(made).replace(" ", "").replace("\\x3a", ":")
    assert joined == shown.replace(" ", "").replace("\\x3a", ":")


@pytest.mark.parametrize("text", ["", " ", "\n", "`", "x" * 100_000, "# " * 20_000, "\u0301" * 5_000])
def test_extreme_texts(text):
    for form in ("text", "markdown", "summary", "junit", "sarif"):
        assert len(render(form, [runs.hostile(text)])) < 400_000
