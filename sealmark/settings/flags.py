"""Command-line flags as a layer. Names are those of the flags, without dashes and with underscores (`timeout_probe`).

Most flags come from the table. A few set more than one setting, or take apart what they are given; these are
here. The Python API uses the same names.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from sealmark.settings.layers import Layer, Line, Origin, Value, entry_key, merge
from sealmark.settings.table import Setting, by_key, table
from sealmark.settings.types import Reader, from_text


class ExtraFlag(msgspec.Struct, frozen=True):
    """A flag that is no single setting. `sets` names the settings it gives; none: the command itself reads it.

    Without a `metavar` it takes no value.
    """

    name: str
    doc: str
    metavar: str = ""
    repeat: bool = False
    sets: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


EXTRA = (
    ExtraFlag(
        "--config",
        "The project's configuration. Default: sealmark.yaml, and sealmark.local.yaml beside it.",
        "FILE",
        commands=("run", "plan", "inventory", "doctor", "config show"),
    ),
    ExtraFlag(
        "--no-config",
        "Leave sealmark.yaml and sealmark.local.yaml out, even if they are here.",
        commands=("run", "plan", "inventory", "doctor", "config show"),
    ),
    ExtraFlag(
        "--server",
        "With `servers:` in the configuration, the entry to use, or all.",
        "NAME",
        commands=("run", "plan", "inventory", "doctor", "config show"),
    ),
    ExtraFlag(
        "--replay",
        "Run with the settings of an earlier JSON report that decide a grade, after checking its configuration hash.",
        "FILE",
        commands=("run", "plan"),
    ),
    ExtraFlag(
        "--fixture",
        "Run nothing: write what a sandbox holds, for runs by hand (fs, git or sqlite), into the folder of --into.",
        "KIND",
        commands=("run",),
    ),
    ExtraFlag(
        "--into",
        "Where --fixture writes. Default: sealmark-fixtures. An earlier fixture is not written over.",
        "DIR",
        commands=("run",),
    ),
    ExtraFlag(
        "--start",
        "The command line that starts the server. Not run through a shell: no && and no NAME=value.",
        "COMMAND",
        sets=("server.command", "server.args"),
    ),
    ExtraFlag(
        "--header",
        "An HTTP header for --url, as 'Name: value'. ${VAR} in single quotes stays out of the process list.",
        "HEADER",
        repeat=True,
        sets=("server.headers",),
    ),
    ExtraFlag(
        "--bearer",
        "Short for --header 'Authorization: Bearer TOKEN'. Write '${MCP_TOKEN}' in single quotes.",
        "TOKEN",
        sets=("server.headers",),
    ),
    ExtraFlag(
        "--header-env",
        "An HTTP header whose value is a variable of yours, as 'Name=VARIABLE'.",
        "NAME=VARIABLE",
        repeat=True,
        sets=("server.headers",),
    ),
    ExtraFlag(
        "--bearer-env",
        "The variable of yours that holds the bearer token.",
        "VARIABLE",
        sets=("server.headers",),
    ),
)
"""Flags beside the table's, in the order of the help."""

STAGES: Mapping[str, frozenset[str]] = {
    "run": frozenset({"gather", "judge", "output"}),
    "survey": frozenset({"gather", "judge"}),
    "plan": frozenset({"gather", "judge"}),
    "inventory": frozenset({"gather"}),
    "doctor": frozenset({"gather"}),
    "regrade": frozenset({"judge", "output"}),
    "config show": frozenset({"gather", "judge", "output"}),
}
"""Command -> the stages whose settings it takes as flags."""


_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class FromFlags(msgspec.Struct, frozen=True):
    """The layer, the mistakes, and what the user should know."""

    layer: Layer
    problems: tuple[Line, ...] = ()
    notes: tuple[Line, ...] = ()


def parameter(flag: str) -> str:
    """The parameter name of a flag: `--timeout-probe` -> `timeout_probe`."""
    return flag.lstrip("-").replace("-", "_")


def flagged(command: str) -> Iterator[Setting]:
    """The rows whose flags a command takes."""
    stages = STAGES[command]
    yield from (row for row in table() if row.flag is not None and row.affects in stages)


def extra_flags(command: str) -> Iterator[ExtraFlag]:
    """The flags beside the table's that a command takes."""
    gathers = "gather" in STAGES[command]
    yield from (flag for flag in EXTRA if command in flag.commands or (gathers and flag.sets))


def flags_layer(given: Mapping[str, Any]) -> FromFlags:
    """The settings that flags give.

    Args:
        given: parameter name -> what was given: text, a number, true, or a list of texts. None and empty
        lists count
            as not given; a name that is no flag of a setting is left to the command.
    """
    reading = _Reading()
    for row in table():
        flag = row.flag
        if flag is None:
            continue
        if flag.off and flag.off != flag.name:
            value = given.get(parameter(flag.off))
            if value:
                reading.put(row, flag.off, False)
        if flag.name:
            value = given.get(parameter(flag.name))
            if value is not None and value != () and value != [] and not (flag.constant and value is False):
                reading.put(row, flag.name if value is not False else flag.off or flag.name, _as_given(row, value))
    reading.start(given.get("start"))
    reading.headers(given.get("header"), given.get("bearer"))
    reading.from_variables(given.get("header_env"), given.get("bearer_env"))
    return FromFlags(reading.layer, tuple(reading.problems), tuple(reading.notes))


def _as_given(row: Setting, value: Any) -> Any:
    """A flag's text or texts as the value that a file would hold."""
    flag = row.flag
    assert flag is not None
    if flag.constant is not None and value is True:
        return flag.constant
    if row.type.kind == "list":
        texts = [value] if isinstance(value, str) else list(value)
        if flag.pair is not None:
            return [_pair(flag.pair, text) for text in texts]
        parts = [part.strip() for text in texts for part in (str(text).split(",") if flag.comma else [str(text)])]
        return [part for part in parts if part]
    return from_text(row.type, value) if isinstance(value, str) else value


def _pair(names: tuple[str, str], text: Any) -> Any:
    if not isinstance(text, str):
        return text
    left, _, right = text.partition("=")
    return {names[0]: left.strip(), names[1]: right.strip()}


class _Reading:
    """Collects the layer of the flags."""

    def __init__(self) -> None:
        self.layer = Layer()
        self.problems: list[Line] = []
        self.notes: list[Line] = []

    def put(self, row: Setting, flag: str, value: Any, entry: str = "") -> None:
        """Read one value as its setting's type and add it."""
        origin = Origin("flag", flag)
        reader = Reader()
        reader.hide = row.secret
        type_ = row.type.item if entry and row.type.item else row.type
        if entry:
            reader.key(row.type, entry, (*row.path, entry))
        read = reader.read(type_, value, (*row.path, entry) if entry else row.path)
        self.problems += [(origin, problem.says) for problem in reader.problems]
        self.notes += [(origin, note.says) for note in reader.notes]
        if read is None or reader.problems:
            return
        if row.merge == "append":
            added = Layer(appends={row.key: tuple(Value(item, origin) for item in dict.fromkeys(read))})
        else:
            added = Layer({entry_key(row, row.entry_name(entry)) if entry else row.key: Value(read, origin)})
        self.layer = merge(self.layer, added)

    def wrong(self, flag: str, says: str) -> None:
        """Note a mistake."""
        self.problems.append((Origin("flag", flag), says))

    def start(self, line: str | None) -> None:
        """`--start`: the program and its arguments."""
        if line is None:
            return
        try:
            words = shlex.split(line)
        except ValueError:
            return self.wrong("--start", f"a quote is not closed in {line!r}")
        if not words:
            return self.wrong("--start", "the command line is empty")
        shell = next((word for word in words if word in ("&&", "||", "|", ";", "&", ">", "<", "2>&1")), "")
        if shell or re.match(r"[A-Za-z_][A-Za-z0-9_]*=", words[0]):
            what = f"{shell!r} needs a shell" if shell else f"{words[0].partition('=')[0]}=… needs a shell"
            return self.wrong("--start", f"{what}, and none is used; write --start \"sh -c '…'\"")
        self.put(by_key()["server.command"], "--start", words[0])
        self.put(by_key()["server.args"], "--start", words[1:])

    def headers(self, headers: Iterable[str] | None, bearer: str | None) -> None:
        """`--header` and `--bearer`."""
        row = by_key()["server.headers"]
        for header in [headers] if isinstance(headers, str) else headers or ():
            name, colon, value = header.partition(":")
            if not colon or not name.strip():
                self.wrong("--header", "a header is written as 'Name: value'")
            else:
                self.put(row, "--header", value.strip(), name.strip())
        if bearer is not None:
            self.put(row, "--bearer", f"Bearer {bearer}", "Authorization")

    def from_variables(self, headers: Iterable[str] | None, bearer: str | None) -> None:
        """`--header-env` and `--bearer-env`: the value stays a reference, so no record holds it."""
        row = by_key()["server.headers"]
        for header in [headers] if isinstance(headers, str) else headers or ():
            name, equals, variable = header.partition("=")
            if not equals or not name.strip() or not _VARIABLE.fullmatch(variable.strip()):
                self.wrong("--header-env", "a header of a variable is written as 'Name=VARIABLE'")
            else:
                self.put(row, "--header-env", f"${{{variable.strip()}}}", name.strip())
        if bearer is not None and not _VARIABLE.fullmatch(bearer.strip()):
            self.wrong("--bearer-env", "it takes the name of a variable; --bearer takes a token")
        elif bearer is not None:
            self.put(row, "--bearer-env", f"Bearer ${{{bearer.strip()}}}", "Authorization")
