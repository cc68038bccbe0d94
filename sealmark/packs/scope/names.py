"""Identifiers inside and outside a declared scope, made from the declaration. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

INSIDE = "sm_inside"
"""A name below an allowed prefix, for controls."""


class Scope(NamedTuple):
    """What a server may serve: identifiers, and prefixes that end in the separator."""

    allow: Sequence[str]
    deny: Sequence[str] = ()
    separator: str = "."
    sensitive: bool = False

    @classmethod
    def of(cls, setting: Any) -> Scope:
        """The scope of a run, read by `Target.setting`."""
        case = setting("scope.case")
        return cls(
            tuple(setting("scope.allow") or ()),
            tuple(setting("scope.deny") or ()),
            setting("scope.separator"),
            case == "sensitive",
        )

    def holds(self, identifier: str) -> bool:
        """Whether an identifier is in scope."""

        def same(text: str) -> str:
            return text if self.sensitive else text.lower()

        def within(entry: str) -> bool:
            if entry.endswith(self.separator):
                return same(identifier).startswith(same(entry)) and len(identifier) > len(entry)
            return same(identifier) == same(entry)

        return any(map(within, self.allow)) and not any(map(within, self.deny))

    def inside(self) -> Iterator[str]:
        """Identifiers that are in scope: those that are named, then one below each prefix."""
        named = [entry for entry in self.allow if not entry.endswith(self.separator)]
        below = [f"{entry}{INSIDE}" for entry in self.allow if entry.endswith(self.separator)]
        return (name for name in (*named, *below) if self.holds(name))


Made = Mapping[str, str]
"""Case -> identifier."""


def outside(scope: Scope) -> Made:
    """Identifiers that are out of scope, by the case that they stand for; those that happen to be in scope are not."""
    sep = scope.separator
    prefix = next((entry for entry in scope.allow if entry.endswith(sep)), "")
    named = next((entry for entry in scope.allow if not entry.endswith(sep)), "")
    parts = (prefix or named).rstrip(sep).split(sep)
    foreign = sep.join([f"sm_{part}" for part in ("other", "schema", "place")[: max(1, len(parts))]] + ["sm_{}"])
    plain = {
        "elsewhere": foreign.format("elsewhere"),
        "sibling": sep.join([*parts[:-1], "sm_sibling_group", "sm_sibling"]) if prefix else _sibling(parts, sep),
        "container": sep.join(parts) if prefix else sep.join(parts[:-1]),
        "partial": "sm_partial",
        "prefix-without-separator": f"{sep.join(parts)}sm_glued",
        "upper-case": foreign.format("upper").upper(),
        "quoted": sep.join(f'"{part}"' for part in foreign.format("quoted").split(sep)),
        "encoded-separator": _encoded(foreign.format("encoded"), sep),
        "twice-encoded-separator": _encoded(foreign.format("twice"), sep, twice=True),
        "list": f"{next(scope.inside(), '')},{foreign.format('listed')}",
    }
    made = {case: name for case, name in plain.items() if name and not scope.holds(name)}
    if prefix:
        made["traversal"] = f"{prefix}../sm_traversal"
        made["traversal-by-separator"] = f"{prefix}{sep}{sep}{sep}sm_parent"
    return {**made, **_denied(scope), **_case(scope)}


def _sibling(parts: Sequence[str], sep: str) -> str:
    return sep.join([*parts[:-1], "sm_sibling"])


def _encoded(name: str, sep: str, *, twice: bool = False) -> str:
    code = "".join(f"%{byte:02X}" for byte in sep.encode())
    return name.replace(sep, code.replace("%", "%25") if twice else code)


def _denied(scope: Scope) -> Mapping[str, str]:
    """What is denied, in several spellings: most telling where a prefix that is allowed holds it."""
    made: dict[str, str] = {}
    sep = scope.separator
    for number, entry in enumerate(scope.deny, 1):
        name = f"{entry}sm_denied" if entry.endswith(sep) else entry
        made[f"denied-{number}"] = name
        if not scope.sensitive:
            made[f"denied-{number}-upper-case"] = name.upper()
        head, middle, last = name.rpartition(sep)
        if middle:
            made[f"denied-{number}-encoded-separator"] = f"{head}{_encoded(sep, sep)}{last}"
            made[f"denied-{number}-quoted"] = f'{head}{sep}"{last}"'
    return made


def _case(scope: Scope) -> Mapping[str, str]:
    """Where the backend tells upper from lower case, an allowed name in other case is another name."""
    name = next(scope.inside(), "")
    return {"other-case": name.swapcase()} if scope.sensitive and name.swapcase() != name else {}
