"""Tests of the report page in Chromium, opened from disk without network access."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from highwaygraph.report import html
from highwaygraph.report.comparison import compare_runs
from highwaygraph.report.comparison_page import write_page
from highwaygraph.report.run_page import Report
from tests.helpers.browser import AXE, CHROMIUM, OpenPage, chromium
from tests.helpers.compared import two_runs
from tests.helpers.example import NASTY, run

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
needs_viewer = pytest.mark.skipif(not html.has_viewer(), reason="the viewer is not built: npm was not found")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    return html.write(path, Report(run(), {"command": "highway train toy"}).page())


@pytest.fixture(scope="module")
def comparison_file(tmp_path_factory) -> Path:
    return write_page(compare_runs(two_runs()), tmp_path_factory.mktemp("page") / "compare.html")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_opens_from_disk_without_requests_or_errors(browser, file, width, scheme) -> None:
    opened = OpenPage(browser, file, width, scheme)
    if html.has_viewer():
        opened.state()
    assert opened.errors == []
    assert opened.requests[0] == file.as_uri()
    assert all(url.startswith(("data:", "blob:")) for url in opened.requests[1:])
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_id_with_markup_is_shown_as_text(browser, file) -> None:
    opened = OpenPage(browser, file)
    assert opened.page.evaluate("document.querySelectorAll('script').length") <= 4
    opened.page.fill("#highway-search", "alert(1)")
    cells = opened.page.locator("#highway-table td").all_inner_texts()
    assert not cells or NASTY in cells
    assert opened.errors == []


def test_the_highway_table_can_be_sorted_paged_and_searched(browser, file) -> None:
    page = OpenPage(browser, file).page
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
    page.click("#highway-next")
    assert status.inner_text().startswith("26 to")
    page.fill("#highway-search", "no such node")
    assert (rows.count(), status.inner_text()) == (0, "No matches")


def test_the_command_can_be_copied(browser, file) -> None:
    opened = OpenPage(browser, file)
    opened.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened.page.click("[data-copy=command]")
    opened.until("['Copied', 'Selected'].includes(document.querySelector('[data-copy=command]').textContent)")


@needs_viewer
def test_the_viewer_finds_selects_and_filters_nodes(browser, file) -> None:
    opened = OpenPage(browser, file)
    initial = opened.state()
    assert initial["visible"] == {
        "nodes": 180,
        "edges": run().data.edge_index.size(1) // 2,
        "highways": run().highways.size(1),
    }
    page = opened.page
    page.get_by_role("combobox", name="Find a node").fill("node 17")
    page.keyboard.press("Enter")
    assert opened.state()["selected"] == "node 17"
    page.keyboard.press("Escape")
    assert opened.state()["selected"] is None
    page.get_by_label("Misclassified only").check()
    wrong = int((run().predict() != run().data.y).sum())
    assert opened.state()["matches"] == wrong
    page.get_by_label("Misclassified only").uncheck()
    page.get_by_label("Round 1").uncheck()
    remaining = opened.state()
    assert 1 not in remaining["rounds"]
    assert remaining["visible"]["highways"] == int((run().highway_round != 1).sum())
    assert opened.errors == []


@needs_viewer
def test_a_node_has_a_tooltip_and_is_selected_by_a_click(browser, file) -> None:
    opened = OpenPage(browser, file)
    opened.state()
    page = opened.page
    page.locator("#graph-viewer").scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    at = page.evaluate("window.highwayViewer.positionOf(5)")
    page.mouse.move(at["x"] + 1, at["y"] + 1)
    page.mouse.move(at["x"], at["y"])
    page.locator(".hv-tooltip").wait_for(state="visible")
    assert "node" in page.locator(".hv-tooltip").inner_text()
    page.mouse.click(at["x"], at["y"])
    opened.until("window.highwayViewer.state().selected !== null")
    assert "hop" in page.locator("#graph-viewer").inner_text()
    assert opened.errors == []


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm ci in viewer/")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_meets_wcag_2_1_aa(browser, file, scheme) -> None:
    opened = OpenPage(browser, file, scheme=scheme, bypass_csp=True)
    if html.has_viewer():
        opened.state()
    assert opened.violations() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_comparison_opens_from_disk_and_shows_the_difference(browser, comparison_file, width, scheme) -> None:
    opened = OpenPage(browser, comparison_file, width, scheme, bypass_csp=AXE.exists())
    assert opened.errors == []
    assert opened.requests == [comparison_file.as_uri()]
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    difference = opened.page.locator("#hops th", has_text="Difference").bounding_box()
    assert difference["x"] + difference["width"] <= width
    if AXE.exists():
        assert opened.violations() == []
