"""A site for the browser tests, a server for it, and a Chromium that must stay at home."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from sealmark.publish.serve import Handler
from tests import sites

ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage"
).split()
ARTEFACTS = Path(__file__).parent.parent.parent / "test-artefacts"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium for one file of tests: while it lives, its event loop keeps asyncio.run from working here."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on PATH")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, headless=True, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """A site with a server over three versions, an invented one, a broken one, and hostile ones."""
    folder, _ = sites.built(tmp_path_factory.mktemp("site"), sites.store() | sites.hostile())
    return folder


@pytest.fixture(scope="session")
def address(site, tmp_path_factory) -> Iterator[str]:
    """The site under a path of a plain file server."""
    root = tmp_path_factory.mktemp("root")
    (root / "mcp").mkdir()
    (root / "mcp" / "results").symlink_to(site)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/mcp/results"
    server.shutdown()
    server.server_close()
    thread.join()


class Tab:
    """A page that remembers what it asked for and what went wrong; `done` fails the test for any of it."""

    def __init__(self, page: Page, home: str) -> None:
        self.page, self.home, self.wrong = page, home, []
        page.on("console", lambda message: message.type in ("error", "warning") and self.wrong.append(message.text))
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("request", lambda request: self._asked(request.url))
        page.on("response", lambda answer: answer.status >= 400 and self.wrong.append(f"{answer.status} {answer.url}"))

    def _asked(self, url: str) -> None:
        if not url.startswith((self.home, "file:", "data:")):
            self.wrong.append(f"a request to {url}")

    def go(self, path: str) -> Page:
        self.page.goto(f"{self.home}/{path}")
        return self.page

    def keep(self, name: str, *, whole: bool = False) -> None:
        ARTEFACTS.mkdir(exist_ok=True)
        self.page.screenshot(path=ARTEFACTS / f"{name}.png", full_page=whole)

    def done(self) -> None:
        assert self.wrong == []


@pytest.fixture
def tab(browser, address):
    """Opens a tab: `tab(width=…, dark=…)`; every tab is checked at the end of the test."""
    opened = []

    def make(width: int = 1200, height: int = 900, dark: bool = False, home: str = address, **more) -> Tab:
        scheme = "dark" if dark else "light"
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **more)
        made = Tab(context.new_page(), home)
        opened.append((context, made))
        return made

    yield make
    for context, made in opened:
        context.close()
        made.done()
