"""The generated pages are up to date with the records in results/."""

import json
from collections import defaultdict

import pytest

from highwaygraph.study.records import read_records
from highwaygraph.study.spec import options, read_study
from tools import (
    figures,
    method,
    method_figure,
    other_graphs,
    pages,
    performance,
    plus_tables,
    reproduction,
    scale,
    tried,
    tuned,
    untuned,
)
from tools.fault_injection.page import PAGE, SOURCE, page

ROOT = pages.ROOT


def test_tables_and_templates(tmp_path, monkeypatch) -> None:
    assert pages.table(["a", "b"], [["x", "1"]]) == "| a | b |\n| --- | ---: |\n| x | 1 |"
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "t.template.md").write_text("{{ a }} and {{ b }}")
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    assert pages.fill_template("t", {"a": "1", "b": "2"}) == "1 and 2"
    with pytest.raises(ValueError, match="b"):
        pages.fill_template("t", {"a": "1"})


@pytest.mark.skipif(not performance.SOURCE.exists(), reason="make bench has not been run")
def test_the_performance_page_is_up_to_date(tmp_path, monkeypatch) -> None:
    measured = json.loads(performance.SOURCE.read_text())
    assert performance.page(measured) == performance.PAGE.read_text()
    monkeypatch.setattr(performance, "PLOT", tmp_path / "growth.svg")
    performance.plot(measured["growth"])
    assert (tmp_path / "growth.svg").read_text() == (ROOT / "docs/images/growth.svg").read_text()


@pytest.mark.skipif(not reproduction.PAGE.exists(), reason="the studies have not been run")
def test_the_reproduction_page_is_up_to_date(tmp_path, monkeypatch) -> None:
    assert reproduction.page() == reproduction.PAGE.read_text()
    monkeypatch.setattr(figures, "IMAGES", tmp_path)
    for draw, name in (
        (figures.figure1, "figure1.svg"),
        (figures.figure4, "figure4.png"),
        (figures.figure5, "figure5.svg"),
        (plus_tables.draw, "plus.svg"),
    ):
        draw()
        assert (tmp_path / name).read_bytes() == (ROOT / "docs/images" / name).read_bytes()


@pytest.mark.skipif(not tuned.records("search1").exists(), reason="the searches have not been run")
def test_the_tuned_options_are_the_best_on_validation() -> None:
    assert [study.stem for study in tuned.studies()] == ["plus2", "search4", "table1"]
    for study in tuned.studies():
        text = study.read_text()
        assert tuned.fill_options(text) == text


@pytest.mark.parametrize("name", ["table1", "search4", "plus2"])
def test_records_have_the_options_of_their_study(name) -> None:
    study = read_study(name)
    for record in read_records(tuned.records(name)):
        network, changes = options(study, record.cell)
        config = record.facts["config"]
        assert {k: v for k, v in network.model_dump().items() if k in config["network"]} == config["network"]
        for option, value in changes.items():
            section, field = option.split(".")
            assert config[section][field] == value


def test_an_unfinished_search_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(tuned, "records", lambda search: ROOT / "nowhere" / search)
    with pytest.raises(SystemExit, match="highway study search3"):
        tuned.blocks(["search3"])


def test_options_run_on_more_splits_are_scored_on_all_of_them(monkeypatch) -> None:
    group = ("cora", "sage")
    found = {"search1": {(1,): [0.9], (2,): [0.6], (3,): [0.95]}, "search2": {(1,): [0.6], (2,): [0.7]}}
    monkeypatch.setattr(tuned, "scores", lambda name: defaultdict(dict, {group: found[name]}))
    assert tuned.choose("search1") == {group: (3,)}
    assert tuned.choose("search2") == {group: (2,)}
    assert tuned.choose("search1", "search2") == {group: (1,)}


def test_the_page_of_the_method_is_up_to_date() -> None:
    assert method.page() == method.PAGE.read_text()
    assert method_figure.draw() == method_figure.FIGURE.read_text()


@pytest.mark.skipif(not tried.SOURCE.exists(), reason="the ablation has not been run")
def test_the_ablation_page_is_up_to_date() -> None:
    assert tried.page() == tried.PAGE.read_text()


@pytest.mark.skipif(not untuned.RECORDS.exists(), reason="untuned graphs have not been trained")
def test_the_page_of_untuned_graphs_is_up_to_date() -> None:
    assert untuned.page() == untuned.PAGE.read_text()


def test_the_page_of_other_graphs_is_up_to_date() -> None:
    assert other_graphs.page() == other_graphs.PAGE.read_text()


@pytest.mark.skipif(not SOURCE.exists(), reason="make fault-injection has not been run")
def test_the_reliability_page_is_up_to_date() -> None:
    assert page(json.loads(SOURCE.read_text())) == PAGE.read_text()


@pytest.mark.skipif(not scale.PAGE.exists(), reason="large graphs have not been measured")
def test_the_scale_page_is_up_to_date() -> None:
    assert scale.page(json.loads(scale.SOURCE.read_text())) == scale.PAGE.read_text()
