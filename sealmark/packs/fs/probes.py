"""The probes of this pack: controls inside the root, attacks, and what follows a call that may write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sealmark.check import Target
from sealmark.packs.fs.aims import WRITES, Aim, calling, inside
from sealmark.record.model import Call, Look, Probe, Restore

SPELLINGS = {"absolute": True, "relative": False}
"""Case of a control -> whether its path is absolute. The second is sent only when the first did not work."""

AFTER = (Look("outside"), Look("sandbox"), Restore("outside"), Restore("sandbox"))
"""What follows every call that may write: look at both sides, then put everything back."""


def controls(target: Target, aim: Aim, *, suffix: str = "") -> tuple[Probe, ...]:
    """Calls for which the aim's tool must work; their ids are the same for every aim of the tool and suffix."""
    made: list[Probe] = []
    for case, absolute in SPELLINGS.items():
        step = calling(target, aim, inside(aim, absolute=absolute))
        if step is not None:
            case += "+glob" if aim.suffix.endswith("+glob") else ""
            once = f"!{made[-1].id}" if made else ""
            made.append(
                target.probe(
                    "control",
                    case + suffix,
                    step,
                    *_after(aim),
                    tool=aim.tool.name,
                    why="inside the root",
                    requires=once,
                    resource="fs",
                )
            )
    return tuple(made)


def attack(target: Target, aim: Aim, case: str, step: Call, why: str, after: Iterable[Probe]) -> Probe:
    """A call that must not get out of the root, sent when one of the controls worked."""
    label = f"@{aim.use}" if aim.use in ("source", "destination") else ""
    return target.probe(
        "attack",
        case + label + aim.suffix,
        step,
        *_after(aim),
        tool=aim.tool.name,
        why=why,
        requires="|".join(probe.id for probe in after),
        resource="fs",
    )


def _after(aim: Aim) -> tuple[Look | Restore, ...]:
    return AFTER if aim.use in WRITES else ()


def once(probes: Iterable[Probe]) -> Iterator[Probe]:
    """Each probe the first time that its id comes."""
    seen: set[str] = set()
    for probe in probes:
        if probe.id not in seen:
            seen.add(probe.id)
            yield probe
