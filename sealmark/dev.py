"""For contributors: records of toys, generated pages, a new check. `python -m sealmark.dev --help`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sealmark.toys import Toy

ROOT = Path(__file__).parent.parent


@click.group()
def dev() -> None:
    """Commands for contributors; run them in a checkout."""


@dev.command()
@click.argument("only", default="")
@click.option("--jobs", default=2, help="Toys that run at the same time.")
def records(only: str, jobs: int) -> None:
    """Run toys (all, or ONLY those of a pack or of PACK/CHECK) and keep their records."""
    from sealmark.toys import toys

    wrong = asyncio.run(_record_all(list(toys(only)), jobs))
    raise SystemExit(1 if wrong else 0)


async def _record_all(every: Sequence[Toy], jobs: int) -> int:
    gate = asyncio.Semaphore(jobs)

    async def one(toy: Toy) -> bool:
        async with gate:
            return await _record(toy)

    return (await asyncio.gather(*(one(toy) for toy in every))).count(False)


async def _record(toy: Toy) -> bool:
    """Run one toy, keep its record, and say whether it got the verdict that it must."""
    from sealmark.record.codec import dump
    from sealmark.toys import run_toy

    record = await run_toy(toy)
    toy.record_path.parent.mkdir(parents=True, exist_ok=True)
    toy.record_path.write_bytes(dump(record))
    verdicts = record.judgement.verdicts if record.judgement else ()
    found = next((v for v in verdicts if v.check == toy.check), None)
    got = f"{found.tag} by {found.rule}" if found else f"nothing: {record.failure}"
    right = found is not None and (found.tag, found.rule) == (toy.verdict, toy.rule)
    click.echo(f"{'ok   ' if right else 'WRONG'} {toy.check} {toy.name}: {got}")
    if not right and found is not None:
        click.echo(f"      wanted {toy.verdict} by {toy.rule}; {found.summary}")
        for line in found.evidence:
            click.echo(f"      {line.probe}: {line.line}")
    return right


@dev.command()
@click.argument("only", default="")
def rejudge(only: str) -> None:
    """Judge the stored records of toys anew, offline: for a change that moves no probe."""
    import msgspec

    from sealmark import __version__
    from sealmark.judging.regrade import judged
    from sealmark.record.codec import dump, load
    from sealmark.toys import steady, toys

    for toy in toys(only):
        if not toy.record_path.is_file():
            click.echo(f"no record: {toy.check} {toy.name}")
            continue
        record = load(toy.record_path.read_bytes(), str(toy.record_path))
        again = steady(judged(msgspec.structs.replace(record, judgements=()), tool_version=__version__))
        if dump(again) != toy.record_path.read_bytes():
            toy.record_path.write_bytes(dump(again))
            click.echo(f"judged anew: {toy.check} {toy.name}")


@dev.command()
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when a generated file is stale.")
def regen(check: bool) -> None:
    """Write every generated file: check pages, settings, frames, schemas."""
    stale = [path for path, text in generated().items() if not _same(ROOT / path, text)]
    for path in stale:
        if not check:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(generated()[path], "utf-8")
        click.echo(f"{'stale' if check else 'written'}: {path}")
    raise SystemExit(1 if check and stale else 0)


def _same(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text("utf-8") == text


def generated() -> Mapping[str, str]:
    """Path in the checkout -> the text that must stand there."""
    from sealmark.packs import PACKS

    pages = {f"docs/checks/{check.id}.md": _check_page(check.id) for pack in PACKS for check in pack.checks}
    return {**pages, **{path: make() for path, make in GENERATED.items()}}


def _check_page(check_id: str) -> str:
    from sealmark.catalogue import check_page

    return check_page(check_id)


def _settings() -> str:
    from sealmark.settings.docs import render

    return render()


def _frames() -> str:
    from sealmark.frames.docs import render

    return render()


def _config_schema() -> str:
    import json

    from sealmark.settings.schema import json_schema

    return json.dumps(json_schema(), indent=1) + "\n"


def _record_schema() -> str:
    import json

    from sealmark.record.codec import json_schema

    return json.dumps(json_schema(), indent=1) + "\n"


GENERATED: Mapping[str, Callable[[], str]] = {
    "docs/settings.md": _settings,
    "docs/frames.md": _frames,
    "docs/schema/sealmark.schema.json": _config_schema,
    "docs/schema/run.schema.json": _record_schema,
}

if __name__ == "__main__":
    dev()
