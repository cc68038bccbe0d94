"""Between plain values, Arrow tables and pandas: what the columnar cache is made of.

pyarrow is an extra; it is imported inside functions only. A frame that came through Arrow equals one that did not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sealmark.errors import MissingExtra
from sealmark.frames.columns import ORDERED, PLAIN, Column, values
from sealmark.frames.keys import Only

if TYPE_CHECKING:
    import pandas as pd


def available() -> bool:
    """Whether pyarrow is installed."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


def need(what: str) -> None:
    """Raise when pyarrow is missing.

    Raises:
        MissingExtra: names the extra to install.
    """
    if not available():
        raise MissingExtra(what, "parquet")


def arrow_type(column: Column) -> Any:
    """The Arrow type of a column; categories are dictionaries."""
    import pyarrow as pa

    plain = {
        "boolean": pa.bool_(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "time": pa.timestamp("us", tz="UTC"),
        "string": pa.large_string(),
        "text": pa.large_string(),
    }
    return plain.get(column.kind) or pa.dictionary(pa.int32(), pa.string(), ordered=column.kind in ORDERED)


def table(columns: Sequence[Column], rows: Iterable[Any]) -> Any:
    """The rows as an Arrow table of these columns."""
    import pyarrow as pa

    every = list(rows)
    return pa.Table.from_arrays([_array(c, values(c, every)) for c in columns], schema=schema(columns))


def schema(columns: Sequence[Column]) -> Any:
    """The Arrow schema of columns."""
    import pyarrow as pa

    return pa.schema([(column.name, arrow_type(column)) for column in columns])


def _array(column: Column, found: Sequence[Any]) -> Any:
    import pyarrow as pa

    if column.kind == "time":
        import pandas as pd

        times = pd.to_datetime(list(found), utc=True, format="ISO8601", errors="coerce").as_unit("us")
        return pa.array(times, type=arrow_type(column))
    kind = arrow_type(column)
    if pa.types.is_dictionary(kind):
        coded = pa.array(found, type=pa.string()).dictionary_encode()
        return pa.DictionaryArray.from_arrays(coded.indices, coded.dictionary, ordered=kind.ordered)
    return pa.array(found, type=kind)


class Block(NamedTuple):
    """An Arrow table of the rows of several runs, and how many rows each of them has, in order."""

    table: Any
    rows: Sequence[int]


def arrange(blocks: Sequence[Block], wanted: Sequence[tuple[int, int]]) -> Any:
    """The rows of the wanted runs, each named by its block and its place there, in that order, as one table."""
    import numpy as np
    import pyarrow as pa

    ends = np.cumsum(np.fromiter((count for block in blocks for count in block.rows), dtype=np.int64))
    first = np.cumsum([0, *(len(block.rows) for block in blocks)])
    runs = np.fromiter((first[block] + run for block, run in wanted), dtype=np.int64, count=len(wanted))
    joined = pa.concat_tables([block.table for block in blocks])
    if not len(runs):
        return joined.slice(0, 0)
    starts = np.concatenate([[0], ends[:-1]])
    if np.array_equal(runs, np.arange(runs[0], runs[0] + len(runs))):
        return joined.slice(starts[runs[0]], ends[runs[-1]] - starts[runs[0]])
    return joined.take(pa.array(np.concatenate([np.arange(starts[run], ends[run]) for run in runs])))


def limited(arrow: Any, only: Only) -> Any:
    """The rows of the wanted packs and checks, where the table has such columns."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name, wanted in (("pack", only.packs), ("check", only.checks)):
        if wanted is not None and name in arrow.column_names:
            values = arrow.column(name)
            plain = values.cast(pa.string()) if pa.types.is_dictionary(values.type) else values
            arrow = arrow.filter(pc.is_in(plain, value_set=pa.array(sorted(wanted), type=plain.type)))
    return arrow


def to_frame(columns: Sequence[Column], arrow: Any) -> pd.DataFrame:
    """An Arrow table as a frame of the columns' dtypes. The table's memory is let go column by column."""
    import pandas as pd

    made: dict[str, Any] = {}
    for column in columns:
        made[column.name] = _series(column, arrow.column(column.name))
        arrow = arrow.drop_columns([column.name])
    return pd.DataFrame(made, copy=False)


def _series(column: Column, chunked: Any) -> Any:
    import pandas as pd

    if column.kind == "time":
        return chunked.to_pandas()
    if column.kind in PLAIN and column.kind != "name":
        dtype: Any = pd.api.types.pandas_dtype(PLAIN[column.kind])
        return pd.Series(dtype.__from_arrow__(chunked))
    return pd.Series(_categorical(column, chunked))


def _categorical(column: Column, chunked: Any) -> pd.Categorical:
    """Dictionary chunks as one categorical, with the column's own categories or the sorted ones that occur."""
    import numpy as np
    import pandas as pd

    joined = chunked.unify_dictionaries()
    found = joined.chunk(0).dictionary.to_pylist() if joined.num_chunks else []
    codes = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in joined.chunks]
    flat = np.concatenate(codes) if codes else np.empty(0, dtype=np.int32)
    if column.categories is not None:
        dtype = pd.CategoricalDtype(list(column.categories), ordered=column.kind in ORDERED)
    else:
        used = np.unique(flat[flat >= 0])
        dtype = pd.CategoricalDtype(pd.Index(sorted(found[code] for code in used), dtype="str"))
    place = {name: at for at, name in enumerate(dtype.categories)}
    moved = np.array([*(place.get(name, -1) for name in found), -1], dtype=np.int32)
    return pd.Categorical.from_codes(moved[flat], dtype=dtype)
