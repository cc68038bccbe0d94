"""The site in a real browser: what a visitor does, on a desk and on a phone, by light and by dark, with and without
JavaScript. Screenshots stay in test-artefacts/ for a look."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.browser

PAGES = [
    "index.html",
    "servers/files.html",
    "servers/broken.html",
    "servers/undecided.html",
    "checks/index.html",
    "checks/robust-input.html",
    "methodology.html",
    "data.html",
    "questions.html",
    "not-covered.html",
    "policy.html",
]


def names(page):
    return page.eval_on_selector_all("table.matrix tbody tr:not([hidden]) th a", "all => all.map(a => a.textContent)")


def server_page(site, start):
    """The page of the server whose address begins so (names with other characters get a hash)."""
    return next(f"servers/{path.name}" for path in sorted((site / "servers").glob(f"{start}*.html")))


def test_worst_first_then_sorted_by_any_column(tab):
    page = tab().go("index.html")
    letters = page.eval_on_selector_all(
        "table.matrix tbody tr", "rows => rows.map(r => [...r.cells].map(c => c.dataset.g || '').sort().pop())"
    )
    assert letters == sorted(letters, reverse=True)
    page.get_by_role("button", name="server", exact=True).click()
    assert names(page) == sorted(names(page), key=str.lower)
    assert page.locator("th[aria-sort]").inner_text().startswith("server")
    page.get_by_role("button", name="run on").click()
    days = page.eval_on_selector_all("td.day", "all => all.map(cell => cell.dataset.day)")
    assert days == sorted(days, reverse=True)
    page.get_by_role("button", name="fs", exact=True).first.click()
    page.get_by_role("columnheader", name="fs").get_by_role("button").click()
    found = page.eval_on_selector_all('td[data-pack="fs"]', "all => all.map(cell => cell.dataset.g || '')")
    graded = [letter for letter in found if letter]
    assert graded == sorted(graded, reverse=True)
    assert found[: len(graded)] == graded


def test_filters_combine_and_say_how_many(tab):
    opened = tab()
    page = opened.go("index.html")
    every = len(names(page))
    page.get_by_role("button", name="npm").click()
    assert names(page) == ["files"]
    assert page.locator(".matched").inner_text() == f"1 of {every} servers"
    page.get_by_role("button", name="Show all").click()
    page.get_by_role("button", name="http", exact=True).click()
    assert names(page) == ["remote"]
    page.get_by_role("button", name="http", exact=True).click()
    page.locator('[data-kind="pack"][data-value="fs"]').click()
    page.locator('[data-kind="letter"][data-value="F"]').click()
    assert "toy_server" in names(page)
    assert "notes" not in names(page)
    opened.keep("front-filtered")
    page.get_by_role("button", name="Show all").click()
    page.locator('[data-kind="since"]').nth(1).click()
    assert "files" in names(page)
    assert "notes" not in names(page)


def test_search_finds_servers_and_checks(tab):
    opened = tab()
    page = opened.go("checks/robust-input.html")
    page.keyboard.press("/")
    page.keyboard.type("note")
    page.locator("#found a").first.wait_for()
    opened.keep("search")
    page.keyboard.press("Enter")
    page.wait_for_url("**/servers/notes.html")
    page.get_by_label("Search servers and checks").fill("secret")
    page.locator("#found a").filter(has_text="check").first.click()
    page.wait_for_url("**/checks/secret-echo.html")
    page.get_by_label("Search servers and checks").fill("no such thing at all")
    assert page.locator("#found").inner_text().strip() == "Nothing found."
    page.keyboard.press("Escape")
    assert page.locator("#found").is_hidden()


def test_the_evidence_is_two_clicks_from_a_letter(tab, site):
    opened = tab()
    page = opened.go(server_page(site, "toy-server"))
    finding = page.locator("article.finding").first
    finding.locator("details.rows > summary").click()
    row = finding.locator("details.row").first
    row.locator("summary").click()
    assert '"path": "{outside}/secret.txt"' in row.locator("pre").first.inner_text()
    opened.keep("evidence")


def test_a_letter_of_the_matrix_leads_to_its_seal_and_on_to_the_rows(tab):
    page = tab().go("index.html")
    page.locator("tr", has_text="toy_server").locator('td[data-pack="fs"] a').click()
    page.wait_for_url("**#pack-fs")
    assert page.locator("#pack-fs .seal-mark").get_attribute("aria-label") == "fs: F, invented server"
    page.locator("#pack-fs .ledger a").first.click()
    assert page.locator("article.finding").first.locator("details.rows").get_attribute("open") is not None


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_charts_are_drawn(tab, dark):
    opened = tab(dark=dark)
    page = opened.go("servers/files.html")
    page.locator(f'.chart[data-drawn="{"dark" if dark else "light"}"]').wait_for()
    page.locator(".chart").scroll_into_view_if_needed()
    assert page.locator(".chart svg.main-svg .point").count() >= 6
    texts = page.eval_on_selector_all(".chart .textpoint", "all => all.map(t => t.textContent)")
    assert texts == ["B", "B", "A", "F", "F", "A"]
    table = page.locator("table.versions tbody tr").first.inner_text().split()
    assert table[:4] == ["2.0.0", "6", "May", "2030"]
    opened.keep(f"versions-{'dark' if dark else 'light'}")


def test_scheme_is_chosen_and_kept(tab):
    opened = tab()
    page = opened.go("index.html")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Use dark colours").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert light != dark
    opened.go("servers/files.html")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
    page.get_by_role("button", name="Use light colours").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == light
    page.locator('.chart[data-drawn="light"]').wait_for()


@pytest.mark.parametrize("path", PAGES)
def test_fits_a_phone(tab, path):
    opened = tab(width=360, height=740)
    page = opened.go(path)
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    opened.keep(f"phone-{path.replace('/', '-').removesuffix('.html')}", whole=True)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("path", [*PAGES, "toy-server"])
def test_no_serious_finding_of_axe(tab, site, path, dark):
    opened = tab(dark=dark)
    page = opened.go(path if path.endswith(".html") else server_page(site, path))
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    if page.locator(".chart").count():
        page.locator(".chart[data-drawn]").wait_for()
    found = Axe().run(page).response["violations"]
    serious = [
        (v["id"], v["nodes"][0]["html"][:200], v["nodes"][0].get("failureSummary", "")[:300])
        for v in found
        if v["impact"] in ("serious", "critical")
    ]
    assert serious == []
    opened.keep(f"{'dark' if dark else 'light'}-{path.replace('/', '-').removesuffix('.html')}")


@pytest.mark.parametrize("path", ["index.html", "servers/files.html", "checks/robust-input.html"])
def test_no_serious_finding_of_axe_on_a_phone(tab, path):
    page = tab(width=360, height=740).go(path)
    if page.locator(".chart").count():
        page.locator(".chart[data-drawn]").wait_for()
    found = Axe().run(page).response["violations"]
    assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []


def test_works_without_javascript(tab, site):
    opened = tab(java_script_enabled=False)
    page = opened.go("index.html")
    assert page.locator(".chips").is_hidden()
    assert page.locator(".search").is_hidden()
    page.locator("th a", has_text="toy_server").click()
    page.locator("details.rows > summary").first.click()
    page.locator("details.row > summary").first.click()
    assert page.locator("details.row pre").first.is_visible()
    opened.keep("no-script")


def test_works_from_a_folder(tab, site):
    opened = tab(home=site.as_uri())
    page = opened.go("index.html")
    page.get_by_role("button", name="server", exact=True).click()
    page.get_by_label("Search servers and checks").fill("files")
    page.locator("#found a").first.click()
    page.wait_for_url("**/servers/files.html")
    page.locator(".chart[data-drawn]").wait_for()


def test_keyboard_reaches_everything(tab):
    page = tab().go("index.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.closest('.chips, thead, tbody')?.tagName"))
    assert {"DIV", "THEAD", "TBODY"} <= seen


def test_copies_the_command(tab):
    opened = tab(permissions=["clipboard-read", "clipboard-write"])
    page = opened.go("servers/files.html")
    page.locator("#again .copy").first.click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "sealmark run --start 'python server.py {sandbox}'"


def test_prints_on_white(tab):
    opened = tab(dark=True)
    page = opened.go("servers/files.html")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator(".bar").is_hidden()
    opened.keep("print", whole=True)


def test_invented_servers_carry_the_band_on_every_part(tab, site):
    page = tab().go(server_page(site, "toy-server"))
    assert page.locator("article.finding").count() == page.locator("article.finding > .band").count() > 0
    assert page.locator("header.masthead .band").is_visible()
    assert page.locator(".seal .ribbon").count() == page.locator(".seal").count() > 0
    assert page.locator("#versions .band, #again .band, #passed .band").count() == 3
