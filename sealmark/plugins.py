"""Packs and checks of the user's own: Python modules that the configuration names, imported, looked at and hashed.

A module is imported only because somebody named it: in `plugins:` or with `--plugin`, never because a record or an
installed package mentions it. It exports `PACKS`, a tuple of `sealmark.check.Pack`, or `CHECKS`, a tuple of
(pack id, `sealmark.check.Check`) that join a pack of this build, or both.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from sealmark import corpora
from sealmark.check import Check, Pack
from sealmark.errors import ConfigError
from sealmark.packs import PACKS
from sealmark.settings import Settings
from sealmark.settings.integrity import Build
from sealmark.settings.layers import Line, Origin
from sealmark.settings.methodology import current
from sealmark.settings.types import did_you_mean

_ID = re.compile(r"[a-z0-9][a-z0-9-]*")
_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_OF_EVERY_CHECK: Mapping[str, Callable[[Any], bool]] = {
    "enabled": lambda value: isinstance(value, bool),
    "severity": lambda value: value in ("critical", "scored", "advisory"),
}


class Plugins(msgspec.Struct, frozen=True):
    """What a run is made with.

    Attributes:
        packs: the packs of this build with the plugins' checks in them, then the plugins' own.
        digests: module -> SHA-256 of its source.
        checks: ids of the plugins' checks.
    """

    packs: tuple[Pack, ...] = PACKS
    digests: Mapping[str, str] = {}
    checks: tuple[str, ...] = ()

    @property
    def build(self) -> Build:
        """What the running code is made of, for the comparison with the standard."""
        revisions = {check.id: check.revision for pack in self.packs for check in pack.checks}
        return Build(corpora.digest(), revisions, self.digests)

    def check(self, check_id: str) -> Check | None:
        """A check by its id."""
        return next((check for pack in self.packs for check in pack.checks if check.id == check_id), None)


def names_plugins(data: Mapping[str, Any]) -> bool:
    """Whether a parsed configuration file names plugins anywhere."""
    sections = [data.get("servers"), data.get("profiles")]
    bodies = [body for section in sections if isinstance(section, Mapping) for body in section.values()]
    return any(isinstance(body, Mapping) and body.get("plugins") for body in (data, *bodies))


def load_plugins(settings: Settings) -> Plugins:
    """Import the modules under `plugins:`, and check what the configuration says of their checks.

    Modules that are not installed are looked for beside the file that names them.

    Raises:
        ConfigError: one line for each module that cannot be used and each setting of an unknown check.
    """
    found, problems = _loaded(list(zip(settings["plugins"], settings.origins("plugins"), strict=True)))
    problems += _setting_problems(settings, found)
    if problems:
        raise ConfigError([f"{origin.position}: {says}" for origin, says in problems])
    return found


def named_plugins(names: Iterable[str]) -> Plugins:
    """The same for modules that a caller names; those that are not installed are looked for in the working directory.

    Raises:
        ConfigError: one line for each that cannot be used.
    """
    found, problems = _loaded([(name, Origin("flag", "--plugin")) for name in names])
    if problems:
        raise ConfigError([f"{origin.position}: {says}" for origin, says in problems])
    return found


def _loaded(named: Sequence[tuple[str, Origin]]) -> tuple[Plugins, list[Line]]:
    """The packs with those of every module that can be used, and what is wrong with the others."""
    packs, digests, own = PACKS, dict[str, str](), list[str]()
    problems: list[Line] = []
    for name, origin in named:
        try:
            module = _imported(name, Path(origin.where).parent if origin.line else Path())
            joined, fresh = _joined(packs, module)
        except _Unusable as why:
            problems.append((origin, f"the plugin {name!r} {why}"))
            continue
        packs, digests[name] = joined, source_digest(module)
        own += fresh
    return Plugins(packs, digests, tuple(own)), problems


class _Unusable(Exception):
    """Why a module is no plugin, in words that follow its name."""


def _imported(name: str, directory: Path) -> ModuleType:
    if not _MODULE.fullmatch(name):
        raise _Unusable("is no name of a module; write it as in an import: package.module")
    where = str(directory.resolve())
    if where not in sys.path:
        sys.path.append(where)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            hint = f"install it, or put it beside the configuration ({_display(directory)})"
            raise _Unusable(f"is not installed; {hint}") from None
        raise _Unusable(f"needs the module {error.name!r}, which is not installed") from None
    except Exception as error:
        raise _Unusable(f"fails when it is imported: {type(error).__name__}: {str(error)[:200]}") from None


def _display(directory: Path) -> str:
    return "the working directory" if directory.resolve() == Path.cwd() else directory.name


def _joined(packs: tuple[Pack, ...], module: ModuleType) -> tuple[tuple[Pack, ...], list[str]]:
    """The packs with what a module exports, and the ids of its checks."""
    exported, joining = getattr(module, "PACKS", ()), getattr(module, "CHECKS", ())
    if not exported and not joining:
        raise _Unusable("exports neither PACKS (packs) nor CHECKS (pairs of a pack's id and a check)")
    known = {check.id for pack in packs for check in pack.checks}
    known |= {check.id for pack in current().packs for check in pack.checks}
    taken = {pack.id for pack in packs} | {row.id for row in current().packs}
    fresh: list[str] = []
    for pack in _each(exported, "PACKS"):
        if not isinstance(pack, Pack) or not _ID.fullmatch(pack.id) or pack.id in taken:
            raise _Unusable(f"exports a pack that cannot be used: {_named(pack)} is no Pack, or its id is taken")
        fresh += [_fresh(check, known | set(fresh)) for check in pack.checks]
        taken.add(pack.id)
        packs = (*packs, dataclasses.replace(pack, status="custom"))
    for entry in _each(joining, "CHECKS"):
        if not isinstance(entry, tuple | list) or len(entry) != 2:
            raise _Unusable("exports CHECKS that are no pairs of a pack's id and a check")
        pack_id, check = entry
        fresh.append(_fresh(check, known | set(fresh)))
        packs = _with_check(packs, pack_id, check)
    return packs, fresh


def _with_check(packs: tuple[Pack, ...], pack_id: Any, check: Check) -> tuple[Pack, ...]:
    ids = [pack.id for pack in packs]
    if pack_id not in ids:
        close = did_you_mean(str(pack_id), ids)
        raise _Unusable(f"adds a check to the pack {pack_id!r}, which this build does not have{close}")
    joined = list(packs)
    at = ids.index(pack_id)
    joined[at] = dataclasses.replace(packs[at], checks=(*packs[at].checks, check))
    return tuple(joined)


def _each(exported: Any, name: str) -> Sequence[Any]:
    if not isinstance(exported, tuple | list):
        raise _Unusable(f"exports {name} that are no tuple")
    return exported


def _fresh(check: Any, known: set[str]) -> str:
    """The id of a check that may join."""
    if not isinstance(check, Check) or not _ID.fullmatch(check.id):
        raise _Unusable(f"exports a check that cannot be used: {_named(check)} is no Check with an id like my-check")
    if check.id in known:
        raise _Unusable(f"exports the check {check.id!r}, and there is one of that id already; give it another")
    return check.id


def _named(item: Any) -> str:
    return repr(getattr(item, "id", type(item).__name__))


def source_digest(module: ModuleType) -> str:
    """SHA-256 over a module's source; of a package, over every Python file in it (names and bytes, sorted)."""
    total = hashlib.sha256()
    folders = [Path(folder) for folder in getattr(module, "__path__", ())]
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    if not folders and module.__file__:
        files = [Path(module.__file__)]
    for path in files:
        name = path.name if not folders else path.relative_to(folders[0].parent).as_posix()
        total.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def _setting_problems(settings: Settings, plugins: Plugins) -> Iterable[Line]:
    """Settings under `checks:` that belong to no check of this build and to none of a plugin."""
    for key, value in settings["plugin_checks"].items():
        check_id, _, name = key.partition(".")
        origin = settings.origin(settings.entry("plugin_checks", key))
        check = plugins.check(check_id) if check_id in plugins.checks else None
        if check is None:
            known = [*plugins.checks, *(check.id for pack in current().packs for check in pack.checks)]
            yield origin, f"no check {check_id!r}, neither here nor in a plugin{did_you_mean(check_id, known)}"
            continue
        declared = [key.removeprefix(f"checks.{check_id}.") for key in check.settings]
        fits = _OF_EVERY_CHECK.get(name)
        if fits is None and name not in declared:
            known = [*_OF_EVERY_CHECK, *declared]
            yield origin, f"{check_id} has no setting {name!r}{did_you_mean(name, known)} (it has {', '.join(known)})"
        elif fits is not None and not fits(value):
            wanted = "true or false" if name == "enabled" else "critical, scored or advisory"
            yield origin, f"checks.{check_id}.{name} must be {wanted}"
