"""The page as a person meets it: in a real browser, from disk, without a network."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from highwaygraph.report import html
from highwaygraph.report.run_page import Report
from tests.helpers.example import NASTY, run

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
AXE = Path(__file__).parents[2] / "viewer/node_modules/axe-core/axe.min.js"
# WebGL without a graphics card; without a sandbox, because containers run as root.
FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
needs_viewer = pytest.mark.skipif(not html.has_viewer(), reason="the viewer was not built, as npm was not there")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    return html.write(path, Report(run(), {"command": "highway train toy"}).page())


class Visit:
    """A page in a window of its own, with everything it asked for and complained about."""

    def __init__(self, browser: Any, file: Path, width: int = 1280, scheme: str = "light", **options: Any) -> None:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **options)
        self.page = context.new_page()
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self._hear(message))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(file.as_uri())

    def _hear(self, message: Any) -> None:
        # How software draws is the browser's own talk, not the page's.
        if message.type in ("error", "warning") and "GL Driver Message" not in message.text:
            self.complaints.append(message.text)

    def until(self, expression: str, seconds: float = 60) -> None:
        """Wait for something to be true; the page's policy forbids playwright's own way, which evaluates strings."""
        end = time.monotonic() + seconds
        while not self.page.evaluate(expression):
            assert time.monotonic() < end, expression
            self.page.wait_for_timeout(100)

    def state(self) -> dict[str, Any]:
        """Wait for the viewer and return what it shows."""
        self.until("window.highwayViewer?.ready")
        return self.page.evaluate("window.highwayViewer.state()")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_opens_from_disk_without_network_or_complaint(browser, file, width, scheme) -> None:
    visit = Visit(browser, file, width, scheme)
    if html.has_viewer():
        visit.state()
    assert visit.complaints == []
    assert visit.asked[0] == file.as_uri()
    assert all(url.startswith(("data:", "blob:")) for url in visit.asked[1:])
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_id_that_looks_like_a_script_stays_text(browser, file) -> None:
    visit = Visit(browser, file)
    assert visit.page.evaluate("document.querySelectorAll('script').length") <= 4
    visit.page.fill("#highway-search", "alert(1)")
    cells = visit.page.locator("#highway-table td").all_inner_texts()
    assert not cells or NASTY in cells
    assert visit.complaints == []


def test_the_table_of_highways_is_searched_sorted_and_turned(browser, file) -> None:
    page = Visit(browser, file).page
    rows, status = page.locator("#highway-table tbody tr"), page.locator("#highway-status")
    total = run().highways.size(1)
    assert status.inner_text() == f"1 to {min(25, total)} of {total}"
    page.click("#highway-table th:nth-child(5) button")
    shown = [int(row.locator("td").nth(4).inner_text()) for row in rows.all()]
    assert shown == sorted(shown)
    assert page.get_attribute("#highway-table th:nth-child(5)", "aria-sort") == "ascending"
    page.click("#highway-table th:nth-child(5) button")
    shown = [int(row.locator("td").nth(4).inner_text()) for row in rows.all()]
    assert shown == sorted(shown, reverse=True)
    page.click("#highway-forth")
    assert status.inner_text().startswith("26 to")
    page.fill("#highway-search", "no such thing")
    assert (rows.count(), status.inner_text()) == (0, "None found")


def test_the_command_is_copied(browser, file) -> None:
    visit = Visit(browser, file)
    visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit.page.click("[data-copies=command]")
    visit.until("['Copied', 'Selected'].includes(document.querySelector('[data-copies=command]').textContent)")


@needs_viewer
def test_the_viewer_finds_chooses_and_filters(browser, file) -> None:
    visit = Visit(browser, file)
    first = visit.state()
    assert first["shown"] == {
        "nodes": 180,
        "edges": run().data.edge_index.size(1) // 2,
        "highways": run().highways.size(1),
    }
    page = visit.page
    page.get_by_role("combobox", name="Find a node").fill("node 17")
    page.keyboard.press("Enter")
    assert visit.state()["selected"] == "node 17"
    page.keyboard.press("Escape")
    assert visit.state()["selected"] is None
    page.get_by_label("Wrong only").check()
    wrong = int((run().predict() != run().data.y).sum())
    assert visit.state()["matches"] == wrong
    page.get_by_label("Wrong only").uncheck()
    page.get_by_label("Round 1").uncheck()
    left = visit.state()
    assert 1 not in left["rounds"]
    assert left["shown"]["highways"] == int((run().highway_round != 1).sum())
    assert visit.complaints == []


@needs_viewer
def test_a_node_is_shown_under_the_mouse_and_chosen_by_a_click(browser, file) -> None:
    visit = Visit(browser, file)
    visit.state()
    page = visit.page
    page.locator("#graph-viewer").scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    at = page.evaluate("window.highwayViewer.positionOf(5)")
    page.mouse.move(at["x"] + 1, at["y"] + 1)
    page.mouse.move(at["x"], at["y"])
    page.locator(".hv-card").wait_for(state="visible")
    assert "node" in page.locator(".hv-card").inner_text()
    page.mouse.click(at["x"], at["y"])
    visit.until("window.highwayViewer.state().selected !== null")
    assert "hop" in page.locator("#graph-viewer").inner_text()
    assert visit.complaints == []


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm ci in viewer/")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_read_it(browser, file, scheme) -> None:
    visit = Visit(browser, file, scheme=scheme, bypass_csp=True)
    if html.has_viewer():
        visit.state()
    visit.page.add_script_tag(path=str(AXE))
    found = visit.page.evaluate(
        "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']}).then(r => r.violations)"
    )
    assert [(v["id"], [n["html"][:90] for n in v["nodes"]][:3]) for v in found] == []
