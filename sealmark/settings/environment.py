"""`SEALMARK_*` variables as a layer: two underscores nest, values are read by the setting's type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

import msgspec

from sealmark.settings.layers import Layer, Line, Origin, Value, entry_key
from sealmark.settings.table import DEPRECATED, Setting, table
from sealmark.settings.types import Reader, did_you_mean, from_text

IGNORED = re.compile(r"SEALMARK_(?:CANARY|FAKE)(?:_[A-Z0-9_]*)?")
"""Variables that the harness itself gives to a server under test."""


class FromEnvironment(msgspec.Struct, frozen=True):
    """The layer, the mistakes, and what the user should know."""

    layer: Layer
    problems: tuple[Line, ...] = ()
    notes: tuple[Line, ...] = ()


def environment_layer(environ: Mapping[str, str]) -> FromEnvironment:
    """The settings that variables give. An empty variable counts as not set; `null` restores the default."""
    values: dict[str, Value] = {}
    appends: dict[str, tuple[Value, ...]] = {}
    resets: dict[str, Origin] = {}
    problems: list[Line] = []
    notes: list[Line] = []
    for variable in sorted(name for name in environ if name.startswith("SEALMARK_")):
        text = environ[variable]
        if not text or IGNORED.fullmatch(variable):
            continue
        origin = Origin("variable", variable)
        found = _row_of(variable)
        if found is None:
            ignored = _ignored(variable)
            (notes if ignored else problems).append((origin, ignored or _unknown(variable)))
            continue
        row, entry = found
        key = entry_key(row, entry) if entry else row.key
        if text.strip() == "null":
            resets[key] = origin
            continue
        reader = Reader()
        reader.hide = row.secret
        type_ = row.type.item if entry and row.type.item else row.type
        if entry:
            reader.key(row.type, entry, (*row.path, entry))
        read = reader.read(type_, from_text(type_, text), tuple(row.path) + ((entry,) if entry else ()))
        problems += [(origin, problem.says) for problem in reader.problems]
        notes += [(origin, note.says) for note in reader.notes]
        if reader.problems or read is None:
            continue
        if row.merge == "append":
            appends[key] = tuple(Value(item, origin) for item in dict.fromkeys(read))
        else:
            values[key] = Value(read, origin)
    return FromEnvironment(Layer(values, appends, resets), tuple(problems), tuple(notes))


@cache
def _variables() -> Mapping[str, Setting]:
    found = {row.variable: row for row in table() if row.variable}
    for row in table():
        for alias in row.aliases if row.variable else ():
            found["SEALMARK_" + alias.replace(".", "__").upper()] = row
    return found


def _row_of(variable: str) -> tuple[Setting, str] | None:
    """The setting of a variable, and the entry's name when the setting is a map."""
    row = _variables().get(variable)
    if row is not None:
        return row, ""
    for name, row in _variables().items():
        prefix = name.removesuffix("<NAME>")
        if row.is_map and variable.startswith(prefix) and variable != prefix:
            entry = variable.removeprefix(prefix)
            return row, entry if row.key == "server.env" else row.entry_name(entry.lower())
    return None


def _ignored(variable: str) -> str:
    for old, why in DEPRECATED.items():
        name = "SEALMARK_" + old.replace(".", "__").upper()
        if variable == name or variable.startswith(name + "__"):
            return f"ignored: {why}"
    return ""


def _unknown(variable: str) -> str:
    settable = [row for row in table() if "SEALMARK_" + row.key.replace(".", "__").upper() == variable]
    if settable and settable[0].flag_only and settable[0].flag:
        return f"{settable[0].key} can only be given on the command line: {settable[0].flag.name}"
    if settable:
        return f"{settable[0].key} is too large for a variable; set it in a file"
    short = [name.removeprefix("SEALMARK_") for name in _variables()]
    hint = did_you_mean(variable.removeprefix("SEALMARK_"), short).replace(" '", " 'SEALMARK_")
    return f"no setting has this variable{hint or '; docs/settings.md lists them'}"
