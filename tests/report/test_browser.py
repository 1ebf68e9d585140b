"""Tests of the report page in Chromium, opened from disk without network access."""

import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import highwaygraph as hg
from highwaygraph.report import explanations, graph_json, html
from highwaygraph.report.comparison import compare_runs
from highwaygraph.report.comparison_page import write_page
from highwaygraph.report.run_page import Report
from highwaygraph.runs import predictions
from tests.helpers.browser import AXE, CHROMIUM, OpenPage, chromium
from tests.helpers.compared import two_runs, with_predictions
from tests.helpers.example import NASTY, rescued_run, run
from tests.helpers.refitted import MISLABELLED, few_labels

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
    for name in ("check", "changed"):
        opened.page.fill(f"#{name}-search", "alert(1)")
        cells = opened.page.locator(f"#{name}-table td").all_inner_texts()
        assert not cells or NASTY in cells
    assert opened.page.evaluate("document.querySelectorAll('script').length") <= 10
    assert opened.errors == []


def test_the_nodes_to_check_can_be_sorted_paged_and_searched(browser, folds_file) -> None:
    page = OpenPage(browser, folds_file).page
    rows, status = page.locator("#check-table tbody tr"), page.locator("[data-table=check] .status")
    total = len(Report(few_labels(), {}).check_table.checked.nodes)
    assert status.inner_text() == f"1 to {min(15, total)} of {total}"
    head = "#check-table th:nth-child(5)"
    for order in ("ascending", "descending"):
        # By keyboard, as a button is pressed.
        page.focus(f"{head} button")
        page.keyboard.press("Enter")
        shown = [int(row.locator("td").nth(4).inner_text()) for row in rows.all()]
        assert shown == sorted(shown, reverse=order == "descending")
        assert page.get_attribute(head, "aria-sort") == order
    page.click("[data-table=check] .next")
    assert status.inner_text().startswith("16 to")
    page.fill("#check-search", "no such node")
    assert (rows.count(), status.inner_text()) == (0, "No matches")


def test_a_list_of_one_page_has_no_buttons_to_turn_it(browser, tmp_path) -> None:
    labels = run().data.y
    other = labels.clone()
    other[run().data.test_mask.nonzero()[0]] += 1
    typical = torch.nn.functional.one_hot(other % 3, 3).float()
    ours = replace(with_predictions(run(), labels), baseline=replace(run().baseline, logits=typical))
    page = OpenPage(browser, html.write(tmp_path / "one.html", Report(ours, {}).page())).page
    assert page.locator("[data-table=changed] .status").inner_text() == "1 of 1"
    assert not page.locator("[data-table=changed] .next").is_visible()


def test_a_node_to_check_shows_its_neighbours(browser, file) -> None:
    opened = OpenPage(browser, file)
    page = opened.page
    button = page.locator("#check-table tbody button").first
    button.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    assert "Neighbours" in page.locator("#check-table .details").inner_text()
    if html.has_viewer():
        opened.state()
        page.get_by_role("button", name="Show in the graph").click()
        assert str(opened.state()["selected"]) == button.inner_text()
    button.press("Enter")
    assert page.locator("#check-table .details").count() == 0
    assert opened.errors == []


def test_the_nodes_to_check_are_downloaded_without_a_request(browser, file) -> None:
    opened = OpenPage(browser, file)
    with opened.page.expect_download() as found:
        opened.page.click("[data-download]")
    assert found.value.suggested_filename == "check-first.csv"
    expected = predictions.to_csv(Report(run(), {}).check_table.columns())
    assert Path(found.value.path()).read_text() == expected
    assert all(url.startswith(("file:", "data:", "blob:")) for url in opened.requests)
    assert opened.errors == []


@pytest.mark.parametrize("width", [1280, 390])
def test_the_difference_is_in_view_and_charts_are_legible(browser, file, width) -> None:
    page = OpenPage(browser, file, width).page
    difference = page.locator("#hops th", has_text="Difference").bounding_box()
    assert difference["x"] + difference["width"] <= width
    interval = page.locator("#hops th", has_text="interval").bounding_box()
    assert interval["x"] + interval["width"] <= width
    # The height of a line of text in pixels on the screen.
    texts = "[...document.querySelectorAll('#hops svg.chart text:not([transform])')]"
    heights = page.evaluate(f"{texts}.map((text) => text.getBoundingClientRect().height)")
    assert min(heights) >= 9
    assert page.locator("#hops svg.chart").bounding_box()["width"] <= width


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
def test_the_viewer_starts_on_a_rescued_node_and_zooms_back(browser, tmp_path) -> None:
    report = Report(rescued_run(), {})
    opened = OpenPage(browser, html.write(tmp_path / "report.html", report.page()))
    opened.state()
    opened.until("window.highwayViewer.state().selected !== null")
    assert opened.state()["selected"] == run().data.ids[report.visible.start]
    panel = opened.page.get_by_role("region", name="Selected node")
    assert "which is wrong. The answer is" in panel.inner_text()
    assert "Nearest label of any class" in panel.inner_text()
    assert panel.locator("dt", has_text="Nearest label of").count() == 2
    assert opened.page.get_by_label(f"Changed by {rescued_run().answer}").count() == 1
    assert "Path to the nearest label of" in panel.inner_text()
    opened.page.keyboard.press("Escape")
    opened.until("window.highwayViewer.state().zoom === 1")
    assert opened.state()["selected"] is None
    assert opened.errors == []


@pytest.fixture(scope="module")
def explained(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    with pytest.MonkeyPatch.context() as patch:
        # The first page of the nodes to check is explained, the last is not.
        patch.setattr(explanations, "MOST_EXPLAINED", 22)
        return html.write(path, Report(rescued_run(), {}, "runs/my run").page())


@needs_viewer
@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1280, "light"),
        (390, "dark"),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in [(1280, "dark"), (390, "light")]),
    ],
)
def test_the_first_node_is_explained_in_the_panel(browser, explained, width, scheme) -> None:
    opened = OpenPage(browser, explained, width, scheme, bypass_csp=AXE.exists())
    opened.state()
    opened.until("window.highwayViewer.state().selected !== null")
    page = opened.page
    why = page.locator(".hv-panel .why")
    # By keyboard, as a button is pressed.
    why.locator("summary").press("Enter")
    selected = opened.state()["selected"]
    record = hg.explain(rescued_run(), selected)
    text = why.inner_text()
    for part in ("Labelled nodes", "Features", "Nearest label", "On the original graph:", f"{record.margin:.2f} above"):
        assert part in text
    assert str(record.labels[0].id) in text
    assert record.features[0].name in text
    assert why.locator("code").inner_text() == f"highway explain 'runs/my run' '{selected}'"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = why.bounding_box()
    assert box["x"] + box["width"] <= width
    if AXE.exists():
        assert opened.violations() == []
    # A node of the explanation is shown in its place.
    why.get_by_role("button", name=str(record.labels[0].id), exact=True).first.click()
    assert opened.state()["selected"] == record.labels[0].id
    assert opened.errors == []
    assert all(url.startswith(("file:", "data:", "blob:")) for url in opened.requests)


def test_a_node_to_check_is_explained_in_its_row_or_by_a_command(browser, explained) -> None:
    opened = OpenPage(browser, explained)
    page = opened.page
    records = page.evaluate("JSON.parse(document.getElementById('explanation-data').textContent).records")
    ids = {str(one["id"]) for one in records}
    buttons, why = page.locator("#check-table tbody button.link"), page.locator("#check-table .why")
    # The nodes of the first page of the table are explained.
    assert set(buttons.all_inner_texts()) <= ids
    buttons.first.click()
    assert "Labelled nodes" in why.inner_text()
    while page.locator("[data-table=check] .next").is_enabled():
        page.click("[data-table=check] .next")
    name = buttons.last.inner_text()
    assert name not in ids
    buttons.last.click()
    assert "This command explains the prediction:" in why.inner_text()
    command = why.locator("code").inner_text()
    assert shlex.split(command) == ["highway", "explain", "runs/my run", name]
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    why.get_by_role("button", name="Copy").click()
    opened.until("['Copied', 'Selected'].includes(document.querySelector('#check-table .why .copy').textContent)")
    assert opened.errors == []


def test_commands_quote_ids_for_a_shell(browser, explained) -> None:
    page = OpenPage(browser, explained).page
    for name in ("it's", "a b", "$(x)", "-5", "plain", NASTY):
        command = page.evaluate("(id) => window.highwayExplanation(id).querySelector('code').textContent", name)
        assert shlex.split(command)[-1] == name
        assert ("--" in shlex.split(command)) == name.startswith("-")


@pytest.mark.parametrize(("width", "scheme"), [pytest.param(1280, "light", marks=pytest.mark.slow), (390, "dark")])
def test_a_sampled_graph_has_images_of_all_nodes(browser, tmp_path, monkeypatch, width, scheme) -> None:
    monkeypatch.setattr(graph_json, "MOST_NODES", 100)
    file = html.write(tmp_path / "report.html", Report(run(), {}).page())
    opened = OpenPage(browser, file, width, scheme, bypass_csp=AXE.exists())
    images = opened.page.locator("img.overview")
    assert images.count() == 2
    sizes = images.evaluate_all("all => all.map(one => one.naturalWidth)")
    assert all(size > 5 for size in sizes)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    assert all(url.startswith(("file:", "data:", "blob:")) for url in opened.requests)
    assert opened.errors == []
    if AXE.exists():
        assert opened.violations() == []


@needs_viewer
def test_a_node_has_a_tooltip_and_is_selected_by_a_click(browser, file) -> None:
    opened = OpenPage(browser, file)
    opened.state()
    page = opened.page
    page.locator("#graph-viewer").scroll_into_view_if_needed()
    page.evaluate("window.highwayViewer.clear()")
    opened.until("window.highwayViewer.state().zoom === 1")
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


def test_the_changed_nodes_of_a_comparison_are_sorted_by_a_click(browser, comparison_file) -> None:
    opened = OpenPage(browser, comparison_file)
    page = opened.page
    head = page.locator("#nodes th", has_text="second predicts").locator("button")
    column = page.locator("#nodes tbody tr td:nth-child(5)")
    following, status = page.get_by_role("button", name="Next"), page.locator("#nodes .status")
    before = column.all_inner_texts()
    total = len(compare_runs(two_runs()).changes[0].predictions)
    assert (len(before), status.inner_text()) == (15, f"1 to 15 of {total}")
    while following.is_enabled():
        following.press("Enter")
        before += column.all_inner_texts()
    assert len(before) == total
    head.click()
    # Sorting begins with the first page again.
    assert column.all_inner_texts() == sorted(before)[:15]
    head.click()
    assert column.all_inner_texts() == sorted(before, reverse=True)[:15]
    assert page.get_by_role("button", name="Previous").is_disabled()
    assert page.locator("#nodes th[aria-sort=descending]").count() == 1
    assert opened.errors == []


@pytest.fixture(scope="module")
def folds_file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("page") / "folds.html"
    return html.write(path, Report(few_labels(), {}).page())


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_of_folds_has_no_false_heads_and_no_empty_charts(browser, folds_file, width) -> None:
    opened = OpenPage(browser, folds_file, width)
    page = opened.page
    heads = page.locator("#candidates th[scope=col]").all_inner_texts()
    assert heads == ["Candidate", "Score", "Difference", "Error", "Folds %"]
    text = page.locator("main").inner_text()
    assert not [words for words in ("on validation", "Test accuracy", "Test %", "Validation %") if words in text]
    # Every chart has at least one value under the pointer.
    marks = [chart.locator(".mark").count() for chart in page.locator("svg.chart").all()]
    assert len(marks) > 4
    assert min(marks) > 0
    assert page.locator("#check-table tbody tr").count() <= 20
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.errors == []


@needs_viewer
def test_a_labelled_node_of_folds_has_both_predictions(browser, folds_file) -> None:
    opened = OpenPage(browser, folds_file)
    opened.state()
    assert opened.page.evaluate(f"window.highwayViewer.select({MISLABELLED[0]})")
    panel = opened.page.get_by_role("region", name="Selected node").inner_text()
    for words in ("out of fold", "by the model of all labels", "in other folds", "train, held out by one fold"):
        assert words in panel
    # Its path leads to a label of another fold, without the highways of the model of all labels.
    for words in ("Path to the nearest label of", "Original graph"):
        assert words in panel
    assert "With highways" not in panel
    assert "0 hops" not in panel
    assert opened.errors == []
