"""The grading formula over a checks frame, for many runs at once: the letters, and what each check does to them.

The same formula as `sealmark.judging.grade`, written for columns; a test holds the two together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sealmark.frames.columns import ORDERED
from sealmark.settings.methodology import Methodology, current

if TYPE_CHECKING:
    import pandas as pd

PACK = ["run_id", "server", "server_version", "pack"]


def grades(checks: pd.DataFrame, methodology: Methodology | None = None) -> pd.DataFrame:
    """Points, percent and letter of every run and pack, from the verdicts and severities in `checks`.

    Args:
        checks: a checks frame; change a severity or a verdict in it to see what that does.
        methodology: points, bands and cap; this build's when not given.

    Returns:
        a row per run and pack in which at least one check counts.
    """
    counted = _counted(checks, methodology or current())
    sums = counted.groupby(PACK, sort=False, observed=True)[["points", "scored", "critical"]].sum().reset_index()
    return _with_letters(sums, methodology or current())


def sensitivity(checks: pd.DataFrame, methodology: Methodology | None = None) -> pd.DataFrame:
    """What leaving one check out would do to the letter of its pack, counted over the runs in which it counts.

    Returns:
        a row per check: runs (in which it counts), raises, lowers, ungraded (no check would be left), unchanged.
    """
    counted = _counted(checks, methodology or current())
    sums = counted.groupby(PACK, sort=False, observed=True)[["points", "scored", "critical"]].transform("sum")
    with_it = _with_letters(sums, methodology or current())["grade"].cat.codes
    without = sums - counted[["points", "scored", "critical"]]
    left = _with_letters(without, methodology or current())["grade"].cat.codes
    alone = without["scored"] == 0
    table = counted[["pack", "check"]].assign(
        runs=1,
        raises=(left > with_it) & ~alone,
        lowers=(left < with_it) & ~alone,
        ungraded=alone,
        unchanged=(left == with_it) & ~alone,
    )
    columns = ["runs", "raises", "lowers", "ungraded", "unchanged"]
    summed = table.groupby(["pack", "check"], sort=True, observed=True)[columns].sum().reset_index()
    return summed.astype(dict.fromkeys(columns, "Int64") | {"pack": "string", "check": "string"})


def _counted(checks: pd.DataFrame, methodology: Methodology) -> pd.DataFrame:
    """The checks that count: scored or critical, with a verdict that has points."""
    worth = {"pass": methodology.points.passed, "part": methodology.points.part, "fail": methodology.points.fail}
    points = checks["verdict"].astype("string").map(worth)
    kept = checks["severity"].isin(["critical", "scored"]) & points.notna()
    found = checks.loc[kept, [*PACK, "check"]].assign(points=points[kept].astype(float), scored=1)
    critical = (checks["severity"] == "critical") & (checks["verdict"] == "fail")
    return found.assign(critical=critical[kept].astype(int))


def _with_letters(sums: pd.DataFrame, methodology: Methodology) -> pd.DataFrame:
    import numpy as np
    import pandas as pd

    percent = 100 * sums["points"] / sums["scored"].where(sums["scored"] > 0)
    rising = methodology.bands[::-1]
    letters = [band.letter for band in rising]
    place = np.searchsorted([band.percent for band in rising], percent.fillna(0), side="right") - 1
    cap = letters.index(methodology.critical_cap)
    capped = np.where(sums["critical"] > 0, np.minimum(place, cap), place)

    def named(places: Any) -> pd.Series[Any]:
        known = [letters[at] if graded else None for at, graded in zip(places, percent.notna(), strict=True)]
        return pd.Series(pd.Categorical(known, ORDERED["letter"], ordered=True), index=sums.index)

    return sums.assign(percent=percent.round(1), raw_grade=named(place), grade=named(capped))
