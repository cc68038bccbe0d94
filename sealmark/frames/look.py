"""The look of every chart: one template, colours that colour-blind readers can tell apart, and a table beside each.

A chart carries its data as a table and its message as a sentence, so that nothing is said by the drawing alone. plotly
is imported inside functions only, and nothing here reaches the network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from sealmark.reading.visible import visible

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure

VERDICTS: Mapping[str, str] = {
    "fail": "#b83a24",
    "part": "#b98614",
    "inconclusive": "#667489",
    "pass": "#0b7f70",
    "na": "#8793a3",
}
"""Brick, ochre, slate, teal-green, and a grey that is drawn as an outline; each stands out on white and on dark."""

SYMBOLS: Mapping[str, str] = {
    "fail": "x",
    "part": "diamond-wide",
    "inconclusive": "square",
    "pass": "circle",
    "na": "line-ew-open",
}
"""A shape for each verdict, so that a chart reads without colour."""

LETTERS: Mapping[str, str] = {"A": "#0b7f70", "B": "#4f7d36", "C": "#93660a", "D": "#b5510f", "F": "#a12d1c"}
"""From teal-green to dark brick; the letter itself always stands in the cell."""

DRIFT: Mapping[str, str] = {"breaking": "#bd3f27", "suspicious": "#7a5c9e", "notable": "#93660a", "info": "#667489"}

INK, QUIET, RULE, PALE = "#1f2933", "#5f6b7a", "#d9dee5", "#eef1f4"
INK_DARK, QUIET_DARK, RULE_DARK = "#e8ecf1", "#a3acb9", "#3a4552"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def template(*, dark: bool = False) -> Any:
    """The plotly template of all charts, for a light or a dark page."""
    import plotly.graph_objects as go

    ink, quiet, rule = (INK_DARK, QUIET_DARK, RULE_DARK) if dark else (INK, QUIET, RULE)
    axis = {
        "gridcolor": rule,
        "linecolor": rule,
        "zerolinecolor": rule,
        "tickfont": {"color": quiet},
        "title": {"font": {"color": quiet}},
        "automargin": True,
    }
    layout = go.Layout(
        font={"family": FONT, "size": 13, "color": ink},
        title={"x": 0, "xref": "paper", "font": {"size": 15}},
        paper_bgcolor="#14191f" if dark else "#ffffff",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 8, "r": 8, "t": 48, "b": 8},
        showlegend=False,
        hoverlabel={"font": {"family": FONT, "color": INK}, "bgcolor": "#ffffff", "bordercolor": RULE},
        xaxis=axis,
        yaxis=axis | {"showgrid": False},
        bargap=0.35,
    )
    return go.layout.Template(layout=layout)


def label(text: object, limit: int = 60) -> str:
    """Text for a chart. plotly reads a few tags in labels, so markup is escaped; hidden characters are shown."""
    return escape(visible(str(text), newlines="escape", limit=limit), quote=False)


@dataclass(frozen=True)
class Chart:
    """A drawing with everything that it says in words and numbers.

    Attributes:
        figure: a plotly figure; draw it with any renderer.
        table: the numbers behind it.
        says: one sentence: what is shown, over how much.
    """

    figure: Figure
    table: pd.DataFrame
    says: str

    def dark(self) -> Chart:
        """The same chart for a dark page."""
        import plotly.graph_objects as go

        figure = go.Figure(self.figure)
        figure.update_layout(template=template(dark=True))
        return Chart(figure, self.table, self.says)

    def table_html(self) -> str:
        """The table as HTML, everything in it escaped."""
        frame = self.table.copy()
        for name in frame.columns:
            if frame[name].dtype.kind == "O" or str(frame[name].dtype) in ("string", "str", "category"):
                frame[name] = frame[name].astype("string").fillna("")
        return str(frame.to_html(index=False, border=0, na_rep="", escape=True)).replace("$", "&#36;")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The figure for front ends that draw plotly, the table for all others."""
        text = f"<p>{label(self.says, 400)}</p>{self.table_html()}".replace("$", "&#36;")
        return {
            "application/vnd.plotly.v1+json": self.figure.to_plotly_json(),
            "text/html": text,
            "text/plain": f"{visible(self.says)}\n{self.table.to_string(index=False)}",
        }


def chart(figure: Figure, table: pd.DataFrame, says: str, title: str) -> Chart:
    """A chart with the template, the title and its sentence as the figure's description."""
    figure.update_layout(template=template(), title={"text": label(title, 120)}, meta={"description": says})
    return Chart(figure, table.reset_index(drop=True), says)
