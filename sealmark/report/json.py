"""The `json` format: the run record itself, or `{"runs": […]}` for several servers."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from sealmark.record import codec
from sealmark.record.model import RunRecord
from sealmark.report.options import Options


def render(runs: Sequence[RunRecord], options: Options) -> str:
    """The records as JSON text that `sealmark report`, `diff` and `verify` read back."""
    if len(runs) == 1:
        return codec.dump(runs[0]).decode()
    return (msgspec.json.format(msgspec.json.encode({"runs": list(runs)}), indent=1) + b"\n").decode()
