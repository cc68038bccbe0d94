"""The step chart of a server's letters over its versions, as plain plotly JSON, and the spark of the front page.

The figure is a dictionary: building thousands of figure objects would cost more than all the rest of a page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sealmark.errors import MissingExtra
from sealmark.frames.look import LETTERS, label, template
from sealmark.publish.collect import GRADED, Version

HEIGHT = {letter: 4 - place for place, letter in enumerate(GRADED)}
"""A is 4, F is 0: the base line of every chart."""

LANE = 92
"""Pixels of one pack's lane."""


def steps(versions: Sequence[Version], packs: Sequence[str]) -> dict[str, Any]:
    """Letters per pack over versions: a lane for each pack, a step between versions, the letter at every point."""
    data, layout = [], _layout(versions, packs)
    share = 1 / max(len(packs), 1)
    names = [label(version.version or version.day, 24) for version in versions]
    for place, pack in enumerate(packs):
        found = [(at, version.letters[pack]) for at, version in enumerate(versions) if _graded(version, pack)]
        axis = "" if place == 0 else str(place + 1)
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers+text",
                "x": [at for at, _ in found],
                "y": [HEIGHT[letter.grade] for _, letter in found],
                "text": [letter.mark for _, letter in found],
                "customdata": [names[at] for at, _ in found],
                "hovertemplate": f"{label(pack)} %{{text}} in %{{customdata}}<extra></extra>",
                "line": {"shape": "hv", "width": 1.5},
                "marker": {"size": 22, "color": [LETTERS[letter.grade] for _, letter in found]},
                "textfont": {"color": "#ffffff", "size": 12},
                "cliponaxis": False,
                "yaxis": f"y{axis}",
            }
        )
        top = 1 - place * share
        layout[f"yaxis{axis}"] = {
            "domain": [top - share * 0.82, top - share * 0.12],
            "range": [-0.4, 4.4],
            "tickvals": [0, 4],
            "ticktext": ["F", "A"],
            "showgrid": True,
            "zeroline": False,
            "fixedrange": True,
        }
        layout["annotations"].append(
            {
                "text": label(pack, 14),
                "xref": "paper",
                "yref": "paper",
                "x": 0,
                "y": top - share * 0.47,
                "xanchor": "right",
                "yanchor": "middle",
                "xshift": -26,
                "showarrow": False,
            }
        )
    return {"data": data, "layout": layout}


def _graded(version: Version, pack: str) -> bool:
    return pack in version.letters and version.letters[pack].grade in HEIGHT


def _layout(versions: Sequence[Version], packs: Sequence[str]) -> dict[str, Any]:
    few = len(versions) <= 6
    return {
        "height": (56 if few else 100) + LANE * len(packs),
        "margin": {"l": 44 + 8 * min(14, max(map(len, packs), default=0)), "r": 48, "t": 8, "b": 40 if few else 84},
        "showlegend": False,
        "annotations": [],
        "xaxis": {
            "tickvals": list(range(len(versions))),
            "ticktext": [label(version.version or version.day, 24) for version in versions],
            "range": [-0.4, len(versions) - 0.6],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
            "ticklabeloverflow": "allow",
            "tickangle": 0 if few else 40,
            "anchor": "free",
            "position": 0,
        },
    }


def graded_packs(versions: Sequence[Version]) -> list[str]:
    """Packs with a letter in any of the versions, in the order of the newest that has them."""
    found = (pack for version in reversed(versions) for pack in version.letters if _graded(version, pack))
    return list(dict.fromkeys(found))


def spark(versions: Sequence[Version]) -> Mapping[str, Any] | None:
    """The worst letter over at most twelve versions, as an SVG path in a box of 64 by 20, with the same in words."""
    worst = [version.worst for version in versions if version.worst][-12:]
    if not worst:
        return None
    step = 56 / max(len(worst) - 1, 1)
    points = [(round(4 + at * step, 1), 18 - 4 * HEIGHT[letter]) for at, letter in enumerate(worst)]
    path = f"M{points[0][0]:g} {points[0][1]}" + "".join(f"H{x:g}V{y}" for x, y in points[1:])
    x, y = points[-1]
    return {"path": path, "x": f"{x:g}", "y": y, "letter": worst[-1], "words": ", then ".join(worst)}


def templates() -> dict[str, Any]:
    """The chart template for light and for dark pages, and the ids of style sheets that plotly must not inject."""
    found = {name: template(dark=name == "dark").to_plotly_json() for name in ("light", "dark")}
    for made in found.values():
        made["layout"]["paper_bgcolor"] = "rgba(0,0,0,0)"
    return {"templates": found, "guards": _injected(plotly_js())}


def plotly_js() -> Path:
    """The copy of plotly.js that comes with plotly.

    Raises:
        MissingExtra: plotly is not installed as expected.
    """
    spec = find_spec("plotly")
    path = Path(spec.origin).parent / "package_data" / "plotly.min.js" if spec and spec.origin else None
    if path is None or not path.is_file():
        raise MissingExtra("the report site", "site")
    return path


def _injected(path: Path) -> list[str]:
    """Ids of inline style sheets that plotly.js adds unless an element of that id is there: the site forbids them."""
    return sorted(set(re.findall(r'document\.getElementById\("([0-9a-f]{64})"\)', path.read_text("utf-8"))))
