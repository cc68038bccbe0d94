"""From stored runs to the site, in one function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import NamedTuple

from sealmark.errors import UsageError
from sealmark.publish import charts, downloads, feeds, files, search, shell
from sealmark.publish.collect import Store, collect
from sealmark.publish.pages import Site, badges, site, specs
from sealmark.publish.safe import script_json
from sealmark.report.html import style


class Report(NamedTuple):
    """What was published, and what the build did to the folder."""

    servers: int
    runs: int
    kept_back: int
    notes: tuple[str, ...]
    files: files.Written


def publish(
    paths: Iterable[Path],
    out: Path,
    *,
    today: date,
    base_url: str = "",
    with_downloads: bool = True,
    tell: Callable[[str], None] = lambda text: None,
) -> Report:
    """Make the site from stored runs.

    Args:
        paths: files and folders of runs; each folder may hold a `publish.yaml`.
        out: the folder of the site; made when it does not exist, else one that an earlier build made.
        today: embargoes end on this day or before.
        base_url: where the site will stand, for feeds, badges and canonical addresses.
        with_downloads: whether runs and frames are offered as files.
        tell: is told what is being done.

    Raises:
        UsageError: `out` holds what this did not make, or `base_url` is no address.
        RecordError, ConfigError: runs or a policy that cannot be read.
        MissingExtra: mkdocs is not installed.
    """
    shell.need()
    files.check(out)
    base_url = _address(base_url)
    tell("reading runs")
    store = collect(paths, today)
    made = site(store, base_url, downloads.offered(), downloads=with_downloads)
    pages = list(specs(made))
    tell(f"writing {len(pages)} pages")
    with files.building(out) as folder:
        shell.build(shell.Pages(made, pages), texts(made), _plotly(store), folder, base_url)
        if with_downloads:
            tell("writing downloads")
            downloads.write(store, folder / "data")
        written = files.move(folder, out)
    return Report(len(store.servers), len(store.runs), store.kept_back, store.notes, written)


def _address(base_url: str) -> str:
    if not base_url:
        return ""
    if not base_url.startswith(("https://", "http://")) or any(c in base_url for c in " <>\"'?#\\"):
        raise UsageError(f"--base-url {base_url!r} is not an address", hint="Example: https://results.example/mcp/")
    return base_url.rstrip("/") + "/"


def _plotly(store: Store) -> Path | None:
    return charts.plotly_js() if any(len(server.versions) > 1 for server in store.servers) else None


def texts(made: Site) -> dict[str, str]:
    """Small files by address: style sheet, search index, chart templates, feeds, badges."""
    entries = feeds.items(made.store)
    checks = [(check.check.id, check.check.title) for check in made.checks]
    found = {
        "assets/parts.css": style(),
        "assets/search-index.js": search.index(made.store.servers, checks),
        "feed.atom": feeds.atom(entries, made.base_url),
        "feed.json": feeds.json_feed(entries, made.base_url),
        **{f"badges/{name}": text for name, text in badges(made)},
    }
    if _plotly(made.store) is not None:
        found["assets/chart-templates.js"] = f"window.sealmarkCharts={script_json(charts.templates())};\n"
    return found
