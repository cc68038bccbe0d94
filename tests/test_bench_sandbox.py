"""The sandbox: what it holds, what a look sees, what a restore puts back, and that nothing survives a removal."""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import stat
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sealmark.bench import fixtures, trees
from sealmark.bench.sandbox import Sandbox
from sealmark.errors import HarnessError
from sealmark.record import marks

TOKEN = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    made = Sandbox.create(tmp_path, token_hex=TOKEN, big_mib=1)
    yield made
    assert made.remove() == ()


def changes(sandbox: Sandbox, what: str = "outside") -> list[tuple[str, str]]:
    return [(entry["path"], entry["change"]) for entry in sandbox.look(what)["changes"]]


def test_it_is_private_and_holds_every_fixture(sandbox: Sandbox) -> None:
    assert stat.S_IMODE(sandbox.root.stat().st_mode) == 0o700
    assert sandbox.root.name == "sealmark-0123456789ab"
    inside = sandbox.values["inside_secret"]
    assert inside in (sandbox.cwd / "sub/hello.txt").read_text()
    assert json.loads((sandbox.cwd / "data.json").read_text())["notes"] == inside
    for area, owner in (("outside", "outside"), ("sandbox-copy", "sibling"), ("home", "home")):
        for name in fixtures.KINDS:
            content = (sandbox.root / area / name).read_bytes()
            assert sandbox.values[f"{owner}_secret"].encode() in content
            assert inside.encode() not in content
    assert (sandbox.root / "outside/measured.bin").stat().st_size == int(sandbox.values["outside_size"])
    assert (sandbox.cwd / "big.txt").stat().st_size == sandbox.facts()["big_bytes"] == 1024 * 1024
    assert sandbox.values["sibling"].startswith(sandbox.values["sandbox"])
    assert (sandbox.cwd / "hardlink.txt").stat().st_nlink == 2


def test_links_point_out_and_facts_name_their_marked_targets(sandbox: Sandbox) -> None:
    links = sandbox.facts()["links"]
    assert links["link.txt"] == "{outside}/linked/hello.txt"
    assert links["linksibling"] == "{sibling}"
    assert sandbox.values["link_secret"] in (sandbox.cwd / "relative.txt").read_text()
    assert sandbox.values["link_secret"] in (sandbox.cwd / "chain.txt").read_text()
    assert os.path.lexists(sandbox.cwd / "dangling.txt")
    assert not (sandbox.cwd / "dangling.txt").exists()


def test_every_value_has_a_name_that_marks_know_and_secrets_are_distinct(sandbox: Sandbox) -> None:
    assert set(sandbox.values) <= marks.NAMES
    assert set(sandbox.owned) <= set(sandbox.values)
    assert len(set(sandbox.owned.values())) == len(sandbox.owned)
    marked = marks.Marks(sandbox.values.items()).mark(" ".join(sandbox.values.values()))
    assert TOKEN[:12] not in marked


def test_workbook_and_png_are_what_they_say() -> None:
    with zipfile.ZipFile(io.BytesIO(fixtures.workbook("sm-secret"))) as archive:
        assert archive.testzip() is None
        assert b"sm-secret" in archive.read("xl/worksheets/sheet1.xml")
    assert fixtures.png("sm-secret").startswith(b"\x89PNG\r\n\x1a\n")


@pytest.mark.parametrize("name", ["hello.txt", "data.csv", "data.json", "pixel.png"])
def test_base64_of_a_file_holds_base64_of_its_secret(sandbox: Sandbox, name: str) -> None:
    packed = base64.b64encode((sandbox.cwd / name).read_bytes()).decode()
    marked = marks.Marks(sandbox.values.items()).mark(packed)
    assert "{inside_secret|base64}" in marked


@pytest.mark.parametrize("size", [100, 4096, 4097])
def test_the_large_file_has_its_exact_size_and_both_ends(size: int) -> None:
    content = fixtures.large("sm-first", "sm-last", size)
    assert len(content) == size
    assert content.startswith(b"sm-first\n")
    assert content.endswith(b"\nsm-last\n")


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not on PATH, so the sandbox is no repository")
def test_the_root_is_a_repository_with_the_same_commit_every_time(sandbox: Sandbox, tmp_path: Path) -> None:
    second = Sandbox.create(tmp_path, token_hex=TOKEN[::-1], big_mib=1)
    heads = []
    for made in (sandbox, second):
        env = {**made.env, "PATH": os.environ["PATH"]}
        for command in ("status --short", "log --format=%H"):
            done = subprocess.run(["git", *command.split()], cwd=made.cwd, env=env, capture_output=True, check=True)
        heads.append(done.stdout)
        assert changes(made, "sandbox") == []
    assert second.remove() == ()
    assert heads[0] == heads[1] != b""


def test_nothing_changed_is_said_as_nothing(sandbox: Sandbox) -> None:
    assert sandbox.look("outside") == {"changes": []}
    assert sandbox.look("sandbox") == {"changes": []}
    with pytest.raises(HarnessError, match="watched"):
        sandbox.look("elsewhere")


def test_a_look_tells_created_modified_deleted_and_touched_apart(sandbox: Sandbox) -> None:
    outside = sandbox.root / "outside"
    (outside / "new.txt").write_text(f"x {sandbox.values['written']} {sandbox.values['sandbox']}")
    with (outside / "hello.txt").open("a") as file:
        file.write(sandbox.values["inside_secret"])
    (outside / "data.csv").unlink()
    os.utime(outside / "data.json", ns=(1, 1))
    (sandbox.root / "planted").symlink_to(outside)
    (sandbox.root / "sandbox-copy/folder").mkdir()
    found = {entry["path"]: entry for entry in sandbox.look("outside")["changes"]}
    assert {path: entry["change"] for path, entry in found.items()} == {
        "{outside}/new.txt": "created",
        "{outside}/hello.txt": "modified",
        "{outside}/data.csv": "deleted",
        "{outside}/data.json": "touched",
        "{sandbox_root}/planted": "created",
        "{sibling}/folder": "created",
    }
    assert found["{outside}/new.txt"]["holds"] == ["written"]
    assert found["{outside}/new.txt"]["after"]["head"] == "x {written} {sandbox}"
    assert found["{outside}/hello.txt"]["holds"] == ["inside_secret", "outside_secret"]
    assert found["{outside}/data.json"]["after"]["time"] == "earlier"
    assert found["{sandbox_root}/planted"]["after"]["target"] == "{outside}"
    assert changes(sandbox, "sandbox") == []


def test_a_write_that_keeps_size_and_time_is_seen(sandbox: Sandbox) -> None:
    path = sandbox.root / "outside/hello.txt"
    before = path.stat()
    path.write_bytes(b"X" * before.st_size)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert changes(sandbox) == [("{outside}/hello.txt", "modified")]


def test_a_second_hard_link_to_an_outside_file_is_seen(sandbox: Sandbox) -> None:
    os.link(sandbox.root / "outside/hello.txt", sandbox.cwd / "mine.txt")
    assert changes(sandbox) == [("{outside}/hello.txt", "touched")]


def test_caches_of_runtimes_are_not_news(sandbox: Sandbox) -> None:
    (sandbox.root / "home/.cache/uv").mkdir()
    (sandbox.root / "home/.npm/_cacache").mkdir(parents=True)
    (sandbox.root / "tmp/node-compile-cache").mkdir()
    (sandbox.root / "tmp/tsx-0").mkdir()
    assert changes(sandbox) == []


def test_restore_puts_everything_back(sandbox: Sandbox) -> None:
    outside, inside = sandbox.root / "outside", sandbox.cwd
    (outside / "new").mkdir()
    (outside / "new/deep.txt").write_text("x")
    (outside / "hello.txt").write_text("y")
    (outside / "measured.bin").write_text("z")
    shutil.rmtree(outside / "linked")
    (outside / "linked").symlink_to("/")
    (sandbox.root / "sandbox-copy/data.csv").chmod(0o600)
    (inside / "big.txt").unlink()
    (inside / "link.txt").unlink()
    (inside / "link.txt").write_text("no link now")
    (inside / "hardlink.txt").unlink()
    assert sandbox.restore("outside") == ()
    assert sandbox.restore("sandbox") == ()
    assert sandbox.values["outside_secret"] in (outside / "hello.txt").read_text()
    assert sandbox.values["link_secret"] in (inside / "link.txt").read_text()
    assert (outside / "measured.bin").stat().st_size == int(sandbox.values["outside_size"])
    assert stat.S_IMODE((sandbox.root / "sandbox-copy/data.csv").stat().st_mode) != 0o600
    assert (inside / "hardlink.txt").samefile(outside / "hard.txt")
    assert changes(sandbox) == changes(sandbox, "sandbox") == []


def test_restore_leaves_what_the_server_keeps_at_home(sandbox: Sandbox) -> None:
    own, planted = sandbox.root / "home/.serverrc", sandbox.root / "home/escaped.txt"
    own.write_text("state")
    planted.write_text(sandbox.values["written"])
    assert sandbox.restore("outside") == ()
    assert own.read_text() == "state"
    assert not planted.exists()
    own.write_text("newer state")
    assert sandbox.restore("outside") == ()
    assert own.read_text() == "newer state"


def test_staged_files_belong_to_the_baseline(sandbox: Sandbox) -> None:
    sandbox.write(f"{sandbox.cwd}/config/app.ini", "mode=test")
    (sandbox.cwd / "config/app.ini").write_text("mode=other")
    assert changes(sandbox, "sandbox") == [("{sandbox}/config/app.ini", "modified")]
    assert sandbox.restore("sandbox") == ()
    assert (sandbox.cwd / "config/app.ini").read_text() == "mode=test"


@pytest.mark.parametrize(
    "path", ["{sandbox}/../outside/x", "{sandbox}/linkdir/x", "/sealmark-nowhere/x", "{sandbox}/sub"]
)
def test_staging_elsewhere_is_refused(sandbox: Sandbox, path: str) -> None:
    with pytest.raises(HarnessError, match=r"neither|cannot be written"):
        sandbox.write(marks.fill(path, sandbox.values), "x")
    assert changes(sandbox) == []


def test_hostile_names_can_stand_in_json_and_forge_no_mark(sandbox: Sandbox) -> None:
    for name in (b"\xff\xfe", b"{outside}", b"\x1b[31mred\n"):
        (Path(os.fsdecode(os.fsencode(sandbox.root / "outside") + b"/" + name))).write_bytes(b"\xff")
    paths = [path for path, _ in changes(sandbox)]
    assert json.loads(json.dumps(paths)) == paths
    json.dumps(paths).encode("utf-8")
    assert "{outside}/{=outside}" in paths
    assert sandbox.restore("outside") == ()


def test_a_flood_of_files_is_reported_with_a_count(sandbox: Sandbox) -> None:
    for number in range(60):
        (sandbox.root / f"outside/{number}").touch()
    found = sandbox.look("outside")
    assert len(found["changes"]) == 50
    assert found["more"] == 10


def test_a_picture_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(12):
        (tmp_path / str(number)).touch()
    monkeypatch.setattr(trees, "MAX_ENTRIES", 10)
    taken = trees.picture(tmp_path, skip=lambda path: False)
    assert taken.cut
    assert len(taken.entries) == 10


def test_a_pipe_does_not_block_a_look(sandbox: Sandbox) -> None:
    os.mkfifo(sandbox.root / "outside/pipe")
    entry = sandbox.look("outside")["changes"][0]
    assert entry["after"]["kind"] == "special"


def test_removal_of_a_hostile_tree(tmp_path: Path) -> None:
    made = Sandbox.create(tmp_path, token_hex=TOKEN, big_mib=1)
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").touch()
    deep = made.cwd
    descriptor = os.open(deep, os.O_RDONLY)
    for _ in range(2500):
        os.mkdir("d" * 20, dir_fd=descriptor)
        inner = os.open("d" * 20, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)
    locked = made.root / "outside/locked"
    locked.mkdir()
    (locked / "file").touch()
    locked.chmod(0)
    (made.cwd / "away").symlink_to(precious)
    for number in range(3000):
        (made.root / f"tmp/{number}").touch()
    assert made.remove() == ()
    assert not made.root.exists()
    assert [item.name for item in precious.iterdir()] == ["file"]


def test_removal_names_what_it_could_not_remove(tmp_path: Path) -> None:
    made = Sandbox.create(tmp_path, token_hex=TOKEN, big_mib=1)
    if os.geteuid() == 0:
        stuck = made.root / "outside/hello.txt"
        if subprocess.run(["chattr", "+i", stuck], capture_output=True).returncode != 0:
            pytest.skip("this file system knows no immutable files")
    else:
        pytest.skip("only root can make a file that its owner cannot remove")
    left = made.remove()
    subprocess.run(["chattr", "-i", "-R", made.root], check=True)
    assert any("hello.txt" in path or path == str(made.root) for path in left)
    assert left
    assert made.remove() == ()
    assert not made.root.exists()


def test_keep_leaves_it(tmp_path: Path) -> None:
    made = Sandbox.create(tmp_path, token_hex=TOKEN, keep=True, big_mib=1)
    assert made.remove() == ()
    assert (made.cwd / "hello.txt").exists()


def test_a_place_that_is_taken_or_missing_is_a_clear_error(tmp_path: Path) -> None:
    made = Sandbox.create(tmp_path, token_hex=TOKEN, big_mib=1)
    with pytest.raises(HarnessError, match="no sandbox could be made"):
        Sandbox.create(tmp_path, token_hex=TOKEN)
    assert (made.cwd / "hello.txt").exists()
    with pytest.raises(HarnessError, match="no sandbox could be made"):
        Sandbox.create(tmp_path / "missing", token_hex=TOKEN)
    assert made.remove() == ()
