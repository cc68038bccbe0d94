"""Pieces of the site generator: policy, grouping, addresses, the output folder, escapes, docstrings, the command."""

from __future__ import annotations

from datetime import date

import pytest
from click.testing import CliRunner

from sealmark.cli.site import site as command
from sealmark.errors import ConfigError, RecordError, UsageError
from sealmark.frames.keys import Key
from sealmark.packs import PACKS
from sealmark.publish import charts, files, methodology, policy
from sealmark.publish.build import publish
from sealmark.publish.checks import examples, sections
from sealmark.publish.collect import collect, file_name, slug
from sealmark.publish.safe import inline, prose, script_json
from sealmark.record.model import Setting
from tests import runs, sites

DAY = date(2030, 6, 1)


def stored(tmp_path, records=None, text=""):
    folder = sites.write(tmp_path / "runs", records or sites.store())
    if text:
        (folder / policy.NAME).write_text(text, "utf-8")
    return folder


def names(store):
    return {server.name for server in store.servers}


def test_a_server_can_be_kept_back_for_good_or_until_a_day(tmp_path):
    folder = stored(tmp_path, text="servers:\n  files: {embargo: 2030-06-02}\n  notes: {publish: false}\n")
    assert {"files", "notes"} & names(collect([folder], DAY)) == set()
    later = collect([folder], date(2030, 6, 2))
    assert "files" in names(later)
    assert (later.kept_back, "notes" in names(later)) == (1, False)


def test_a_run_can_keep_its_server_back_and_the_file_has_the_last_word(tmp_path):
    said = (Setting("publish.allowed", False, "sealmark.yaml:3"), Setting("publish.embargo", "2030-06-02", "x"))
    notes, files = sites.store()["notes.json"], sites.store()["files-1.json"]
    records = sites.store() | {
        "notes.json": runs.but(notes, settings=said[:1]),
        "files-1.json": runs.but(files, settings=said[1:]),
    }
    folder = stored(tmp_path, records)
    assert {"files", "notes"} & names(collect([folder], DAY)) == set()
    assert {"files", "notes"} & names(collect([folder], date(2030, 6, 2))) == {"files"}
    (folder / policy.NAME).write_text("servers: {notes: {publish: true}}", "utf-8")
    assert {"files", "notes"} & names(collect([folder], DAY)) == {"notes"}


def test_nothing_at_all_is_left_of_a_server_that_is_kept_back(tmp_path):
    records = sites.store() | {"secret.json": sites.named(runs.escapes(), "hush-hush", package="npm:hush-hush@1")}
    stored(tmp_path, records, "servers: {hush-hush: {publish: false}}")
    report = publish([tmp_path / "runs"], tmp_path / "site", today=DAY)
    assert report.kept_back == 1
    for path in (tmp_path / "site").rglob("*"):
        assert "hush" not in path.name
        if path.is_file():
            data = path.read_bytes()
            assert b"hush-hush" not in (__import__("gzip").decompress(data) if path.suffix == ".gz" else data), path
    other = sites.built(tmp_path / "other", sites.store())[0]
    for path in ("checks/fs-read-escape.html", "checks/robust-input.html", "checks/index.html"):
        if (other / path).exists():
            assert (other / path).read_bytes() == (tmp_path / "site" / path).read_bytes()


def test_a_misspelt_name_stops_the_program_and_a_strange_one_is_noted(tmp_path):
    folder = stored(tmp_path, text="servers: {filse: {publish: false}}")
    with pytest.raises(ConfigError, match="no run is of filse; did you mean files"):
        collect([folder], DAY)
    (folder / policy.NAME).write_text("servers: {quite-another: {publish: false}}", "utf-8")
    assert any("quite-another" in note for note in collect([folder], DAY).notes)


@pytest.mark.parametrize(
    "text", ["servers: [a]", "servers: {a: {hide: true}}", "a: 1", "servers: {a: {embargo: soon}}", "x: ["]
)
def test_a_policy_that_cannot_be_followed_is_an_error(tmp_path, text):
    with pytest.raises(ConfigError, match=policy.NAME):
        collect([stored(tmp_path, text=text)], DAY)


def test_two_policies_must_agree(tmp_path):
    one = stored(tmp_path / "a", {"notes.json": sites.store()["notes.json"]}, "servers: {notes: {publish: false}}")
    two = stored(tmp_path / "b", {"toy.json": sites.store()["toy.json"]}, "servers: {notes: {publish: true}}")
    with pytest.raises(ConfigError, match="says something else of notes"):
        collect([one, two], DAY)


def test_versions_come_in_order_and_a_standard_run_stands_for_its_version(tmp_path):
    custom = sites.named(runs.undecided(), "files", "1.0.0", "2030-09-09")
    store = collect([stored(tmp_path, sites.store() | {"later-custom.json": custom})], DAY)
    server = next(server for server in store.servers if server.name == "files")
    assert [version.version for version in server.versions] == ["1.0.0", "1.1.0", "2.0.0"]
    assert server.versions[0].started == "2030-01-02T03:04:05Z"
    assert len(server.runs) == 4
    changes = list(server.changes())
    assert [(c.pack, c.before, c.after) for c in changes[0][2]] == [("core", "B", "A"), ("fs", "F", "A")]
    assert (len(changes), server.changed_on, server.ecosystem) == (1, "2030-05-06", "npm")


def test_no_run_is_an_error(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(RecordError, match="no run in it"):
        collect([tmp_path / "empty"], DAY)


def test_addresses_depend_on_the_name_alone_and_never_collide():
    assert slug("mcp-server-time") == "mcp-server-time"
    assert slug("@scope/Name") != slug("scope-name") != slug("Scope Name")
    assert len({slug(name) for name in ("a b", "a/b", "a_b", "A-b", "a-b", "../a-b", "", "…")}) == 8
    for name in (sites.HOSTILE, "x" * 5000, "../../etc/passwd", "-", "con", "ü"):
        assert set(slug(name)) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
        assert 0 < len(slug(name)) < 70
        assert "/" not in file_name(Key("abc", name, name, ""))


def test_only_a_folder_of_its_own_is_written_to(tmp_path):
    out = tmp_path / "site"
    out.mkdir()
    (out / "thesis.txt").write_text("mine", "utf-8")
    stored(tmp_path)
    with pytest.raises(UsageError, match="did not make"):
        publish([tmp_path / "runs"], out, today=DAY)
    assert [path.name for path in out.iterdir()] == ["thesis.txt"]
    (out / "thesis.txt").unlink()
    publish([tmp_path / "runs"], out, today=DAY, with_downloads=False)
    (out / "CNAME").write_text("results.example", "utf-8")
    publish([tmp_path / "runs"], out, today=DAY, with_downloads=False)
    assert (out / "CNAME").read_text("utf-8") == "results.example"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".site")]


def test_a_marker_cannot_name_files_outside(tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    (tmp_path / "keep.txt").write_text("x", "utf-8")
    (site / files.MARKER).write_text('["../keep.txt", "/etc/hostname", "old.html"]', "utf-8")
    (site / "old.html").write_text("x", "utf-8")
    built = tmp_path / "built"
    built.mkdir()
    (built / "new.html").write_text("y", "utf-8")
    assert files.move(built, site)[:3] == (1, 0, 1)
    assert (tmp_path / "keep.txt").exists()


@pytest.mark.parametrize(
    "address", ["results.example", "javascript:alert(1)", 'https://x/"><script>', "https://x/?a=b"]
)
def test_an_address_must_be_one(tmp_path, address):
    stored(tmp_path)
    with pytest.raises(UsageError, match="is not an address"):
        publish([tmp_path / "runs"], tmp_path / "site", today=DAY, base_url=address)


def test_json_in_scripts_cannot_leave_them():
    text = script_json({"a": "</script><!--\u2028\u2029&"})
    assert not set("<>&\u2028\u2029") & set(text)
    assert __import__("json").loads(text) == {"a": "</script><!--\u2028\u2029&"}


def test_prose_of_docstrings():
    assert inline("a `b<c` <d>") == "a <code>b&lt;c</code> &lt;d&gt;"
    assert prose("one\ntwo\n\n- a\n  b\n- `c`") == "<p>one two</p><ul><li>a b</li><li><code>c</code></li></ul>"
    lead, parts = sections("Looks.\n\nWhy: because.\n\nHow: so.\n\nMore of it.\n\nWhen it can be wrong: rarely.")
    assert lead == "Looks."
    assert parts == (("Why", "because."), ("How", "so.\n\nMore of it."), ("When it can be wrong", "rarely."))


def test_every_check_has_its_parts_and_two_examples():
    for pack in PACKS:
        for check in pack.checks:
            lead, parts = sections(check.page)
            assert lead
            assert [name for name, _ in parts if name != "What"] == ["Why", "How", "When it can be wrong"], check.id
            fail, near = examples(pack, check)
            assert fail is not None, check.id
            assert fail.shown.card.tag in ("fail", "part"), check.id
            assert near is not None, check.id
            assert near.shown.card.tag == "pass", check.id
            assert fail.page.view.target.invented


def test_charts_have_a_lane_per_pack_and_escape_labels(tmp_path):
    store = collect([stored(tmp_path, sites.store() | sites.hostile())], DAY)
    server = next(server for server in store.servers if server.name == "files")
    packs = charts.graded_packs(server.versions)
    figure = charts.steps(server.versions, packs)
    assert packs == ["core", "fs"]
    assert [trace["y"] for trace in figure["data"]] == [[3, 3, 4], [0, 0, 4]]
    assert [trace["text"] for trace in figure["data"]] == [["B", "B", "A"], ["F", "F", "A"]]
    assert charts.spark(server.versions)["words"] == "F, then F, then A"
    hostile = next(server for server in store.servers if server.name == sites.HOSTILE)
    assert len(hostile.versions) == 2
    assert "<" not in str(charts.steps(hostile.versions, ["core"])["layout"]["xaxis"]["ticktext"])


def test_methodology_tables_follow_the_methodology():
    known = {pack.id: pack for pack in methodology.packs()}
    assert list(known) == [pack.id for pack in PACKS]
    assert methodology.history()[-1][1] == ["The first version that this build knows."]


def test_the_command(tmp_path):
    folder = stored(tmp_path)
    out = tmp_path / "out"
    done = CliRunner().invoke(command, [str(folder), "--out", str(out), "--no-downloads"])
    assert done.exit_code == 0, done.output
    assert done.stdout.strip() == str(out / "index.html")
    assert "6 servers" in done.stderr
    assert (out / "index.html").is_file()
    assert not (out / "data").exists()
    assert CliRunner().invoke(command, [str(folder)]).exit_code == 2
