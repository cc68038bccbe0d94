"""Check pages: the check's own words, how often each rule decided over the store, its corpus, and two real examples."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sealmark import corpora
from sealmark.catalogue import worth
from sealmark.check import Check, Pack, Rule
from sealmark.errors import RecordError
from sealmark.packs import PACKS
from sealmark.publish.collect import Store
from sealmark.record import codec
from sealmark.report.html import Bounds, Page, page
from sealmark.report.html.shown import Shown
from sealmark.settings.methodology import CheckRow
from sealmark.settings.table import Setting, table

PARTS = ("What", "Why", "How", "When it can be wrong")
"""The parts of a check's docstring, as their paragraphs begin."""

TAGS = ("fail", "part", "inconclusive", "pass", "na")
BOUNDS = Bounds(rows=12, quiet_rows=12, body=1200, quiet_body=800)


@dataclass(frozen=True, slots=True)
class Example:
    """A stored record of a toy server: what the toy does, its page, and the check's verdict in it."""

    toy: str
    about: str
    page: Page
    shown: Shown


@dataclass(frozen=True, slots=True)
class Counts:
    """How a check ended over the store: runs by verdict, and by the rule that decided."""

    verdicts: Mapping[str, int]
    rules: Mapping[str, int]

    @property
    def runs(self) -> int:
        """Runs that have a verdict of the check."""
        return sum(self.verdicts.values())

    @property
    def asked(self) -> int:
        """Those in which it applied: the denominator of every share."""
        return self.runs - self.verdicts.get("na", 0)

    @property
    def bars(self) -> list[tuple[str, int, float, float]]:
        """Verdict, count, and the place and width of its piece in a bar of 100, n/a left out."""
        made, place = [], 0.0
        for tag in ("pass", "part", "fail", "inconclusive"):
            number = self.verdicts.get(tag, 0)
            if number:
                width = 100 * number / self.asked
                made.append((tag, number, round(place, 2), round(width, 2)))
                place += width
        return made


@dataclass(frozen=True, slots=True)
class CheckPage:
    """Everything that the page of one check shows."""

    pack: Pack
    check: Check
    row: CheckRow
    lead: str
    parts: tuple[tuple[str, str], ...]
    counts: Counts
    rules: tuple[tuple[Rule, str, int], ...]
    cases: tuple[corpora.Case, ...]
    settings: tuple[Setting, ...]
    fail: Example | None
    near: Example | None
    servers: tuple[tuple[str, str, str], ...]
    """Servers whose newest version failed it or passed in part: shown name, slug, verdict; worst first."""


def check_pages(store: Store) -> Iterator[CheckPage]:
    """The page of every check of this build."""
    counts, servers = tallies(store)
    for pack in PACKS:
        for check in pack.checks:
            lead, parts = sections(check.page)
            found = counts.get(check.id, Counts({}, {}))
            fail, near = examples(pack, check)
            yield CheckPage(
                pack,
                check,
                worth(check),
                lead,
                parts,
                found,
                tuple((rule, check.code(rule), found.rules.get(rule.id, 0)) for rule in check.rules),
                corpora.cases(check.corpus or f"{pack.id}/{check.id}"),
                tuple(row for row in table() if row.key.startswith(f"checks.{check.id}.")),
                fail,
                near,
                tuple(servers.get(check.id, ())),
            )


def sections(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The first sentence of a check's docstring, and its parts in order, each with its paragraphs."""
    blocks = [block.strip() for block in text.strip().split("\n\n") if block.strip()]
    lead = " ".join(blocks[0].split()) if blocks else ""
    parts: list[tuple[str, str]] = []
    for block in blocks[1:]:
        name, colon, rest = block.partition(":")
        if colon and name.strip() in PARTS:
            parts.append((name.strip(), rest.strip()))
        elif parts:
            parts[-1] = (parts[-1][0], f"{parts[-1][1]}\n\n{block}")
        else:
            lead = f"{lead} {' '.join(block.split())}"
    return lead, tuple(parts)


def tallies(store: Store) -> tuple[dict[str, Counts], dict[str, list[tuple[str, str, str]]]]:
    """Per check: verdicts and rules over all runs, and the servers that do not pass it in their newest version."""
    frame = store.runs.frame("checks", ["run_id", "check", "verdict", "rule"])
    verdicts = frame.groupby(["check", "verdict"], observed=True).size()
    rules = frame.groupby(["check", "rule"], observed=True).size()
    counts: dict[str, Counts] = {}
    for check in frame["check"].dropna().unique():
        counts[check] = Counts(_numbers(verdicts, check), _numbers(rules, check))
    newest = {server.latest.run_id: server for server in store.servers}
    wrong = frame[frame["verdict"].isin(["fail", "part"]) & frame["run_id"].isin(list(newest))].sort_values(
        "verdict", kind="stable"
    )
    servers: dict[str, list[tuple[str, str, str]]] = {}
    for run_id, check, verdict in zip(wrong["run_id"], wrong["check"], wrong["verdict"], strict=True):
        server = newest[run_id]
        servers.setdefault(check, []).append((server.shown, server.slug, str(verdict)))
    return counts, servers


def _numbers(sizes: Any, check: str) -> dict[str, int]:
    return {str(name): int(number) for name, number in sizes[check].items()}


def examples(pack: Pack, check: Check) -> tuple[Example | None, Example | None]:
    """A stored toy that fails the check, and a near miss that passes it; None where there is no record."""
    folder = corpora.root() / pack.id / check.id
    toys = toy_table(folder / "toys.py")
    fails = [name for name, (verdict, _, _) in toys.items() if verdict == "fail"]
    fails = fails or [name for name, (verdict, _, _) in toys.items() if verdict == "part"]
    nears = [name for name, (verdict, near, _) in toys.items() if near and verdict == "pass"]
    return _example(folder, check, fails, toys), _example(folder, check, nears, toys)


def _example(
    folder: Path, check: Check, names: Sequence[str], toys: Mapping[str, tuple[str, bool, str]]
) -> Example | None:
    """The first of these toys whose stored record has the verdict that it must have."""
    for name in names:
        try:
            run = codec.load((folder / "records" / f"{name}.json").read_bytes(), name)
        except (OSError, RecordError):
            continue
        made = page(run, bounds=BOUNDS, prefix=f"{name}-")
        for shown in made.shown:
            if shown.card.check == check.id and shown.card.tag == toys[name][0]:
                return Example(name, toys[name][2], made, shown)
    return None


@cache
def toy_table(path: Path) -> Mapping[str, tuple[str, bool, str]]:
    """Verdict, near miss and words of every toy of a file, read without running it."""
    try:
        tree = ast.parse(path.read_text("utf-8"))
    except (OSError, SyntaxError):
        return {}
    found: dict[str, tuple[str, bool, str]] = {}
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for call in node.decorator_list:
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "toy":
                near = any(k.arg == "near" and getattr(k.value, "value", False) is True for k in call.keywords)
                verdict = getattr(call.args[0], "value", "") if call.args else ""
                found[node.name] = (str(verdict), near, ast.get_docstring(node) or "")
    return found
