"""Tests of the values of charts in Chromium: by pointer, by tap and by keyboard."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from highwaygraph.report import html
from highwaygraph.report.run_page import Report
from tests.helpers.browser import AXE, CHROMIUM, OpenPage, chromium
from tests.helpers.example import run

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

MARKS = "#hops .chart .mark"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    return html.write(tmp_path_factory.mktemp("page") / "report.html", Report(run(), {}).page())


def centre(page: Any, place: int) -> tuple[float, float]:
    # The marker, because a group also has the interval of a point, which is as narrow as a line.
    mark = page.locator(MARKS).nth(place)
    mark.scroll_into_view_if_needed()
    box = mark.locator(".fill").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_pointer_shows_the_values_at_once(browser, file) -> None:
    opened = OpenPage(browser, file)
    page, tip = opened.page, opened.page.locator(".chart-tip")
    assert not tip.is_visible()
    page.mouse.move(*centre(page, 0))
    assert tip.inner_text() == page.locator(MARKS).first.get_attribute("data-values")
    assert "nodes" in tip.inner_text() or "%" in tip.inner_text()
    page.mouse.move(2, 2)
    assert not tip.is_visible()
    assert opened.errors == []


def test_a_tap_shows_the_values_within_a_narrow_screen(browser, file) -> None:
    opened = OpenPage(browser, file, 390, has_touch=True)
    page, tip = opened.page, opened.page.locator(".chart-tip")
    for place in (0, page.locator(MARKS).count() - 1):
        page.touchscreen.tap(*centre(page, place))
        assert tip.inner_text() == page.locator(MARKS).nth(place).get_attribute("data-values")
        box = tip.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    page.touchscreen.tap(5, 5)
    assert not tip.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert opened.errors == []


def test_arrow_keys_show_the_values_of_a_focused_chart(browser, file) -> None:
    opened = OpenPage(browser, file, bypass_csp=AXE.exists())
    page, tip = opened.page, opened.page.locator(".chart-tip")
    # The first stop after the links of the page.
    page.locator("nav a").last.focus()
    page.keyboard.press("Tab")
    values = page.locator(MARKS).evaluate_all("all => all.map(one => one.dataset.values)")
    for text in (values[0], values[1]):
        assert tip.inner_text() == text
        page.keyboard.press("ArrowRight")
    for text in (values[1], values[0], values[-1]):
        page.keyboard.press("ArrowLeft")
        assert tip.inner_text() == text
    if AXE.exists():
        assert opened.violations() == []
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    assert opened.errors == []


def test_without_scripts_a_mark_has_a_title(browser, file) -> None:
    page = OpenPage(browser, file, java_script_enabled=False).page
    assert page.locator(f"{MARKS} > title").count() == page.locator(MARKS).count()
