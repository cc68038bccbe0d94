"""What may be published about whom: `publish.yaml`, a small file beside the runs.

    servers:
      files: { publish: false }
      notes: { embargo: 2031-03-01 }   # published from that day on

A server that the file does not name is published, unless a run of it was made with `publish.allowed: false` or with a
`publish.embargo` that has not ended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import date
from difflib import get_close_matches
from pathlib import Path

import msgspec
import yaml

from sealmark.errors import ConfigError
from sealmark.reading.shown import line
from sealmark.record.model import Setting

NAME = "publish.yaml"


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is said of one server. `embargo` is the first day on which it is published."""

    publish: bool = True
    embargo: date | None = None


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Entries by the server's name as its runs record it."""

    servers: dict[str, Entry] = {}

    def hides(self, server: str, today: date) -> bool:
        """Whether nothing may be said of a server yet, or at all."""
        entry = self.servers.get(server, _OPEN)
        return not entry.publish or (entry.embargo is not None and today < entry.embargo)

    def published(self, servers: Iterable[str], today: date) -> frozenset[str]:
        """Those of the servers of which something may be said."""
        return frozenset(server for server in servers if not self.hides(server, today))


_OPEN = Entry()


def load(paths: Iterable[Path]) -> Policy:
    """The policy beside these runs: the file in each folder given, or in the folder of each file given.

    Raises:
        ConfigError: a file that is no policy, or two files that say different things of one server.
    """
    found: dict[str, Entry] = {}
    folders = dict.fromkeys((path if path.is_dir() else path.parent) for path in paths)
    for path in (folder / NAME for folder in folders):
        if not path.is_file():
            continue
        for server, entry in _read(path).servers.items():
            if found.setdefault(server, entry) != entry:
                raise ConfigError([f"{path}: another {NAME} says something else of {line(server, 80)}"])
    return Policy(found)


def _read(path: Path) -> Policy:
    try:
        return msgspec.convert(yaml.safe_load(path.read_text("utf-8")) or {}, Policy)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, msgspec.ValidationError) as error:
        hint = "servers: { NAME: { publish: false } } or { embargo: 2031-03-01 }"
        raise ConfigError([f"{path}: {line(str(error), 300)}"], hint=hint) from None


def recorded(settings: Iterable[tuple[str, Iterable[Setting]]]) -> Policy:
    """What runs say of their servers by their own settings; of several that differ, the strictest.

    Args:
        settings: name of the server and recorded settings, for each run.
    """
    found: dict[str, Entry] = {}
    for server, rows in settings:
        values = {row.key: row.value for row in rows if row.key.startswith("publish.")}
        before = found.get(server, _OPEN)
        days = [day for day in (before.embargo, _day(values.get("publish.embargo"))) if day is not None]
        found[server] = Entry(before.publish and values.get("publish.allowed") is not False, max(days, default=None))
    return Policy(found)


def _day(value: object) -> date | None:
    """A recorded day; one that cannot be read lies far ahead, since something was to be kept back."""
    if value is None:
        return None
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        return date.max


def both(file: Policy, runs: Policy) -> Policy:
    """The file's word where it has one, else that of the runs."""
    return Policy({**runs.servers, **file.servers})


def unknown(policy: Policy, servers: Collection[str]) -> Mapping[str, str]:
    """Names in the policy that no run has, each with the name that was probably meant (or nothing).

    A misspelt name would publish what was to be kept back.
    """
    strange = [name for name in policy.servers if name not in servers]
    return {name: next(iter(get_close_matches(name, servers, n=1, cutoff=0.8)), "") for name in strange}


def check(policy: Policy, servers: Collection[str]) -> tuple[str, ...]:
    """Notes about names that no run has.

    Raises:
        ConfigError: such a name is close to one that runs have.
    """
    found = unknown(policy, servers)
    wrong = [
        f"{NAME}: no run is of {line(name, 80)}; did you mean {line(near, 80)}?" for name, near in found.items() if near
    ]
    if wrong:
        raise ConfigError(wrong, hint="A misspelt name would publish what is to be kept back.")
    return tuple(f"{NAME} names {line(name, 80)}, of which there is no run" for name in found)
