"""`sealmark site`: the report site from stored runs, and a look at it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sealmark.publish.build import Report

EXAMPLES = """\b
Examples:
  sealmark site runs/ --out public
  sealmark site runs/ --out public --base-url https://results.example/mcp/
  sealmark site serve runs/
"""

PATHS = click.argument("paths", metavar="RUNS...", nargs=-1, required=True, type=click.Path(path_type=Path))


class Site(click.Group):
    """A group whose command `build` need not be named, so that `site RUNS --out DIR` works."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `build` in front of anything that is no command and no request for help."""
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = ["build", *args]
        return super().parse_args(ctx, args)


@click.group("site", cls=Site, epilog=EXAMPLES)
def site() -> None:
    """Make the report site from stored runs (files and folders), or serve it on this machine."""


@site.command("build", epilog=EXAMPLES)
@PATHS
@click.option("--out", metavar="DIR", required=True, type=click.Path(path_type=Path), help="The folder of the site.")
@click.option("--base-url", metavar="URL", default="", help="Where it will stand: for feeds, badges, canonical links.")
@click.option("--downloads/--no-downloads", default=True, help="Offer runs and tables as files. [downloads]")
def build(paths: tuple[Path, ...], out: Path, base_url: str, downloads: bool) -> None:
    """Write the site into DIR. Unchanged files stay untouched; a folder that this did not make is left alone."""
    _tell(_publish(paths, out, base_url, downloads), out)


@site.command("serve", epilog="Example: sealmark site serve runs/")
@PATHS
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
def serve(paths: tuple[Path, ...], port: int) -> None:
    """Make the site and serve it on 127.0.0.1. A folder that `site --out` made is served as it is."""
    import tempfile

    from sealmark.publish.files import owned
    from sealmark.publish.serve import serve as serve_folder

    def ready(address: str) -> None:
        click.echo(f"serving at {address} (Ctrl-C stops)", err=True)

    if len(paths) == 1 and owned(paths[0]):
        serve_folder(paths[0], port, ready)
        return
    with tempfile.TemporaryDirectory(prefix="sealmark-site-") as folder:
        out = Path(folder) / "site"
        _tell(_publish(paths, out, "", True), out)
        serve_folder(out, port, ready)


def _publish(paths: tuple[Path, ...], out: Path, base_url: str, downloads: bool) -> Report:
    from datetime import UTC, datetime

    from sealmark.publish.build import publish

    today = datetime.now(UTC).date()
    tell = lambda text: click.echo(text, err=True)  # noqa: E731
    return publish(paths, out, today=today, base_url=base_url, with_downloads=downloads, tell=tell)


def _tell(report: Report, out: Path) -> None:
    for note in report.notes:
        click.echo(f"note: {note}", err=True)
    if report.kept_back:
        click.echo(f"{report.kept_back} kept back by publish.yaml", err=True)
    done = report.files
    click.echo(
        f"{report.servers} servers, {report.runs} runs: {done.written} files written, {done.unchanged} unchanged, "
        f"{done.removed} removed, {done.bytes / 1e6:.1f} MB",
        err=True,
    )
    click.echo(str(out / "index.html"))
