"""Stores of runs for the site tests: fixed records, several versions, an invented server, a hostile one."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from msgspec.structs import replace

from sealmark.publish.build import Report, publish
from sealmark.record import codec
from sealmark.record.model import RunRecord, ServerFacts
from tests import runs

TODAY = date(2031, 1, 1)

HOSTILE = (
    "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1><svg onload=window.pwned=1>"
    "<a href=javascript:window.pwned=1>x</a>\u202eevil\u202c\u200b\u2028{{ 7*7 }}{% raw %}{# x #}[x](javascript:pwned)"
    "</title></pre></code></td></table></details></main>\"'`$&amp;<!-- --><style>*{display:none}</style>"
)


def named(record: RunRecord, name: str, version: str = "1.0.0", day: str = "2030-01-02", **more: object) -> RunRecord:
    """The run as one of another server, version and day."""
    server = replace(record.gathered.server, name=name, version=version, **more)
    return replace(runs.but(record, server=server), started_at=f"{day}T03:04:05Z")


def store() -> dict[str, RunRecord]:
    """File name -> run: a server over three versions, and one of each kind."""
    escapes, clean = runs.escapes(), runs.clean()
    grown = runs.but(
        named(clean, "files", "2.0.0", "2030-05-06", package="npm:@example/files@2.0.0"),
        surface=replace(runs.SURFACE, tools=(runs.READ, replace(runs.WRITE, name="write_text"))),
    )
    return {
        "files-1.json": named(escapes, "files", "1.0.0", "2030-01-02", package="npm:@example/files@1.0.0"),
        "files-1-1.json": named(escapes, "files", "1.1.0", "2030-03-04", package="npm:@example/files@1.1.0"),
        "files-2.json": grown,
        "notes.json": named(clean, "notes", package="pypi:notes==1.0.0", day="2030-02-02"),
        "undecided.json": named(runs.undecided(), "undecided", day="2030-02-03"),
        "broken.json": named(runs.broken(), "broken", day="2030-02-04"),
        "toy.json": named(escapes, "toy_server", day="2030-02-05", invented=True),
        "remote.json": named(clean, "remote", day="2030-02-06", transport="http", url="http://127.0.0.1:9/mcp"),
    }


def hostile() -> dict[str, RunRecord]:
    """Runs in which every text is hostile: over two versions, and one that never started."""
    older = runs.hostile(HOSTILE)
    newer = runs.but(older, server=replace(older.gathered.server, version=HOSTILE + "2"))
    failed = runs.but(
        runs.hostile_failure(HOSTILE), server=ServerFacts(HOSTILE + "x" * 3000, HOSTILE, "stdio", (HOSTILE,))
    )
    return {
        "h1.json": older,
        "h2.json": replace(newer, started_at="2030-06-06T00:00:00Z"),
        "h3.json": failed,
        "h4.json": runs.hostile(runs.NASTY),
    }


def write(folder: Path, records: dict[str, RunRecord]) -> Path:
    """Store the runs in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, record in records.items():
        (folder / name).write_bytes(codec.dump(record))
    return folder


def built(folder: Path, records: dict[str, RunRecord], base_url: str = "") -> tuple[Path, Report]:
    """The site of these runs, and what the build says."""
    report = publish([write(folder / "runs", records)], folder / "site", today=TODAY, base_url=base_url)
    return folder / "site", report
