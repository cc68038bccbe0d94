"""What a column is, and how values become typed columns of a pandas frame.

pandas is imported inside functions only: importing this module costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, get_args

from sealmark.frames.keys import Only
from sealmark.reading.visible import visible
from sealmark.record.model import Lifecycle, Outcome, Role, RunRecord, Severity, Status, Tag

if TYPE_CHECKING:
    import pandas as pd

ORDERED: Mapping[str, tuple[str, ...]] = {
    "verdict": get_args(Tag),
    "letter": ("F", "D", "C", "B", "A"),
    "severity": tuple(reversed(get_args(Severity))),
    "confidence": ("low", "medium", "high"),
    "drift": ("info", "notable", "suspicious", "breaking"),
}
"""Ordered categories. Verdicts run from worst to best, `na` last; letters, severities, confidences and drift rise."""

FIXED: Mapping[str, tuple[str, ...]] = {
    "role": get_args(Role),
    "kind": ("result", "tool-error", *get_args(Outcome)[1:]),
    "outcome": get_args(Outcome),
    "status": get_args(Status),
    "lifecycle": get_args(Lifecycle),
    "pack_status": ("graded", "inconclusive", "not-applicable", "failed"),
    "transport": ("stdio", "http", "sse"),
    "era": ("legacy", "modern"),
}
"""Unordered categories whose members are known; the same in every frame, so that frames can be concatenated."""

PLAIN: Mapping[str, str] = {
    "string": "string",
    "text": "string",
    "name": "category",
    "boolean": "boolean",
    "integer": "Int64",
    "number": "Float64",
    "time": "datetime64[us, UTC]",
}
"""Kinds of column that are no category of their own, and their pandas dtype.

`text` keeps its newlines. `name` is a text that repeats on very many rows, kept once as a category.
"""

KEYS = ("run_id", "server", "server_version")
"""Columns whose empty text stays an empty text, so that grouping by them loses no row; elsewhere it is missing."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of one frame.

    `kind` is a key of `PLAIN`, `FIXED` or `ORDERED`; `source` is the path to the value from the frame's row.
    """

    name: str
    kind: str
    source: str
    meaning: str

    @property
    def dtype(self) -> str:
        """The pandas dtype in words."""
        if self.kind in ORDERED:
            return "ordered category: " + " < ".join(ORDERED[self.kind])
        if self.kind in FIXED:
            return "category: " + ", ".join(FIXED[self.kind])
        return PLAIN[self.kind]

    @property
    def categories(self) -> tuple[str, ...] | None:
        """The members of a category that is fixed in advance."""
        return ORDERED.get(self.kind) or FIXED.get(self.kind)


Rows = Callable[[RunRecord, Only], Iterable[Any]]


def _no_rows(run: RunRecord, only: Only) -> Iterable[Any]:
    return ()


@dataclass(frozen=True, slots=True)
class Grain:
    """One frame: what a row is, where rows come from, and its columns.

    `reads` names the fields of a record that the rows touch, as dotted paths. A frame that is not made of one record
    alone (`problems`, `drift`) has no rows here.
    """

    name: str
    about: str
    columns: tuple[Column, ...]
    rows: Rows = _no_rows
    reads: tuple[str, ...] = ()

    def only(self, names: Collection[str] | None) -> tuple[Column, ...]:
        """The columns of these names, in the table's order; all when None.

        Raises:
            KeyError: a name that the frame does not have.
        """
        if names is None:
            return self.columns
        unknown = set(names) - {column.name for column in self.columns}
        if unknown:
            raise KeyError(f"{self.name} has no column {', '.join(sorted(unknown))}")
        return tuple(column for column in self.columns if column.name in names)


def values(column: Column, rows: Sequence[Any]) -> list[Any]:
    """The plain values of one column. Texts are made visible; an empty text is None, but not in a key."""
    try:
        found = list(map(attrgetter(column.source), rows))
    except AttributeError:
        parts = column.source.split(".")
        found = [_walk(row, parts) for row in rows]
    if column.kind in ("boolean", "integer", "number", "time"):
        return found
    empty = "" if column.name in KEYS else None
    return _visible(found, "keep" if column.kind == "text" else "escape", empty)


def _visible(found: Iterable[str | None], newlines: str, empty: str | None) -> list[str | None]:
    """Texts as they may be shown. Most repeat, so each is looked at once."""
    known: dict[str | None, str | None] = {None: empty, "": empty}
    shown = []
    for value in found:
        if value not in known:
            plain = value.isascii() and value.isprintable()  # type: ignore[union-attr]
            known[value] = value if plain else visible(value, newlines=newlines)  # type: ignore[arg-type]
        shown.append(known[value])
    return shown


def _walk(row: Any, parts: Sequence[str]) -> Any:
    """The value at a path, or None as soon as something on it is None."""
    for part in parts:
        row = getattr(row, part)
        if row is None:
            return None
    return row


def series(column: Column, found: Sequence[Any]) -> pd.Series[Any]:
    """The values of one column as a series of the column's dtype."""
    import pandas as pd

    if column.categories is not None:
        dtype = pd.CategoricalDtype(list(column.categories), ordered=column.kind in ORDERED)
        array: Any = pd.Categorical(found, dtype=dtype)
    elif column.kind == "name":
        known = pd.Index(sorted({value for value in found if value is not None}), dtype="str")
        array = pd.Categorical(found, dtype=pd.CategoricalDtype(known))
    elif column.kind == "time":
        array = pd.to_datetime(list(found), utc=True, format="ISO8601", errors="coerce").as_unit("us")
    else:
        array = pd.array(list(found), dtype=PLAIN[column.kind])  # type: ignore[call-overload]
    return pd.Series(array, name=column.name)


class Builder:
    """Collects rows run by run and makes a frame of them; what a row was made from is let go at once."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._found: list[list[Any]] = [[] for _ in self._columns]

    def add(self, rows: Iterable[Any]) -> None:
        """Add rows."""
        every = list(rows)
        for column, found in zip(self._columns, self._found, strict=True):
            found += values(column, every)

    def frame(self) -> pd.DataFrame:
        """The frame, with exactly the columns asked for; without any row it has them too."""
        import pandas as pd

        pairs = zip(self._columns, self._found, strict=True)
        return pd.DataFrame({column.name: series(column, found) for column, found in pairs})


def frame(grain: Grain, rows: Iterable[Any], columns: Collection[str] | None = None) -> pd.DataFrame:
    """The rows as a frame with exactly the grain's columns, or those named."""
    builder = Builder(grain.only(columns))
    builder.add(rows)
    return builder.frame()
