"""Templates read data and nothing else; header and closing sentence stay whatever they print."""

from __future__ import annotations

import pytest

from sealmark.errors import UsageError
from sealmark.report import Options, render
from sealmark.report.words import CLOSING
from tests import runs


def text(template, record=None, form="text"):
    return render(form, [record or runs.escapes()], Options(template=template, template_name="t.j2"))


def test_header_and_closing_sentence_stand_around_it():
    lines = text("nothing but this").splitlines()
    assert lines[0] == "sealmark 0.1.0 · methodology 0.3-draft · STANDARD · files 1.0.0"
    assert "nothing but this" in lines
    assert lines[-1] == CLOSING
    custom = text("x", runs.undecided()).splitlines()
    assert custom[1].startswith("timeouts.probe_sec: standard 10, effective 2")
    assert CLOSING in text("x", form="markdown")


def test_what_it_can_read():
    out = text(
        "{{ header.label }} {{ target.transport }} {{ sentence }}\n"
        "{% for seal in seals %}{{ seal.pack }}={{ seal.mark or '-' }}{{ '' if loop.last else ',' }}{% endfor %}\n"
        "{% for card in findings %}{{ loop.index }}.{{ card.check }} {{ card.code }}\n{% endfor %}\n"
        "{{ passed | length }} {{ inconclusive | length }} {{ notApplicable | length }} {{ run.schema }}\n"
        "{{ run.gathered.surface.tools[0].name }} {{ header | json }}"
    )
    assert "STANDARD stdio Critical: fs-read-escape failed" in out
    assert "core=B,fs=F,db=-" in out
    assert "1.fs-read-escape FS_READ_ESCAPE_WENT_WRONG" in out
    assert "3 0 0 1" in out
    assert 'read_file {"line": ' in out


def test_a_macro_is_not_escaped_twice():
    out = text("{% macro show(x) %}**{{ x }}**\n{% endmacro %}{{ show('a_b') }}{{ show('c') }}", form="markdown")
    assert "**a\\_b**\n**c**" in out


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{% for %}", "t.j2:1"),
        ("line\n{{ ", "t.j2:2"),
        ("{{ nope }}", "nope"),
        ("{{ header.nope }}", "nope"),
        ("{{ header.nope.more }}", "nope"),
        ("{{ 1 / 0 }}", "zero"),
        ("{{ header | safe }}", "safe"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ header.__class__ }}", "unsafe"),
        ("{{ cycler.__init__.__globals__ }}", "unsafe"),
        ("{% include 'x' %}", "t.j2"),
        ("{% set _ = seals.append(1) %}", "append"),
        ("{% for i in range(999999999) %}{% endfor %}", "too big"),
    ],
)
def test_a_template_that_cannot_be_used(template, says):
    with pytest.raises(UsageError) as caught:
        text(template)
    assert "t.j2" in caught.value.message
    assert says.lower() in caught.value.message.lower()
    assert caught.value.exit_code == 2


def test_it_is_used_for_text_and_markdown_only():
    options = Options(template="mine")
    for form in ("summary", "junit", "sarif", "json"):
        assert render(form, [runs.clean()], options) == render(form, [runs.clean()])


def test_several_runs_are_rendered_one_by_one():
    out = render("text", [runs.clean(), runs.escapes()], Options(template="<{{ header.server }}>"))
    assert out.count("<files>") == 2
    assert out.count(CLOSING) == 2
