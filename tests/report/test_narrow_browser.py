"""Tests of the report page on a narrow screen: no column is out of view, and rows are folded into labelled values."""

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
from tests.helpers.example import rescued_run

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

WIDTH = 390
# Every element with text of its own below a selector that reaches beyond the right border, or whose text is cut.
HIDDEN = """(selector) => [...document.querySelectorAll(selector)].filter((one) => {
  if (![...one.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim())) return false;
  // Heads of folded tables are left to screen readers, except where they sort.
  if (one.closest('.lines > thead') && !one.closest('.sorted')) return false;
  const box = one.getBoundingClientRect();
  return box.width > 1 && (box.right > innerWidth || one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0);
}).map((one) => one.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    return html.write(path, Report(rescued_run(), {}, "runs/my run").page())


def test_no_table_hides_a_column(browser, file) -> None:
    opened = OpenPage(browser, file, WIDTH)
    boxes = "[...document.querySelectorAll('.scroll')].map((box) => [box.scrollWidth, box.clientWidth])"
    found = opened.page.evaluate(boxes)
    assert len(found) >= 5
    assert all(content <= width for content, width in found)
    assert opened.page.evaluate(HIDDEN, ".scroll *") == []
    assert opened.errors == []


def test_folded_rows_name_every_value(browser, file) -> None:
    page = OpenPage(browser, file, WIDTH).page
    labels = page.locator("#classes tbody tr").first.locator("[data-label]")
    named = labels.evaluate_all("all => all.map(one => one.dataset.label)")
    assert named[:4] == ["Class", "Nodes", "F1 difference", "Precision, typical"]
    heads = page.locator("#check-table thead th").all_inner_texts()
    first = page.locator("#check-table tbody tr").first.locator("td")
    assert first.evaluate_all("all => all.map(one => one.dataset.label)") == heads
    # Heads stay in view, because they sort.
    page.locator("#check-table thead button").nth(4).click()
    assert page.get_attribute("#check-table th:nth-child(5)", "aria-sort") == "ascending"


def test_a_wide_screen_keeps_the_table(browser, file) -> None:
    page = OpenPage(browser, file).page
    assert page.locator(".lines").count() == 0
    page.set_viewport_size({"width": WIDTH, "height": 900})
    page.locator("#check-table.lines").wait_for()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.locator("#check-table:not(.lines)").wait_for()


def test_heads_show_that_they_sort_before_the_first_click(browser, file) -> None:
    page = OpenPage(browser, file).page
    heads = page.locator("#check-table th")
    assert heads.evaluate_all("all => all.every(one => one.getAttribute('aria-sort') === 'none')")
    arrow = "getComputedStyle(document.querySelector('#check-table th button'), '::after').content"
    assert "↕" in page.evaluate(arrow)


@pytest.mark.parametrize(
    ("width", "scheme"), [(WIDTH, "light"), (1280, "light"), pytest.param(WIDTH, "dark", marks=pytest.mark.slow)]
)
def test_an_opened_explanation_is_within_the_page(browser, file, width, scheme) -> None:
    opened = OpenPage(browser, file, width, scheme, bypass_csp=AXE.exists())
    page = opened.page
    records = page.evaluate("JSON.parse(document.getElementById('explanation-data').textContent).records")
    ids = {str(one["id"]) for one in records}
    button = next(one for one in page.locator("#check-table tbody button.link").all() if one.inner_text() in ids)
    button.click()
    why = page.locator("#check-table .why")
    assert "Effect" in why.inner_text()
    assert page.evaluate(HIDDEN, "#check-table .details *") == []
    box = page.locator("#check-table").locator("..")
    assert box.evaluate("one => one.scrollWidth <= one.clientWidth")
    for cell in why.locator("td:last-child").all():
        place = cell.bounding_box()
        assert place["x"] + place["width"] <= width
    # A word is not broken: "neighbours" is as high as one line.
    where = why.locator("td", has_text="neighbours").all()
    assert all(cell.evaluate("one => one.className") == "" for cell in where)
    assert opened.errors == []
    if AXE.exists():
        assert opened.violations() == []


def test_no_table_of_a_comparison_hides_a_column(browser, tmp_path) -> None:
    opened = OpenPage(browser, write_page(compare_runs(two_runs()), tmp_path / "compare.html"), WIDTH)
    assert opened.page.evaluate(
        "[...document.querySelectorAll('.scroll')].every((b) => b.scrollWidth <= b.clientWidth)"
    )
    assert opened.page.evaluate(HIDDEN, ".scroll *") == []
    assert opened.errors == []


def test_values_that_a_row_does_not_have_are_left_out(browser, file) -> None:
    page = OpenPage(browser, file, WIDTH).page
    shown = "all => all.filter(one => one.offsetParent && !one.textContent).map(one => one.dataset.label)"
    assert page.locator(".lines > tbody > tr > td[data-label]").evaluate_all(shown) == []


def test_a_comparison_is_no_longer_than_its_tables_in_pages(browser, tmp_path) -> None:
    opened = OpenPage(browser, write_page(compare_runs(two_runs()), tmp_path / "compare.html"), WIDTH)
    assert opened.page.locator("#nodes tbody tr").count() == 15
    assert opened.page.locator("#nodes tbody td[data-label]").count() > 15
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    assert opened.errors == []
