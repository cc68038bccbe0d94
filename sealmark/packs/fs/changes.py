"""What looks at the disk tell: what changed around the root, what changed in it, what was brought into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sealmark.check import Outcome

SECRETS_OUTSIDE = ("outside_secret", "sibling_secret", "home_secret", "link_secret")
"""Contents that belong outside."""

WRITTEN, REMOVED = ("created", "modified", "touched"), ("deleted",)
"""Kinds of change."""

_OWN = ("{sandbox_home}/", "{sandbox_tmp}/")
_FIXTURES = ("hello.txt", "data.csv", "data.json", "pixel.png", "book.xlsx", ".gitconfig")
_WORDS = {"created": "created", "modified": "changed", "deleted": "removed", "touched": "touched"}


def changes(outcome: Outcome, what: str) -> Iterator[Mapping[str, Any]]:
    """Every change that the probe's looks at `what` saw."""
    for look in outcome.looked(what):
        yield from look["changes"]


def changed_outside(outcome: Outcome, *kinds: str) -> list[str]:
    """What changed around the root, in words, of these kinds of change.

    In the server's own home and temporary directory only what it was asked for counts: the name `escaped`, a file that
    holds `{written}` and nothing else, or a file that the sandbox put there.
    """
    return [
        f"{_WORDS[change['change']]} {change['path']}"
        + (" with {written}" if "written" in change.get("holds", ()) else "")
        for change in changes(outcome, "outside")
        if change["change"] in kinds and (not change["path"].startswith(_OWN) or _asked_for(change))
    ]


def telling(*kinds: str) -> Callable[[Outcome], str]:
    """A function that says what changed around the root, the first three changes of these kinds."""
    return lambda outcome: "; ".join(changed_outside(outcome, *kinds)[:3])


def _asked_for(change: Mapping[str, Any]) -> bool:
    """Whether a change in the server's own directories is what a probe asked for, not the server's own doing."""
    path, after = change["path"], change["after"] or {}
    at_home = path.startswith(_OWN[0])
    copied = at_home and after.get("head", "").strip() == "{written}"
    return "escaped" in path or copied or (at_home and path.rsplit("/", 1)[-1] in _FIXTURES)


def changed_inside(outcome: Outcome) -> bool:
    """Whether a probe changed something in the root, which is what a control must do."""
    return any(True for _ in changes(outcome, "sandbox"))


def brought(outcome: Outcome) -> list[str]:
    """New or changed files of the root that hold a secret from outside, in words."""
    return [
        f"put {{{name}}} into {change['path']}"
        for change in changes(outcome, "sandbox")
        for name in change.get("holds", ())
        if name in SECRETS_OUTSIDE
    ]
