"""Writes docs/frames.md from the column tables."""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.frames.columns import ORDERED, Grain
from sealmark.frames.tables import DRIFT, GRAINS, PROBLEMS

INTRODUCTION = """# Frames

Every run, and every set of runs, is also a set of tidy pandas frames. Each has one grain: a row is one thing.

```python
import sealmark

runs = sealmark.load("runs/")                # files or folders; a sequence of Run
runs.packs.pivot_table(index="server", columns="pack", values="percent")
runs.only(servers="server-filesystem", packs="fs").checks
runs.frame("probes", columns=["server", "check", "elapsed_ms"])   # only these are read
runs[0].probes                               # one run has the same frames
runs.problems                                # files that could not be read
```

- Keys: `run_id` joins all frames; `pack`, `check`, `probe` narrow it down.
- A missing value is `NA`: nothing was recorded, or it does not apply. Only `run_id`, `server` and `server_version` are
  never missing, so that grouping by them loses no row.
- Verdicts, letters, severities and confidences are ordered: `runs.packs.query("grade < 'B'")` works.
- In the three large frames (`probes`, `observations`, `evidence`) names that repeat are categories; with pandas 2 pass
  `observed=True` when you group by them.
- No cell holds a list or a mapping: several values are joined by commas, and JSON stands as text.
- Texts that a server wrote show hidden and control characters as escapes (`\\x1b`, `\\u202e`), so that a frame can be
  printed. The raw bytes as kept are in the record: `runs[0].record`.
- An empty input gives the same columns with the same dtypes.
- These names are stable; later versions may add columns.

The column "from" is the path to the value: `run` is the record (docs/record.md), `judgement` its newest judgement, and
`verdict`, `grade`, `probe`, `tool` and so on are the parts of it that a row stands for.
"""


def render() -> str:
    """The page, as Markdown."""
    return "\n".join([INTRODUCTION, *(line for grain in (*GRAINS.values(), DRIFT, PROBLEMS) for line in _grain(grain))])


def _grain(grain: Grain) -> Iterator[str]:
    yield f"## {grain.name}"
    yield ""
    yield grain.about
    yield ""
    yield "| column | dtype | meaning | from |"
    yield "| --- | --- | --- | --- |"
    for column in grain.columns:
        order = " < ".join(f"`{name}`" for name in ORDERED.get(column.kind, ()))
        dtype = f"ordered category: {order}" if order else f"`{column.dtype.split(':')[0]}`"
        yield f"| `{column.name}` | {dtype} | {column.meaning} | `{column.source}` |"
    yield ""
