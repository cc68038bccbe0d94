"""The `shields` format: the badge as an endpoint document that a badge service can draw."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sealmark.record.model import RunRecord
from sealmark.report.badge import badge
from sealmark.report.options import Options


def render(runs: Sequence[RunRecord], options: Options) -> str:
    """The document as JSON text.

    Raises:
        UsageError: several servers.
    """
    label, message, colour = badge(runs)
    document = {"schemaVersion": 1, "label": label, "message": message, "color": colour}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
