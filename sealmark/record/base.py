"""What every record type shares: the base struct and the closed lists of words."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Tag = Literal["fail", "part", "inconclusive", "pass", "na"]
Role = Literal["control", "attack", "twin", "coverage", "fact"]
Severity = Literal["critical", "scored", "advisory"]
Lifecycle = Literal["standard", "candidate", "custom"]
Status = Literal["complete", "partial", "failed", "interrupted"]
Outcome = Literal["result", "error", "timeout", "closed", "limit", "unsent", "opened", "listing", "look", "done"]
Json = Any
"""A JSON value (object, array, string, number, boolean or null)."""


class Record(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True):
    """Base of every record type: frozen, camelCase in JSON, defaults left out, unknown fields refused."""
