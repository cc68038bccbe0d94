"""The shell around the pages: mkdocs with the material theme, whose only parts in use are its skeleton and its prose.

Pages come from our own templates; mkdocs never sees a text that a server wrote, since titles and bodies reach the
theme's template ready and escaped. Whatever replaces mkdocs has to call `Pages.body` for each page, and nothing else.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from sealmark.errors import HarnessError, MissingExtra
from sealmark.publish.pages import PageSpec, Site
from sealmark.publish.safe import inline, prose, script_json
from sealmark.report.html import environment

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; "
    "img-src 'self' data:; font-src 'none'; connect-src 'none'; base-uri 'none'; form-action 'none'"
)
"""The Content-Security-Policy of every page. The hash is that of an empty style sheet, which plotly fills by script."""

KEPT = ("assets/stylesheets/main.",)
"""Files of the theme that the site needs; its scripts, icons and search stay out."""


def root() -> Path:
    """The folder of the mkdocs project: in a checkout `site/`, in a wheel beside the package's data.

    Raises:
        HarnessError: the installation has none.
    """
    package = Path(__file__).parent.parent
    for candidate in (package / "_data" / "site", package.parent / "site"):
        if (candidate / "mkdocs.yml").is_file():
            return candidate
    raise HarnessError(
        "the site's theme is missing from this installation", hint="pip install --force-reinstall sealmark"
    )


def need() -> None:
    """Say what to install when the shell is not there.

    Raises:
        MissingExtra: mkdocs or its theme is not installed.
    """
    if find_spec("mkdocs") is None or find_spec("material") is None:
        raise MissingExtra("the report site", "site")


def templates() -> Environment:
    """The environment of the pages' own templates: everything escaped."""
    made = environment(FileSystemLoader(root() / "templates"))
    made.filters |= {
        "script_json": script_json,
        "prose": prose,
        "inline": inline,
        "short_day": short_day,
        "pair": lambda value: (value, value),
    }
    return made


def short_day(text: str) -> str:
    """`2 Jan 2030` of an ISO date; anything else as it is."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return text
    return f"{found.day} {found:%b} {found.year}"


class Pages:
    """The pages that are made from data, by address."""

    def __init__(self, site: Site, specs: Sequence[PageSpec]) -> None:
        self._site = site
        self.specs = {spec.path: spec for spec in specs}
        self._environment = templates()

    def body(self, spec: PageSpec) -> str:
        """The content of one page."""
        template = self._environment.get_template(spec.template)
        context = {"up": spec.up, "links": self._site.links(spec.up), "site": self._site}
        return template.render(context | dict(spec.make()))


def build(pages: Pages, texts: Mapping[str, str], plotly: Path | None, out: Path, base_url: str) -> None:
    """Write the whole site into the folder `out`.

    Args:
        pages: the pages made from data.
        texts: other small files by address.
        plotly: plotly.js, if a page has a chart.
        out: an empty folder.
        base_url: where the site will stand; empty when it is not known.
    """
    need()
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    logging.getLogger("mkdocs").setLevel(logging.ERROR)
    from mkdocs.commands.build import build as build_site
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException

    try:
        config = load_config(
            str(root() / "mkdocs.yml"),
            site_dir=str(out.absolute()),  # mkdocs would take a relative one from the folder of mkdocs.yml
            site_url=base_url or None,
            use_directory_urls=False,
        )
        config.plugins["sealmark"] = _hooks(pages, texts, plotly)
        build_site(config)
    except (MkDocsException, SystemExit) as error:
        raise HarnessError(f"mkdocs could not build the site: {error}") from error
    for leftover in ("sitemap.xml.gz", *(() if base_url else ("sitemap.xml", "404.html"))):
        (out / leftover).unlink(missing_ok=True)


def _hooks(pages: Pages, texts: Mapping[str, str], plotly: Path | None) -> Any:
    from mkdocs.plugins import BasePlugin
    from mkdocs.structure.files import File, Files, InclusionLevel

    class Hooks(BasePlugin):  # type: ignore[no-untyped-call, type-arg]
        """Adds the generated files, and hands each page its body."""

        def on_files(self, files: Files, *, config: Any) -> Files:
            for file in list(files):
                if file.src_dir != config.docs_dir and not _wanted(file):
                    files.remove(file)
            for path in pages.specs:
                source = path.removesuffix(".html") + ".md"
                level = (
                    InclusionLevel.NOT_IN_NAV if path.count("/") and "index" not in path else InclusionLevel.INCLUDED
                )
                files.append(File.generated(config, source, content="", inclusion=level))
            for path, text in texts.items():
                files.append(File.generated(config, path, content=text))
            if plotly is not None:
                files.append(File.generated(config, "assets/plotly.min.js", abs_src_path=str(plotly)))
            return files

        def on_template_context(self, context: Any, *, template_name: str, config: Any) -> Any:
            context["csp"] = CSP
            return context

        def on_page_context(self, context: Any, *, page: Any, config: Any, nav: Any) -> Any:
            spec = pages.specs.get(page.file.dest_uri)
            context["csp"] = CSP
            context["body"] = pages.body(spec) if spec else None
            context["shown_title"] = spec.title if spec else page.meta.get("title", page.title)
            context["shown_description"] = spec.description if spec else page.meta.get("description", "")
            context["up"] = "../" * page.file.dest_uri.count("/")
            context["here"] = page.file.dest_uri
            return context

    return Hooks()


def _wanted(file: Any) -> bool:
    """Whether a file of a theme folder is one of ours, or one of the few of material's that are used."""
    source = str(file.abs_src_path or "")
    return source.startswith(str(root())) or (file.src_uri.startswith(KEPT) and file.src_uri.endswith(".css"))
