"""The types that a setting can have, and how a value from a file, a variable or a flag is read as one.

A type is data, so that reading, the JSON Schema and the documentation come from the same declaration. Reading
never raises: mistakes are collected as `Problem`, each with the path of the value at fault.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Literal

import msgspec

Path = tuple[str | int, ...]
"""Where a value stands: keys and list positions from the top of the configuration."""

Kind = Literal["bool", "int", "number", "text", "list", "map", "object", "scalar", "any"]


class Problem(msgspec.Struct, frozen=True):
    """One mistake: the path of the value (or, with `at_key`, of the key), what is wrong, what to type."""

    path: Path
    says: str
    at_key: bool = False


class Field(msgspec.Struct, frozen=True):
    """One key of an object."""

    name: str
    type: Type
    doc: str
    required: bool = False


class Type(msgspec.Struct, frozen=True):
    """The type of a value.

    `single` lets one bare value stand for a list of one. `fold` reads a choice in any case. `empty` allows an
    empty text or list. `pattern` is a regular expression that the whole text must match, `like` says so in
    words.
    """

    kind: Kind
    item: Type | None = None
    keys: Type | None = None
    fields: tuple[Field, ...] = ()
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    single: bool = False
    fold: bool = False
    empty: bool = True
    pattern: str = ""
    like: str = ""


BOOL = Type("bool")
TEXT = Type("text")
SCALAR = Type("scalar")
ANY = Type("any")


def integer(minimum: float | None = None, maximum: float | None = None) -> Type:
    """A whole number between two bounds, both included."""
    return Type("int", minimum=minimum, maximum=maximum)


def number(minimum: float | None = None, maximum: float | None = None) -> Type:
    """A number between two bounds, both included."""
    return Type("number", minimum=minimum, maximum=maximum)


def choice(*choices: str, fold: bool = False) -> Type:
    """One of a few words; with `fold`, in any case."""
    return Type("text", choices=choices, fold=fold)


def text(pattern: str = "", like: str = "", *, empty: bool = True) -> Type:
    """A text; `pattern` must match all of it, and `like` tells in words what is expected."""
    return Type("text", pattern=pattern, like=like, empty=empty)


def list_of(item: Type, *, single: bool = False, empty: bool = True) -> Type:
    """A list; with `single`, one bare value is read as a list of one."""
    return Type("list", item=item, single=single, empty=empty)


def map_of(item: Type, keys: Type | None = None) -> Type:
    """A mapping from names of the user's choice, each of the type `keys`, to values of one type."""
    return Type("map", item=item, keys=keys)


def record(*fields: Field) -> Type:
    """An object with these keys and no others."""
    return Type("object", fields=fields)


def plain(type_: Type) -> bool:
    """Whether a value can be written on one line, as a variable or a flag needs it."""
    if type_.kind == "list":
        return type_.item is not None and type_.item.kind not in ("object", "map", "list", "any")
    return type_.kind not in ("object", "map", "any")


def describe(type_: Type) -> str:
    """The type in words, as error messages and the documentation say it."""
    if type_.choices:
        return "one of " + ", ".join(type_.choices)
    if type_.kind == "list":
        assert type_.item is not None
        return f"a list of {_plural(type_.item)}"
    if type_.kind == "map":
        assert type_.item is not None
        return f"a mapping from names to {_plural(type_.item)}"
    words = {
        "bool": "true or false",
        "int": "a whole number",
        "number": "a number",
        "text": "text",
        "object": "a mapping with the keys " + ", ".join(field.name for field in type_.fields),
        "scalar": "text, a number, true or false",
        "any": "any value",
    }[type_.kind]
    if type_.like:
        words = type_.like
    return words + _bounds(type_)


def _plural(type_: Type) -> str:
    if type_.choices:
        return "words (" + ", ".join(type_.choices) + ")"
    plurals = {"text": "texts", "int": "whole numbers", "number": "numbers", "bool": "true or false"}
    if type_.kind == "object":
        return "mappings with the keys " + ", ".join(field.name for field in type_.fields)
    return plurals.get(type_.kind, "values")


def _bounds(type_: Type) -> str:
    low, high = type_.minimum, type_.maximum
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    if low is not None:
        return f", at least {low:g}"
    return f", at most {high:g}" if high is not None else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the closest known word, or nothing."""
    names = list(dict.fromkeys(known))
    squeezed = {re.sub(r"[^a-z0-9]", "", name.lower()): name for name in names}
    same = squeezed.get(re.sub(r"[^a-z0-9]", "", word.lower()))
    close = [same] if same else get_close_matches(word, names, n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


class Reader:
    """Reads values as types and collects what is wrong with them.

    Args:
        written: the text of a scalar as the file has it, so that `version: 1.10` stays `1.10`; None when
        unknown.

    Attributes:
        problems: mistakes found so far.
        notes: sentences that the user should see once, with the path they are about.
        hide: leave values out of the messages, since they are secret.
    """

    def __init__(self, written: Callable[[Path], str | None] = lambda path: None) -> None:
        self.written = written
        self.hide = False
        self.problems: list[Problem] = []
        self.notes: list[Problem] = []

    def wrong(self, path: Path, says: str, *, at_key: bool = False) -> None:
        """Note a mistake."""
        self.problems.append(Problem(path, says, at_key))

    def read(self, type_: Type, value: Any, path: Path) -> Any:
        """`value` as `type_`; on a mistake the problem is noted and None returned."""
        match type_.kind:
            case "any":
                return _frozen(value)
            case "bool":
                return value if isinstance(value, bool) else self._not(type_, value, path)
            case "int" | "number":
                return self._number(type_, value, path)
            case "text":
                return self._text(type_, value, path)
            case "scalar":
                return value if isinstance(value, bool | int | float | str) else self._not(type_, value, path)
            case "list":
                return self._list(type_, value, path)
            case "map":
                return self._map(type_, value, path)
            case "object":
                return self._object(type_, value, path)

    def _not(self, type_: Type, value: Any, path: Path) -> Any:
        """Note that `value` is not of the type, and give None in its place."""
        hint = "" if not type_.choices or not isinstance(value, str) else did_you_mean(value, type_.choices)
        self.wrong(path, f"{name_of(path)} must be {describe(type_)}, not {self._seen(value)}{hint}")
        return None

    def _seen(self, value: Any) -> str:
        return "what is given" if self.hide and isinstance(value, str | int | float) else _shown(value)

    def _number(self, type_: Type, value: Any, path: Path) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            return self._not(type_, value, path)
        if type_.kind == "int":
            if isinstance(value, float) and not value.is_integer():
                return self._not(type_, value, path)
            value = int(value)
        low, high = type_.minimum, type_.maximum
        if (low is not None and value < low) or (high is not None and value > high):
            return self._not(type_, value, path)
        return value

    def _text(self, type_: Type, value: Any, path: Path) -> Any:
        if not isinstance(value, str):
            if isinstance(value, list | tuple | Mapping) or value is None:
                return self._not(type_, value, path)
            written = self.written(path)
            value = written if written is not None else _shown(value)
        if type_.choices and value not in type_.choices:
            folded = [word for word in type_.choices if word.lower() == value.lower()] if type_.fold else []
            if not folded:
                return self._not(type_, value, path)
            self.notes.append(Problem(path, f"{name_of(path)}: {value!r} is read as {folded[0]!r}"))
            return folded[0]
        if (not value and not type_.empty) or "\0" in value:
            self.wrong(path, f"{name_of(path)} must not {'hold a NUL' if value else 'be empty'}")
            return None
        if type_.pattern and re.fullmatch(type_.pattern, value) is None:
            return self._not(type_, value, path)
        return str(value)

    def _list(self, type_: Type, value: Any, path: Path) -> Any:
        assert type_.item is not None
        if not isinstance(value, list | tuple):
            if not type_.single or value is None or isinstance(value, Mapping):
                return self._not(type_, value, path)
            item = self.read(type_.item, value, path)
            return None if item is None else (item,)
        if not value and not type_.empty:
            self.wrong(path, f"{name_of(path)} must not be empty")
            return None
        before = len(self.problems)
        items = tuple(self.read(type_.item, item, (*path, index)) for index, item in enumerate(value))
        return items if len(self.problems) == before else None

    def _map(self, type_: Type, value: Any, path: Path) -> Any:
        assert type_.item is not None
        if not isinstance(value, Mapping):
            return self._not(type_, value, path)
        before = len(self.problems)
        for name in value:
            self.key(type_, str(name), (*path, str(name)))
        found = {str(name): self.read(type_.item, item, (*path, str(name))) for name, item in value.items()}
        return found if len(self.problems) == before else None

    def key(self, type_: Type, name: str, path: Path) -> None:
        """Note when a map's key is not as its type wants it."""
        if type_.keys is not None and re.fullmatch(type_.keys.pattern, name) is None:
            self.wrong(path, f"{name_of(path[:-1])}: {name!r} is not {type_.keys.like}", at_key=True)

    def _object(self, type_: Type, value: Any, path: Path) -> Any:
        if not isinstance(value, Mapping):
            return self._not(type_, value, path)
        fields = {field.name: field for field in type_.fields}
        before, found = len(self.problems), {}
        for name, item in value.items():
            if name not in fields:
                says = f"unknown key {name!r} in {name_of(path)}{did_you_mean(str(name), fields)}"
                self.wrong((*path, str(name)), says + f" (it takes {', '.join(fields)})", at_key=True)
            elif item is not None:
                found[str(name)] = self.read(fields[name].type, item, (*path, str(name)))
        for field in type_.fields:
            if field.required and field.name not in value:
                self.wrong(path, f"{name_of(path)} needs the key {field.name!r}: {field.doc}")
        return found if len(self.problems) == before else None


def name_of(path: Path) -> str:
    """A path as messages show it: `server.args[2]`."""
    shown = ""
    for part in path:
        if isinstance(part, int):
            shown += f"[{part}]"
        else:
            word = part if re.fullmatch(r"[\w-]+", part, re.ASCII) else repr(part)
            shown += f".{word}" if shown else word
    return shown or "the configuration"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    shown = repr(value) if isinstance(value, str) else str(value)
    return shown if len(shown) <= 60 else shown[:59] + "…"


def _frozen(value: Any) -> Any:
    """`value` with its lists as tuples."""
    if isinstance(value, Mapping):
        return {str(key): _frozen(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_frozen(item) for item in value)
    return value


_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def from_text(type_: Type, written: str, *, comma: bool = True) -> Any:
    """A variable's or a flag's text as the value that a file would hold; what does not fit stays text.

    Lists are separated by commas, or written as JSON when an item holds a comma.
    """
    stripped = written.strip()
    match type_.kind:
        case "bool":
            return _WORDS.get(stripped.lower(), written)
        case "int" | "number":
            try:
                return int(stripped) if re.fullmatch(r"[+-]?\d+", stripped) else float(stripped)
            except ValueError:
                return written
        case "list" if comma and type_.item is not None:
            if stripped.startswith("["):
                try:
                    return msgspec.json.decode(stripped.encode())
                except msgspec.DecodeError:
                    return written
            return [from_text(type_.item, item.strip()) for item in stripped.split(",") if item.strip()]
        case _:
            return written
