"""Toys: the small servers beside each corpus that prove a check both ways, and the records that are kept of them."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import msgspec

from sealmark import corpora
from sealmark.bench.ports import free_port
from sealmark.bench.served import Served
from sealmark.conductor import Conductor
from sealmark.packs import PACKS
from sealmark.record.model import RunRecord
from sealmark.record.timeless import timeless
from sealmark.settings import Origin, Settings
from sealmark.wire.http import Endpoint

VARIABLE = "SEALMARK_CORPORA"
"""Names the corpora to a toy's command line, so that no record holds where they lie."""
RUNNING, PORT_VARIABLE = "toy.running", "SEALMARK_TOY_PORT"
"""A toy setting: it runs before the run begins; and the variable that then holds its port."""


@dataclass(frozen=True)
class Toy:
    """One toy: the check that it is for, the verdict and rule it must get, and settings of its own."""

    pack: str
    check: str
    name: str
    verdict: str
    rule: str
    near: bool
    about: str
    settings: Mapping[str, Any]

    @property
    def record_path(self) -> Path:
        """Where its record is kept."""
        return corpora.root() / self.pack / self.check / "records" / f"{self.name}.json"

    @property
    def command(self) -> tuple[str, ...]:
        """Its command line."""
        command = ("python3", f"${{{VARIABLE}}}/{self.pack}/{self.check}/toys.py", self.name, "{sandbox}")
        return (*command, "{server_port}") if "server.url" in self.settings else command


def toys(only: str = "") -> Iterator[Toy]:
    """Every toy of this build, or those of one check (`fs/fs-read-escape`)."""
    for pack in PACKS:
        for check in pack.checks:
            path = corpora.root() / pack.id / check.id / "toys.py"
            if path.is_file() and only in ("", f"{pack.id}/{check.id}", pack.id):
                for name, row in _table(path).items():
                    settings = {key.replace("__", "."): value for key, value in row["settings"].items()}
                    yield Toy(pack.id, check.id, name, row["verdict"], row["rule"], row["near"], row["about"], settings)


def _table(path: Path) -> dict[str, dict[str, Any]]:
    spec = importlib.util.spec_from_file_location(f"toys_{path.parent.name.replace('-', '_')}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(corpora.root() / "_shared"))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    table: dict[str, dict[str, Any]] = module.toys.table
    return table


async def run_toy(toy: Toy) -> RunRecord:
    """Run one toy with its pack alone; the record is steady, so that it can be compared byte for byte."""
    if toy.settings.get(RUNNING):
        async with _running(toy) as port:
            return await _run(toy, {}, {PORT_VARIABLE: port})
    return await _run(toy, {"server.command": toy.command[0], "server.args": toy.command[1:]}, {})


@asynccontextmanager
async def _running(toy: Toy) -> AsyncIterator[str]:
    """Start a toy as if somebody else had: it runs before the run begins, which is told its URL only."""
    port = free_port()
    values = {f"${{{VARIABLE}}}": str(corpora.root()), "{sandbox}": ".", "{server_port}": port}
    argv = [reduce(lambda text, pair: text.replace(*pair), values.items(), word) for word in toy.command]
    url = toy.settings["server.url"].replace(f"${{{PORT_VARIABLE}}}", port)
    served = Served(Endpoint(url), argv=argv, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    await served.begin()
    try:
        yield port
    finally:
        await served.end()


async def _run(toy: Toy, launch: Mapping[str, Any], more: Mapping[str, str]) -> RunRecord:
    chosen = {key: value for key, value in toy.settings.items() if key != RUNNING}
    if "server.ca_file" in chosen:
        chosen["server.ca_file"] = str(corpora.root() / chosen["server.ca_file"])
    settings = Settings.standard().replace(
        {
            "server.name": toy.name,
            **launch,
            "server.invented": True,
            "packs": (toy.pack,),
            "timeouts.call_sec": 5,
            **chosen,
        },
        Origin("code", "toys"),
    )
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    environ = {**os.environ, "PATH": path, **more, VARIABLE: str(corpora.root()), "PYTHONDONTWRITEBYTECODE": "1"}
    packs = tuple(pack for pack in PACKS if pack.id == toy.pack)
    redact = lambda text: text.replace(str(corpora.root()), "{corpora}")  # noqa: E731
    return steady(await Conductor(settings, environ=environ, redact=redact, packs=packs).run())


def steady(record: RunRecord) -> RunRecord:
    """The record without measured times and without the integrity hash, which any change of any corpus moves."""
    judgements = [
        msgspec.structs.replace(one, integrity=msgspec.structs.replace(one.integrity, hash=""))
        for one in record.judgements
    ]
    return msgspec.structs.replace(timeless(record), judgements=tuple(judgements))
