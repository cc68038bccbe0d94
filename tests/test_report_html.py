"""The one-file HTML report: self-contained, inert, navigable, and the same numbers as the view."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from sealmark.report import render
from sealmark.report.html import csp_hash, day, milliseconds, page
from sealmark.report.html.shown import Bounds
from tests.runs import NASTY, RUNS, but, clean, escapes, hostile, hostile_failure

ALLOWED = frozenset(
    "html head meta title style body main header footer section article div p ul li dl dt dd h1 h2 h3 b a code pre bdi "
    "span time details summary table thead tbody tr th td svg symbol path use circle text button".split()
)
VOID = {"meta"}


class Page(HTMLParser):
    """The elements of a document, with every id, link and text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links, self.attributes, self.open, self.text = [], [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name in ("href", "src")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.text.append(data)


def read(runs):
    return Page(render("html", runs))


EVERY = [*RUNS, "hostile", "hostile-failure"]
MORE = {"hostile": lambda: [hostile()], "hostile-failure": lambda: [hostile_failure()]}


@pytest.mark.parametrize("name", EVERY)
def test_only_known_elements_that_close(name):
    found = read((MORE | RUNS)[name]())
    assert set(found.tags) <= ALLOWED
    assert found.open == []
    assert not [name for _, name, _ in found.attributes if name.startswith("on") or name == "style"]


@pytest.mark.parametrize("name", EVERY)
def test_ids_are_unique_and_links_stay_in_the_file(name):
    found = read((MORE | RUNS)[name]())
    assert len(found.ids) == len(set(found.ids))
    assert {link[:1] for link in found.links} <= {"#"}
    assert {link[1:] for link in found.links} <= set(found.ids)


def test_policy_allows_the_style_and_nothing_else():
    text = render("html", [clean()])
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    style = re.search(r"<style>(.*)</style>", text, re.S)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';")
    assert "<script" not in text
    assert csp_hash(style) == f"sha256-{digest}"


def test_hidden_characters_are_shown_and_markup_is_text():
    text = render("html", [hostile()])
    for character in "\x1b\x9b\u202e\u200b\x00\r\U000e0041":
        assert character not in text
    assert "<img" not in text
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
    assert "{{ 7*7 }}" in text
    assert "49" not in "".join(Page(text).text).split("7*7")[1][:3]


def test_letters_numbers_and_verdicts_are_those_of_the_record():
    run = escapes()
    words = " ".join("".join(read([run]).text).split())
    assert "2.5/3 points, 83.3%" in words
    assert "1/3 points, 33.3%" in words
    assert words.index("fs-read-escape") < words.index("What passed")
    assert "created {outside}/new" in words
    assert "An A says that these checks passed under exactly this configuration" in words


def test_every_line_of_evidence_leads_to_its_row():
    found = page(escapes())
    failed = found.tagged("fail")[0]
    assert [entry.said for entry in failed.entries] == [(line.text,) for line in failed.card.evidence]
    assert failed.loose == ()
    assert all(entry.wire for entry in failed.entries)
    assert "{outside}/secret.txt" in failed.entries[0].wire[0].arguments


def test_bounds_leave_out_rows_and_say_so():
    few = page(escapes(), bounds=Bounds(rows=1, quiet_rows=0))
    failed, passed = few.tagged("fail")[0], few.tagged("pass")[0]
    assert (len(failed.entries), failed.hidden) == (1, 2)
    assert (len(passed.entries), passed.hidden) == (0, len(passed.card.rows))
    assert failed.loose == tuple(line.text for line in failed.card.evidence[1:])


def test_bodies_are_cut_to_the_bound():
    from sealmark.record.model import Body

    run = escapes()
    key = run.gathered.observations[2].probe
    seen = tuple(replace(o, body="b1") if o.probe == key else o for o in run.gathered.observations)
    run = but(run, observations=seen, bodies={"b1": Body("ab" * 32, 5000, "x" * 2048, "y" * 512, True)})
    rows = [entry for shown in page(run, bounds=Bounds(body=100)).shown for entry in shown.entries]
    step = next(entry for entry in rows if entry.row.probe == key).wire[0]
    assert (step.head, step.tail, step.length) == ("x" * 100, "", 5000)
    rows = [entry for shown in page(run).shown for entry in shown.entries]
    assert next(entry for entry in rows if entry.row.probe == key).wire[0].tail == "y" * 512


def test_invented_servers_carry_the_band_on_every_part():
    run = escapes()
    run = but(run, server=replace(run.gathered.server, invented=True))
    text = render("html", [run])
    parts = len(re.findall(r'<article class="finding|<table class="quiet"|<header class="masthead"', text))
    assert len(re.findall(r'class="band', text)) == parts
    assert 'class="band' not in render("html", [escapes()])


def test_several_runs_are_listed_first():
    found = read(RUNS["several"]())
    assert [i for i in found.ids if i.endswith("-run")] == ["r1-run", "r2-run", "r3-run"]
    assert NASTY not in "".join(found.text)


def test_words_of_times_and_days():
    assert day("2030-01-02T03:04:05Z") == "2 January 2030"
    assert day("not a date") == "not a date"
    assert (milliseconds(4.25), milliseconds(321), milliseconds(12_345)) == ("4.2 ms", "321 ms", "12.3 s")
