"""Every page that is made from data: its address, its title, its template, and a function that gives the context."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Any
from urllib.parse import urljoin

from sealmark import corpora
from sealmark.packs import PACKS
from sealmark.publish import charts, history, methodology
from sealmark.publish.checks import CheckPage, check_pages
from sealmark.publish.collect import Server, Store, Version
from sealmark.reading.shown import line, short_json
from sealmark.record.model import RunRecord
from sealmark.report import render
from sealmark.report.html import Bounds, page
from sealmark.settings.methodology import current

BOUNDS = Bounds(rows=24, quiet_rows=6, body=1500, quiet_body=400)
"""Evidence on a server's page: enough for what decided; the record, one click away, has all."""

Context = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PageSpec:
    """One page: `path` ends with .html; `make` is called when it is written, so that only one is held at a time."""

    path: str
    title: str
    description: str
    template: str
    make: Callable[[], Context]

    @property
    def up(self) -> str:
        """From the page to the root of the site."""
        return "../" * self.path.count("/")


@dataclass(frozen=True, slots=True)
class Site:
    """What all pages share: the store, the checks with a page, drift, where the site will stand, what is offered."""

    store: Store
    checks: Sequence[CheckPage]
    drift: history.Lines
    base_url: str
    files: Sequence[tuple[str, str]]
    """Names and meanings of the data files, without their folder."""
    downloads: bool

    def links(self, up: str) -> dict[str, str]:
        """Addresses of check pages, as seen from a page."""
        return {check.check.id: f"{up}checks/{check.check.id}.html" for check in self.checks}


def site(store: Store, base_url: str, files: Sequence[tuple[str, str]], *, downloads: bool) -> Site:
    """Gather what all pages share."""
    return Site(store, tuple(check_pages(store)), history.drift_lines(store), base_url, files, downloads)


def specs(made: Site) -> Iterator[PageSpec]:
    """Every page, the front page first."""
    yield PageSpec(
        "index.html",
        "Servers",
        "MCP servers by what they do when they are called.",
        "front.html",
        partial(_front, made),
    )
    yield PageSpec(
        "checks/index.html",
        "Checks",
        "Every check: what it measures and how often it passes.",
        "checks.html",
        partial(_checks, made),
    )
    yield PageSpec(
        "methodology.html",
        "Methodology",
        "How verdicts become a letter, and what each check is worth.",
        "methodology.html",
        _methodology,
    )
    yield PageSpec(
        "data.html", "Data", "Every run and table of this site, to download.", "data.html", partial(_data, made)
    )
    for check in made.checks:
        yield PageSpec(
            f"checks/{check.check.id}.html", check.check.title, check.lead, "check.html", partial(_check, check)
        )
    for server in made.store.servers:
        title = f"{server.shown} {server.latest.version}".strip()
        words = f"What {title} did when Sealmark called it: letters per pack, with the evidence."
        yield PageSpec(f"servers/{server.slug}.html", title, words, "server.html", partial(_server, made, server))


def _front(made: Site) -> Context:
    servers = sorted(made.store.servers, key=lambda server: (-_rank(server.latest), server.shown.lower()))
    known = [pack.id for pack in PACKS]
    graded = {pack for server in servers for pack, letter in server.latest.letters.items() if letter.grade}
    packs = [*(pack for pack in known if pack in graded), *sorted(graded - set(known))]
    titles = {pack.id: pack.title for pack in PACKS}
    letters = [letter.grade for server in servers for letter in server.latest.letters.values() if letter.grade]
    return {
        "rows": [(server, charts.spark(server.versions)) for server in servers],
        "packs": [(pack, titles.get(pack, pack)) for pack in packs],
        "letters": sorted(set(letters)),
        "ecosystems": sorted({server.ecosystem for server in servers}),
        "transports": sorted({server.latest.transport for server in servers if server.latest.transport}),
        "since": _since(made.store.newest_day),
        "a_percent": f"{current().bands[0].percent:g}",
        "invented": sum(server.latest.invented for server in servers),
        "checks": len(made.checks),
        "runs": len(made.store.runs),
    }


def _since(newest: str) -> list[tuple[str, str]]:
    """First days of the periods that end with the newest run, with their names."""
    try:
        end = date.fromisoformat(newest)
    except ValueError:
        return []
    periods = ((30, "in the last 30 days"), (90, "90 days"), (365, "year"))
    return [((end - timedelta(days)).isoformat(), name) for days, name in periods]


def _rank(version: Version) -> int:
    """Worst letter first, servers without a letter last."""
    return ord(version.worst) if version.worst else 0


def _server(made: Site, server: Server) -> Context:
    latest = server.latest
    run = made.store.run(latest)
    shown = page(run, bounds=BOUNDS)
    packs = charts.graded_packs(server.versions)
    several = len(server.versions) > 1 and bool(packs)
    return {
        "server": server,
        "page": shown,
        "packs": packs,
        "figure": charts.steps(server.versions, packs) if several else None,
        "steps": history.steps(server, made.drift),
        "settings": [s for s in _settings(run) if s[2] != "default"],
        "files": {version.run_id: made.store.file(version) for version in server.runs} if made.downloads else {},
        "badge": badge_snippet(made, server) if shown.view.badge_eligible else "",
        "mine": short_json(server.shown),
    }


def _settings(run: RunRecord) -> list[tuple[str, str, str]]:
    """Key, value as JSON, origin, of every setting that the record keeps."""
    return [(line(s.key, 100), short_json(s.value, 300), line(s.origin, 200)) for s in run.gathered.settings]


def badge_snippet(made: Site, server: Server) -> str:
    """Markdown that shows the badge and leads to the page; the site's own address when it is known."""
    image = urljoin(made.base_url, f"badges/{server.slug}.svg")
    return f"[![Sealmark]({image})]({urljoin(made.base_url, f'servers/{server.slug}.html')})"


def badges(made: Site) -> Iterator[tuple[str, str]]:
    """File name and SVG of every badge that a server may carry."""
    for server in made.store.servers:
        run = made.store.run(server.latest)
        if run.judgement is not None and run.judgement.badge.eligible and run.failure is None:
            yield f"{server.slug}.svg", render("badge", [run])


def _checks(made: Site) -> Context:
    packs = [(pack, [check for check in made.checks if check.pack.id == pack.id]) for pack in PACKS]
    return {"packs": [(pack, found) for pack, found in packs if found], "runs": len(made.store.runs)}


def _check(check: CheckPage) -> Context:
    return {"c": check}


def _methodology() -> Context:
    return {
        "m": current(),
        "packs": list(methodology.packs()),
        "history": methodology.history(),
        "digest": corpora.digest(),
    }


def _data(made: Site) -> Context:
    newest = sorted(
        ((server, version) for server in made.store.servers for version in server.runs),
        key=lambda pair: (pair[1].started, pair[0].slug),
        reverse=True,
    )
    return {
        "files": made.files,
        "runs": [(server, version, made.store.file(version)) for server, version in newest],
        "address": urljoin(made.base_url, "data/") if made.base_url else "data/",
        "downloads": made.downloads,
    }
