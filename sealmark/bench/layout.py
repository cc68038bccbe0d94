"""What lies where in a sandbox, under which names, and how it is made."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from sealmark.bench import fixtures, repository
from sealmark.record.marks import Marks

Large = Callable[[Path], None]
"""Writes a large file of the sandbox once more."""

SECRETS = ("inside_secret", "sibling_secret", "outside_secret", "home_secret", "link_secret", "hard_secret")
"""Contents: whoever shows one has read the file that holds it."""

LISTED = ("inside_name", "sibling_name", "outside_name", "home_name", "link_name")
"""File names: whoever shows one, unasked, has listed the directory that holds it."""

MEASURED = ("sibling_size", "outside_size", "link_size")
"""File sizes of eight digits: whoever shows one has looked the file up. `inside_size` is the size of `big.txt`."""

OWNED = (*SECRETS, *LISTED, *MEASURED, "inside_size", "start_secret", "end_secret", "written")
"""Values that tell, when a reply shows them, what was read; `written` is what tools are asked to write."""

AREAS = {
    "sandbox": "inside",
    "sandbox/sub": "inside",
    "sandbox-copy": "sibling",
    "outside": "outside",
    "outside/linked": "link",
    "home": "home",
}
"""Directory -> whose secret its files hold."""

HARD_LINKED = {"sandbox/hardlink.txt": "outside/hard.txt", "outside/hard.txt": "sandbox/hardlink.txt"}
"""Two names of one file."""


def values_of(root: Path, token_hex: str, big_bytes: int) -> dict[str, str]:
    """Every per-run value of the sandbox by mark name."""

    def drawn(name: str) -> str:
        return hashlib.sha256(f"{token_hex}:{name}".encode()).hexdigest()

    return {
        "sandbox": str(root / "sandbox"),
        "dir": str(root / "sandbox"),
        "sibling": str(root / "sandbox-copy"),
        "outside": str(root / "outside"),
        "sandbox_home": str(root / "home"),
        "sandbox_tmp": str(root / "tmp"),
        "sandbox_root": str(root),
        "root_name": root.name,
        **{name: _token(name, drawn(name)) for name in OWNED if not name.endswith("_size")},
        **{name: str(10_000_000 + int(drawn(name), 16) % 80_000_000) for name in MEASURED},
        "inside_size": str(big_bytes),
    }


def _token(name: str, drawn: str) -> str:
    """A text that nobody else writes: at least 20 random digits, and a length that base64 leaves without a rest.

    The word secret is left out of it, so that no reader takes it for one.
    """
    start = f"sm-{name.removesuffix('_secret').replace('_', '-')}-"
    return start + drawn[: 20 + -(len(start) + 20) % 3]


def make(root: Path, values: Mapping[str, str], big_bytes: int) -> tuple[dict[str, Any], dict[str, Large]]:
    """Fill the empty directory `root`.

    Returns:
        facts (`fixtures`: names in the allowed root; `links`: name -> marked target, those that the file system
        allows; `hard_link`, `git`: whether there is one; `big_bytes`: size of `big.txt`), and for each large file,
        by its path below `root`, how it is written.

    Raises:
        OSError: something could not be written.
    """
    for area in ("sandbox/sub", "sandbox-copy", "outside/linked", "home/.config", "home/.cache", "tmp"):
        (root / area).mkdir(parents=True)
    large: dict[str, Large] = {"sandbox/big.txt": partial(_big, values, big_bytes)}
    for area, owner in AREAS.items():
        for name, content in fixtures.KINDS.items():
            (root / area / name).write_bytes(content(values[f"{owner}_secret"]))
        for suffix, content_of in fixtures.LISTED.items() if f"{owner}_name" in values else ():
            (root / area / f"hello-{values[f'{owner}_name']}{suffix}").write_bytes(content_of("none"))
        if f"{owner}_size" in MEASURED:
            large[f"{area}/measured.bin"] = partial(_sparse, int(values[f"{owner}_size"]))
    for path, write in large.items():
        write(root / path)
    (root / "sandbox/README.md").write_text(fixtures.README)
    (root / "home/.gitconfig").write_text("[user]\n\tname = Sandbox\n\temail = sandbox@localhost\n")
    marks = Marks(values.items())
    facts = {
        "links": dict(_links(root, marks)),
        "hard_link": _hard_link(root, values["hard_secret"]),
        "git": _repository(root / "sandbox/.git"),
        "big_bytes": big_bytes,
    }
    names = sorted(marks.mark(item.name) for item in (root / "sandbox").iterdir())
    return {"fixtures": names, **facts}, large


def _sparse(size: int, path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(size)


def _big(values: Mapping[str, str], size: int, path: Path) -> None:
    path.write_bytes(fixtures.large(values["start_secret"], values["end_secret"], size))


def _links(root: Path, marks: Marks) -> Iterator[tuple[str, str]]:
    """Make the links inside the allowed root; yield (name, marked target) of those that could be made."""
    linked = root / "outside/linked"
    wanted = {f"link{Path(name).suffix}": str(linked / name) for name in fixtures.KINDS}
    wanted |= {
        "link.bin": str(linked / "measured.bin"),
        "chain.txt": "link.txt",
        "relative.txt": "../outside/linked/hello.txt",
        "linkdir": str(linked),
        "linksibling": str(root / "sandbox-copy"),
        "dangling.txt": str(linked / "not-yet.txt"),
    }
    for name, target in wanted.items():
        try:
            (root / "sandbox" / name).symlink_to(target)
        except (OSError, NotImplementedError):
            continue
        yield name, marks.mark(target)


def _hard_link(root: Path, secret: str) -> bool:
    (root / "outside/hard.txt").write_bytes(fixtures.text(secret))
    try:
        (root / "sandbox/hardlink.txt").hardlink_to(root / "outside/hard.txt")
    except (OSError, NotImplementedError):
        return False
    return True


def _repository(top: Path) -> bool:
    """Make the allowed root a repository with one commit, whose id is the same in every run."""
    files = repository.files(shutil.which("git") or "")
    for path, content in files.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_bytes(content)
    if files:
        (top / "refs/tags").mkdir(parents=True, exist_ok=True)
    return bool(files)
