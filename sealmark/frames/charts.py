"""Charts over frames: servers by packs, verdicts over versions, drift, pass rates, latency and size, sensitivity.

Every function takes a frame and returns a `Chart`: a plotly figure, the table behind it and a sentence that says it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sealmark.frames.columns import ORDERED
from sealmark.frames.grading import sensitivity as sensitivity_of
from sealmark.frames.look import DRIFT, INK, LETTERS, PALE, QUIET, SYMBOLS, VERDICTS, Chart, chart, label
from sealmark.frames.versions import version_key
from sealmark.report.words import count
from sealmark.settings.methodology import Methodology

if TYPE_CHECKING:
    import pandas as pd

ROW = 26
"""Pixels that a row of a chart takes."""

WORDS = {"fail": "fail", "part": "part", "inconclusive": "inconclusive", "pass": "pass", "na": "n/a"}


def matrix(packs: pd.DataFrame, *, newest: bool = True) -> Chart:
    """Servers by packs, the letter in each cell, worst first.

    Args:
        packs: a packs frame.
        newest: of each server only its newest version; else a row per server and version.
    """
    import plotly.graph_objects as go

    rows = latest(packs, newest=newest)
    wide = rows.pivot(index=["server", "server_version"], columns="pack", values="grade").reindex(
        columns=_in_order(packs["pack"])
    )
    codes = wide.apply(lambda column: column.cat.codes).where(lambda code: code >= 0)
    worst = codes.min(axis=1).fillna(len(LETTERS))
    wide, codes = (table.loc[worst.sort_values(kind="stable").index] for table in (wide, codes))
    names = [f"{label(server)} {label(version, 24)}".strip() for server, version in wide.index]
    scale = [(0, PALE), *((at / 5, LETTERS[letter]) for at, letter in enumerate(ORDERED["letter"], 1))]
    xs = [label(pack) for pack in wide.columns]
    figure = go.Figure(
        go.Heatmap(
            z=codes.fillna(-1).to_numpy(dtype=float),
            x=xs,
            y=names,
            colorscale=scale,
            zmin=-1,
            zmax=4,
            showscale=False,
            xgap=3,
            ygap=3,
            hoverinfo="skip",
        )
    )
    cells = [
        (x, y, letter)
        for y, row in zip(names, wide.itertuples(index=False), strict=True)
        for x, letter in zip(xs, row, strict=True)
    ]
    figure.add_scatter(
        x=[x for x, _, _ in cells],
        y=[y for _, y, _ in cells],
        text=[letter if isinstance(letter, str) else "—" for _, _, letter in cells],
        mode="text",
        textfont={"size": 14, "color": ["#ffffff" if isinstance(letter, str) else QUIET for _, _, letter in cells]},
        hovertemplate="%{y}<br>%{x}: %{text}<extra></extra>",
    )
    figure.update_yaxes(autorange="reversed", ticks="")
    figure.update_xaxes(side="top", showgrid=False, ticks="")
    figure.update_layout(height=110 + ROW * len(wide), margin={"t": 76})
    rows_of = count(len(wide), "server") if newest else count(len(wide), "version")
    says = f"Letters of {rows_of} in {count(len(wide.columns), 'pack')}; a dash: not graded."
    return chart(figure, wide.astype("string").reset_index(), says, "Grades by server and pack")


def latest(packs: pd.DataFrame, *, newest: bool = True) -> pd.DataFrame:
    """The last run of each server and version (of each server's newest version with `newest`), as rows of `packs`."""
    runs = packs.drop_duplicates("run_id")
    last = runs.drop_duplicates(["server", "server_version"], keep="last")
    if newest:
        last = last.iloc[_by_version(last["server_version"])].drop_duplicates("server", keep="last").sort_index()
    return packs[packs["run_id"].isin(last["run_id"])]


def _by_version(versions: pd.Series[Any]) -> list[int]:
    return sorted(range(len(versions)), key=lambda at: version_key(str(versions.iloc[at])))


def _in_order(names: pd.Series[Any]) -> list[str]:
    return list(dict.fromkeys(names.astype("string")))


def history(checks: pd.DataFrame, server: str | None = None) -> Chart:
    """Verdicts of one server's checks over its versions; a shape and a colour for each verdict.

    Args:
        checks: a checks frame.
        server: which server, when the frame holds several.

    Raises:
        ValueError: several servers and none named, or one that the frame does not hold.
    """
    import plotly.graph_objects as go

    rows, name = _one_server(checks, server)
    rows = rows.drop_duplicates(["server_version", "check"], keep="last")
    versions = sorted(_in_order(rows["server_version"]), key=version_key)
    names = _in_order(rows["check"])
    figure = go.Figure()
    for verdict, found in rows.groupby("verdict", observed=True):
        figure.add_scatter(
            x=[label(version) for version in found["server_version"]],
            y=[label(check) for check in found["check"]],
            mode="markers",
            name=WORDS[str(verdict)],
            marker={
                "symbol": SYMBOLS[str(verdict)],
                "color": VERDICTS[str(verdict)],
                "size": 14,
                "line": {"width": 2, "color": VERDICTS[str(verdict)]},
            },
            customdata=[label(summary, 160) for summary in found["summary"].fillna("")],
            hovertemplate=f"%{{y}} at %{{x}}: {WORDS[str(verdict)]}<br>%{{customdata}}<extra></extra>",
        )
    figure.update_xaxes(categoryorder="array", categoryarray=[label(v) for v in versions], type="category", side="top")
    figure.update_yaxes(categoryorder="array", categoryarray=[label(n) for n in names[::-1]], showgrid=True)
    figure.update_layout(
        height=150 + ROW * len(names), showlegend=True, legend={"orientation": "h", "y": -0.05}, margin={"t": 76}
    )
    wide = rows.pivot(index="check", columns="server_version", values="verdict").astype("string")
    table = wide.reindex(index=names, columns=versions).reset_index()
    says = f"Verdicts of {count(len(names), 'check')} over {count(len(versions), 'version')} of {name}."
    return chart(figure, table, says, f"{name}: verdicts over versions")


def _one_server(frame: pd.DataFrame, server: str | None) -> tuple[pd.DataFrame, str]:
    known = _in_order(frame["server"])
    if server is None and len(known) > 1:
        raise ValueError(f"the frame holds {len(known)} servers; name one with server=")
    if known and server is not None and server not in known:
        raise ValueError(f"no server {server!r} in the frame; it holds: {', '.join(known[:12])}")
    name = server or (known[0] if known else "no server at all")
    return frame[frame["server"] == name], name


def drift_timeline(drift: pd.DataFrame, server: str | None = None) -> Chart:
    """Changes of one server's tool surface per version, by how much they matter.

    Args:
        drift: a drift frame.
        server: which server, when the frame holds several.

    Raises:
        ValueError: several servers and none named, or one that the frame does not hold.
    """
    import plotly.graph_objects as go

    rows, name = _one_server(drift, server)
    versions = sorted(_in_order(rows["after_version"]), key=version_key)
    levels = list(ORDERED["drift"])[::-1]
    counts = rows.groupby(["after_version", "level"], observed=False).size().unstack(fill_value=0)
    counts = counts.reindex(index=versions, columns=levels, fill_value=0)
    figure = go.Figure()
    for level in levels:
        lines = rows[rows["level"] == level].groupby("after_version")["line"].agg(list)
        hover = ["<br>".join(label(line, 110) for line in lines.get(version, [])[:12]) for version in versions]
        figure.add_bar(
            x=[label(version) for version in versions],
            y=counts[level],
            name=level,
            marker={"color": DRIFT[level]},
            text=[f"{number} {level}" if number else "" for number in counts[level]],
            textposition="inside",
            insidetextanchor="middle",
            customdata=hover,
            hovertemplate="%{x}<br>%{customdata}<extra></extra>",
        )
    figure.update_layout(barmode="stack", height=360, uniformtext={"minsize": 9, "mode": "hide"})
    figure.update_xaxes(type="category", title={"text": "version"})
    figure.update_yaxes(
        rangemode="tozero", showgrid=True, title={"text": "changes"}, dtick=_step(counts.sum(axis=1).max())
    )
    says = f"{count(len(rows), 'change')} of the tool surface over {count(len(versions), 'version')} of {name}."
    return chart(figure, counts.rename_axis("version").reset_index(), says, f"{name}: drift of the tool surface")


def _step(highest: float) -> int:
    """A distance of ticks that are whole numbers, at most about six of them."""
    return max(1, -(-int(highest) // 6)) if highest == highest else 1


def pass_rate(checks: pd.DataFrame) -> Chart:
    """How often each check passed, failed or was undecided: counts, lowest share of passes first.

    n/a is left out of the share; the number of runs stands beside each bar.
    """
    import plotly.graph_objects as go

    counts = checks.groupby(["check", "verdict"], observed=False).size().unstack(fill_value=0)
    counts = counts.reindex(columns=list(VERDICTS), fill_value=0)
    asked = counts.drop(columns="na").sum(axis=1)
    counts, asked = counts[asked > 0], asked[asked > 0]
    share = (counts["pass"] / asked).sort_values(kind="stable")
    counts, asked = counts.loc[share.index], asked.loc[share.index]
    names = [label(check) for check in counts.index]
    figure = go.Figure()
    for verdict in ("pass", "inconclusive", "part", "fail"):
        figure.add_bar(
            y=names,
            x=counts[verdict],
            orientation="h",
            name=WORDS[verdict],
            marker={"color": VERDICTS[verdict]},
            text=[f"{number} {WORDS[verdict]}" if number else "" for number in counts[verdict]],
            textposition="inside",
            insidetextanchor="middle",
            hovertemplate=f"%{{y}}: %{{x}} {WORDS[verdict]}<extra></extra>",
        )
    _beside(figure, names, asked, [f" {p} of {n} passed" for p, n in zip(counts["pass"], asked, strict=True)])
    figure.update_layout(barmode="stack", height=110 + ROW * len(names), uniformtext={"minsize": 9, "mode": "hide"})
    figure.update_xaxes(rangemode="tozero", title={"text": "runs"})
    figure.update_yaxes(autorange="reversed")
    table = counts.assign(runs=asked, share=(share * 100).round(1)).reset_index()
    says = f"Verdicts of {count(len(names), 'check')}; n/a is not counted."
    return chart(figure, table, says, "How often each check passed")


def _beside(figure: Any, y: Sequence[str], x: pd.Series[Any], texts: Sequence[str]) -> None:
    """Direct labels at the end of horizontal bars, and room for the longest."""
    figure.update_layout(margin={"r": 12 + 7 * max(map(len, texts), default=0)})
    figure.add_scatter(
        y=list(y),
        x=list(x),
        mode="text",
        text=list(texts),
        textposition="middle right",
        cliponaxis=False,
        hoverinfo="skip",
    )


def latency(observations: pd.DataFrame, by: str = "server") -> Chart:
    """How long answered calls took, in milliseconds: a box from the first to the third quartile, whiskers 5 to 95 %.

    Args:
        observations: an observations frame; calls that were answered count.
        by: the column to compare: server, tool, check …
    """
    answered = observations["action"].isin(["call", "request"]) & observations["outcome"].isin(["result", "error"])
    return _distribution(observations[answered], "elapsed_ms", by, "milliseconds", "Time to an answer")


def sizes(observations: pd.DataFrame, by: str = "server") -> Chart:
    """How large replies were, in bytes, as `latency` shows times."""
    return _distribution(observations[observations["body_bytes"].notna()], "body_bytes", by, "bytes", "Size of replies")


def _distribution(rows: pd.DataFrame, value: str, by: str, unit: str, title: str) -> Chart:
    import pandas as pd
    import plotly.graph_objects as go

    groups = rows.assign(**{by: rows[by].astype("string")}).groupby(by)[value]
    marks = {"p5": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}
    table = pd.DataFrame({name: groups.quantile(share).astype(float) for name, share in marks.items()})
    table = table.assign(n=groups.size()).sort_values("p50", kind="stable")
    names = [label(name) for name in table.index]
    figure = go.Figure(
        go.Box(
            y=names,
            q1=table["p25"],
            median=table["p50"],
            q3=table["p75"],
            lowerfence=table["p5"],
            upperfence=table["p95"],
            orientation="h",
            line={"color": VERDICTS["pass"]},
            hoverinfo="x+y",
        )
    )
    _beside(
        figure, names, table["p95"], [f" median {p:,.0f}, n {n}" for p, n in zip(table["p50"], table["n"], strict=True)]
    )
    figure.update_layout(height=110 + ROW * len(names))
    figure.update_xaxes(rangemode="tozero", title={"text": unit})
    replies = count(int(table["n"].sum()), "reply", "replies")
    says = f"{title} in {unit}, {replies} of {count(len(names), by)}; box: middle half, whiskers: 5 to 95 %."
    return chart(figure, table.round(1).reset_index(), says, f"{title} by {by}")


def sensitivity(checks: pd.DataFrame, methodology: Methodology | None = None) -> Chart:
    """What leaving one check out would do to letters: share of runs whose letter would rise or fall.

    Args:
        checks: a checks frame.
        methodology: points, bands and cap; this build's when not given.
    """
    import plotly.graph_objects as go

    table = sensitivity_of(checks, methodology)
    table = table.assign(moves=table["raises"] + table["lowers"]).sort_values("moves", ascending=False, kind="stable")
    names = [f"{label(check)} ({label(pack)})" for pack, check in zip(table["pack"], table["check"], strict=True)]
    figure = go.Figure()
    for column, sign, colour, word in (("raises", -1, "fail", "holds down"), ("lowers", 1, "pass", "holds up")):
        numbers = table[column].astype(int)
        figure.add_bar(
            y=names,
            x=[sign * 100 * n / runs for n, runs in zip(numbers, table["runs"], strict=True)],
            orientation="h",
            name=word,
            marker={"color": VERDICTS[colour]},
            text=[f"{word} {n} of {runs}" if n else "" for n, runs in zip(numbers, table["runs"], strict=True)],
            textposition="auto",
            textfont={"color": INK},
            hovertemplate=f"%{{y}}: {word} the letter in %{{text}}<extra></extra>",
        )
    still = table[table["moves"] == 0]
    figure.add_scatter(
        y=[f"{label(check)} ({label(pack)})" for pack, check in zip(still["pack"], still["check"], strict=True)],
        x=[0] * len(still),
        text=[
            f" alone in {alone} of {runs}" if alone else f" never, of {runs}"
            for alone, runs in zip(still["ungraded"], still["runs"], strict=True)
        ],
        mode="text",
        textposition="middle right",
        hoverinfo="skip",
    )
    figure.update_layout(barmode="relative", height=110 + ROW * len(names))
    figure.update_xaxes(
        range=[-105, 105], zeroline=True, zerolinewidth=2, title={"text": "% of runs in which it counts"}
    )
    figure.update_yaxes(autorange="reversed")
    says = f"How often each of {count(len(names), 'check')} decides a letter: what leaving it out would change."
    return chart(figure, table, says, "Which checks decide letters")
