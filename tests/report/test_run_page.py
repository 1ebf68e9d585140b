import copy
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
import torch

from highwaygraph.report import run_page
from highwaygraph.report.run_charts import run_charts
from highwaygraph.report.run_data import read
from highwaygraph.report.run_page import Report
from tests.helpers.example import NASTY, run
from tests.helpers.refitted import MISLABELLED, few_labels, refitted


class Links(HTMLParser):
    """Collects the resources that a browser would fetch, the ids of the page and the links to them."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched, self.names, self.links = [], [], []

    def handle_starttag(self, tag, attributes) -> None:
        found = dict(attributes)
        self.fetched += [found[k] for k in ("src", "srcset", "data", "xlink:href") if found.get(k)]
        self.fetched += [found["href"]] if tag == "link" else []
        self.links += [found["href"]] if tag == "a" else []
        self.names += [found["id"]] if "id" in found else []


@pytest.fixture(scope="module")
def text() -> str:
    return Report(run(), {"command": "highway train '<b>'", "versions": {"torch": "2"}}).page()


def test_the_page_loads_no_external_resource(text: str) -> None:
    links = Links()
    links.feed(text)
    assert links.fetched
    assert all(place.startswith(("data:", "#")) for place in links.fetched)
    assert len(links.names) == len(set(links.names))
    assert {link[1:] for link in links.links} <= set(links.names)
    assert "url(http" not in text


def test_text_from_data_is_escaped(text: str) -> None:
    assert NASTY not in text
    assert "<b>a</b>" not in text
    assert "&lt;b&gt;a&lt;/b&gt;" in text
    assert "highway train &#39;&lt;b&gt;&#39;" in text


def test_one_number_comes_first_and_sections_follow_in_order(text: str) -> None:
    gain = read(run()).gain
    number = f"{gain.points:+.1f}".replace("-", "\N{MINUS SIGN}")
    assert text.count('class="number"') == 1
    assert f'<p class="number"><b>{number}</b> points</p>' in text
    sections = re.findall(r'<section id="(\w+)">', text)
    assert sections == ["hops", "classes", "graph", "check", "highways", "training", "calibration", "reproduce"]


def test_charts_are_native_and_have_hover_values(text: str) -> None:
    charts = re.findall(r'<svg viewBox="[^"]+" role="img" aria-label="([^"]+)" class="chart">(.*?)</svg>', text)
    assert len(charts) == len(run_charts(read(run())))
    assert all("<title>" in body for _, body in charts)
    assert "matplotlib" not in text


def test_the_nodes_to_check_are_in_the_page_and_written_as_csv(text: str, tmp_path) -> None:
    path = Report(run(), {}).save_check_table(tmp_path / "check.csv")
    embedded = json.loads(re.search(r'id="check-csv">(.*?)</script>', text)[1])
    assert path.read_text() == embedded
    assert embedded.startswith("id,reason,label,class,confidence,others_predict,part,hops")


def test_a_run_without_baseline_highways_or_command() -> None:
    result = run(baseline=False, ids=False)
    none = type(result.highway_table).empty()
    bare = Report(type(result)(**{**vars(result), "highway_table": none}), {}).page()
    assert "The run was made in Python" in bare
    assert 'id="highways"' not in bare
    # Its only matrix explains its colours.
    assert "correct predictions in blue" in bare
    assert "of each training alone" not in bare
    assert "confusion-typical" not in bare


def test_a_model_of_all_labels_has_a_page_without_missing_numbers() -> None:
    page = Report(refitted(), {}).page()
    assert "180 labels, all trained on and each held out by one fold" in page
    equal = replace(run(), baseline=replace(run().baseline, logits=run().logits))
    assert "No node was rescued or lost" in Report(equal, {}).page()
    alone = Report(run(baseline=False), {}).page()
    assert "<h2>Highways</h2>" in alone
    assert "rescued or lost" not in alone
    assert not re.search(r'd="[^"]*nan', page)


def test_figures_for_print(tmp_path) -> None:
    paths = Report(run(), {}).save_figures(tmp_path / "figures")
    names = {path.stem for path in paths}
    assert names == {*run_charts(read(run())), "layer", "layer-typical", "graph"}
    assert len(paths) == 3 * len(names)
    assert all(path.stat().st_size > 1000 for path in paths)


def test_a_sample_of_a_large_graph_is_embedded(monkeypatch) -> None:
    monkeypatch.setattr(run_page, "MOST_EMBEDDED", 10)
    chosen = run_page.sample_embedded(50)
    assert len(chosen) == len(chosen.unique()) == 10
    assert torch.equal(chosen, run_page.sample_embedded(50))
    assert len(run_page.sample_embedded(5)) == 5


def test_the_page_of_folds_states_nothing_on_validation_or_test_nodes(tmp_path) -> None:
    report = Report(few_labels(), {})
    page = re.sub(r"<(script|style|pre).*?</\1>", "", report.page(), flags=re.DOTALL)
    assert "Folds %" in page
    for words in ("Validation %", "Test %", "on validation", "Test accuracy", "Precision of highways by"):
        assert words not in page
    assert "Their precision is unknown" in page
    assert 'aria-label="Calibration error by distance"' not in page
    names = {path.stem for path in report.save_figures(tmp_path)}
    assert "candidates" in names
    assert not {name for name in names if name.startswith("highways-")}


def test_folds_with_test_nodes_have_both_accuracies_and_labels_by_folds() -> None:
    data = copy.copy(few_labels().data)
    data.test_mask = torch.zeros_like(data.train_mask)
    data.y = data.y.clone()
    data.test_mask[1], data.y[1] = True, 0
    report = Report(replace(few_labels(), data=data), {})
    page = report.page()
    assert "Folds %" in page
    assert "Test %" in page
    assert "Test accuracy decides nothing." in page
    assert {one.node for one in report.check_table.checked.nodes[:2]} == set(MISLABELLED)
