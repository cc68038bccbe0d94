"""The built site, read as files: links resolve, the content policy holds, the numbers are those of the frames."""

from __future__ import annotations

import gzip
import io
import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pandas as pd
import pytest

from sealmark.frames.files import load
from sealmark.publish.build import publish
from sealmark.publish.shell import CSP
from sealmark.record import codec
from tests import sites

BASE = "https://results.example/mcp/"


class Document(HTMLParser):
    """Ids, links and texts of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.scripts, self.styled, self.cells, self.handlers = set(), [], [], [], [], []
        self._text = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if "id" in found:
            assert found["id"] not in self.ids, found["id"]
            self.ids.add(found["id"])
        self.links += [found[name] for name in ("href", "src", "data-index", "data-root") if found.get(name)]
        self.handlers += [name for name in found if name.startswith("on")]
        if "style" in found or tag == "style":
            self.styled.append(tag)
        if tag == "script" and "src" not in found:
            self.scripts.append(found.get("type"))


@pytest.fixture(scope="module", params=["", BASE], ids=["no address", "with an address"])
def built(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    site, report = sites.built(folder, sites.store() | sites.hostile(), request.param)
    return site, report, request.param


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain")
    site, _ = sites.built(folder, sites.store())
    return site, load(folder / "runs")


def pages(site):
    return {
        path.relative_to(site).as_posix(): Document(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))
    }


def test_every_link_and_asset_resolves(built):
    site, _, base = built
    found = pages(site)
    assert len(found) > 20
    for path, document in found.items():
        here = urljoin("http://site.test/", path)
        for link in document.links:
            target = urljoin(here, link)
            if base and target.startswith(base):
                target = "http://site.test/" + target.removeprefix(base)
            parts = urlsplit(target)
            if path == "404.html" and parts.path.startswith("/mcp"):
                parts = parts._replace(path=parts.path.removeprefix("/mcp"))
            assert parts.netloc == "site.test", f"{path}: {link}"
            name = unquote(parts.path).lstrip("/") or "index.html"
            assert (site / name).exists(), f"{path}: {link}"
            if parts.fragment and name in found:
                assert unquote(parts.fragment) in found[name].ids, f"{path}: {link}"


def test_pages_keep_to_their_own_policy(built):
    site, _, _ = built
    for path in site.rglob("*.html"):
        text = path.read_text("utf-8")
        document = Document(text)
        assert f'Content-Security-Policy" content="{CSP}"'.replace("'", "&#39;") in text, path
        assert set(document.scripts) <= {"application/json"}, path
        assert document.styled == [], path
        assert document.handlers == [], path
        assert not re.search(r"(src|href)=\"?(https?:)?//(?!results\.example)", text), path


def test_a_known_address_is_used_in_feeds_badges_and_canonical_links(built):
    site, _, base = built
    text = (site / "servers" / "files.html").read_text("utf-8")
    assert (f'rel="canonical" href="{BASE}servers/files.html"' in text) is bool(base)
    feed = json.loads((site / "feed.json").read_text("utf-8"))
    assert feed["items"][0]["url"].startswith(base + "servers/")
    assert f"[![Sealmark]({base}badges/files.svg)]({base}servers/files.html)" in text
    assert (site / "404.html").exists() is bool(base)


def test_letters_of_the_front_page_are_those_of_the_packs_frame(plain):
    site, runs = plain
    text = (site / "index.html").read_text("utf-8")
    newest = {"files": "2.0.0"}
    packs = runs.packs
    shown = re.findall(r"<tr data-from=.*?<bdi>(.*?)</bdi>.*?</tr>", text, re.S)
    assert sorted(shown) == sorted({run.server for run in runs})
    for row in re.findall(r"<tr data-from=.*?</tr>", text, re.S):
        name = re.search(r"<bdi>(.*?)</bdi>", row)[1]
        letters = dict(re.findall(r'data-pack="(\w+)" data-g="(\w)"', row))
        frame = packs[(packs["server"] == name) & (packs["server_version"] == newest.get(name, "1.0.0"))]
        graded = frame[frame["grade"].notna()]
        assert letters == dict(zip(graded["pack"], graded["grade"].astype(str), strict=True))


def test_numbers_of_a_server_page_are_those_of_the_frames(plain):
    site, runs = plain
    text = next(p for p in (site / "servers").glob("toy-server-*.html")).read_text("utf-8")
    packs = runs.packs[runs.packs["server"] == "toy_server"].set_index("pack")
    for pack, row in packs[packs["grade"].notna()].iterrows():
        assert f"{row['points']:g}/{row['scored']} points, {row['percent']:g}%" in text, pack
    checks = runs.checks[runs.checks["server"] == "toy_server"]
    failed = checks[checks["verdict"].isin(["fail", "part"])]
    assert len(re.findall('<article class="finding', text)) == len(failed) == 3
    assert f"<span>{(checks['verdict'] == 'pass').sum()}</span>" in text


def test_rates_of_a_check_page_are_those_of_the_checks_frame(plain):
    site, runs = plain
    text = " ".join((site / "checks" / "robust-input.html").read_text("utf-8").split())
    counts = runs.checks[runs.checks["check"] == "robust-input"]["verdict"].value_counts()
    assert dict(counts[counts > 0]) == {"pass": 4, "part": 3}
    assert "4 pass" in re.sub(r"<[^>]*>", "", text)
    assert "3 part" in re.sub(r"<[^>]*>", "", text)
    assert "of 7 runs in which it applied" in text


def test_downloads_hold_the_runs_and_the_frames(plain):
    site, runs = plain
    records = {
        codec.load(gzip.decompress(path.read_bytes())).started_at: path for path in (site / "data/runs").iterdir()
    }
    assert len(records) == len(runs)
    checks = pd.read_csv(site / "data" / "checks.csv.gz")
    assert list(checks["verdict"]) == list(runs.checks["verdict"].astype(str))
    files = pd.read_csv(io.BytesIO((site / "data" / "runs.csv.gz").read_bytes()), compression="gzip")["file"]
    assert all((site / "data" / "runs" / name).is_file() for name in files)


def test_the_lines_of_the_data_page_work(plain, tmp_path, monkeypatch):
    site, runs = plain
    monkeypatch.chdir(site / "data")
    blocks = re.findall(r"<pre><code>(.*?)</code></pre>", (site / "data.html").read_text("utf-8"), re.S)
    load_runs = blocks[1].replace("&#34;", '"').replace("&quot;", '"')
    scope: dict[str, object] = {}
    try:
        exec(load_runs, scope)
        assert len(scope["runs"]) == len(runs)
    finally:
        for path in (site / "data" / "runs").glob("*.json"):
            path.unlink()
    monkeypatch.chdir(site)
    exec(blocks[0].replace("&#34;", '"').replace("&quot;", '"'), scope)
    assert len(scope["checks"]) == len(runs.checks)


def test_feeds_tell_what_changed(plain):
    site, _ = plain
    titles = [item["title"] for item in json.loads((site / "feed.json").read_text("utf-8"))["items"]]
    assert titles[0] == "files 2.0.0: core B → A, fs F → A"
    assert "toy_server 1.0.0: first graded (invented server)" in titles
    assert not [title for title in titles if "1.1.0" in title]
    feed = ET.fromstring((site / "feed.atom").read_text("utf-8"))
    atom = "{http://www.w3.org/2005/Atom}"
    assert [entry.findtext(f"{atom}title") for entry in feed.findall(f"{atom}entry")] == titles
    assert feed.findtext(f"{atom}updated") == "2030-05-06T03:04:05Z"


def test_a_rebuild_leaves_unchanged_files_untouched(tmp_path):
    site, first = sites.built(tmp_path, sites.store())
    before = {path: path.stat().st_mtime_ns for path in site.rglob("*") if path.is_file()}
    again = publish([tmp_path / "runs"], site, today=sites.TODAY)
    assert (again.files.written, again.files.removed) == (0, 0)
    assert again.files.unchanged == first.files.written
    marker = site / ".sealmark-site"
    assert {path: path.stat().st_mtime_ns for path in before if path != marker} == {
        path: when for path, when in before.items() if path != marker
    }
    (tmp_path / "runs" / "notes.json").unlink()
    third = publish([tmp_path / "runs"], site, today=sites.TODAY)
    assert not (site / "servers" / "notes.html").exists()
    assert (site / "servers" / "files.html").stat().st_mtime_ns == before[site / "servers" / "files.html"]
    assert third.files.removed >= 2


def test_plotly_is_left_out_when_there_is_no_chart(tmp_path):
    site, _ = sites.built(tmp_path, {"notes.json": sites.store()["notes.json"]})
    assert not (site / "assets" / "plotly.min.js").exists()
    assert 'class="chart"' not in (site / "servers" / "notes.html").read_text("utf-8")


def test_a_relative_folder_is_taken_from_where_the_command_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs = sites.write(tmp_path / "runs", sites.store())
    publish([runs], Path("public"), today=sites.TODAY)
    assert (tmp_path / "public" / "index.html").is_file()
    assert list((tmp_path / "public" / "servers").glob("*.html"))
