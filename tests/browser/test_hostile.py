"""Records full of hostile text in a real browser: nothing runs, nothing is asked for, nothing leaves its box."""

from __future__ import annotations

import pytest

from sealmark.report import render
from tests import sites

pytestmark = pytest.mark.browser

HIDDEN = [chr(code) for code in (0x202E, 0x202C, 0x200B, 0x2028, 0x1B, 0x00)]


def test_every_page_of_the_site_is_inert(tab, site):
    opened = tab()
    page = opened.page
    paths = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    assert len([path for path in paths if path.startswith("servers/")]) >= 9
    for path in paths:
        opened.go(path)
        page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
        assert page.evaluate("window.pwned") is None, path
        assert page.locator("img[src=x], svg[onload], a[href^=javascript], article style").count() == 0, path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        text = page.evaluate("document.documentElement.textContent")
        assert not [character for character in HIDDEN if character in text], path
        assert page.locator("footer.foot").is_visible(), path


def test_texts_of_the_server_forge_no_verdict(tab, site):
    opened = tab()
    for path in sorted((site / "servers").glob("*.html")):
        page = opened.go(f"servers/{path.name}")
        forged = page.eval_on_selector_all(
            "[class*=v-fail], [class*=v-pass]",
            "all => all.filter(e => e.closest('bdi, pre, code, dd, .summary')).length",
        )
        assert forged == 0, path.name


def test_search_shows_hostile_names_as_text(tab):
    opened = tab()
    page = opened.go("index.html")
    page.get_by_label("Search servers and checks").fill("pwned")
    page.locator("#found a").first.wait_for()
    assert page.evaluate("window.pwned") is None
    assert page.locator("#found img, #found script, #found svg").count() == 0
    assert "<img src=x" in page.locator("#found").inner_text()
    opened.keep("hostile-search")


@pytest.mark.parametrize("width", [360, 1200])
def test_hostile_names_stay_in_their_boxes(tab, site, width):
    opened = tab(width=width)
    page = opened.go("index.html")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    opened.keep(f"hostile-front-{width}", whole=True)
    path = next(
        p
        for p in sorted((site / "servers").glob("*.html"))
        if "pwned" in p.read_text("utf-8") and "finding" in p.read_text("utf-8")
    )
    page = opened.go(f"servers/{path.name}")
    page.locator(".chart[data-drawn]").first.wait_for() if page.locator(".chart").count() else None
    wide = page.evaluate(
        "[...document.querySelectorAll('article.finding, .masthead, .quiet')].map(e => e.getBoundingClientRect())"
        ".filter(box => box.right > innerWidth + 1).length"
    )
    assert wide == 0
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    thin = page.evaluate(
        "[...document.querySelectorAll('.sealmark :is(dd, p, pre)')].map(e => e.getBoundingClientRect())"
        ".filter(box => box.height && box.width < 60).length"
    )
    assert thin == 0
    opened.keep(f"hostile-server-{width}", whole=True)


def test_the_one_file_report_is_inert(tab, tmp_path):
    file = tmp_path / "report.html"
    file.write_text(render("html", list(sites.hostile().values())), "utf-8")
    opened = tab(home=tmp_path.as_uri())
    page = opened.go("report.html")
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    assert page.evaluate("window.pwned") is None
    assert page.locator("script, img, a[href^=javascript]").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    text = page.evaluate("document.documentElement.textContent")
    assert not [character for character in HIDDEN if character in text]
    opened.keep("hostile-report")
