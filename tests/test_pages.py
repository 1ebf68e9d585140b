"""The generated pages say what results/ says, to the letter."""

import json
from collections import defaultdict

import pytest

from tools import beyond, figures, pages, performance, reproduction, scale, tried, trust, tuned, untuned

ROOT = pages.ROOT


def test_tables_and_templates(tmp_path, monkeypatch) -> None:
    assert pages.table(["a", "b"], [["x", "1"]]) == "| a | b |\n| --- | ---: |\n| x | 1 |"
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "t.template.md").write_text("{{ a }} and {{ b }}")
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    assert pages.filled("t", {"a": "1", "b": "2"}) == "1 and 2"
    with pytest.raises(ValueError, match="b"):
        pages.filled("t", {"a": "1"})


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
        (beyond.draw, "plus.svg"),
    ):
        draw()
        assert (tmp_path / name).read_bytes() == (ROOT / "docs/images" / name).read_bytes()


@pytest.mark.parametrize("grid", tuned.grids(), ids=lambda path: path.stem)
def test_the_tuned_options_are_the_best_on_validation(grid) -> None:
    text = grid.read_text()
    assert tuned.filled(text) == text


def test_a_search_on_more_splits_decides_with_all_of_them(monkeypatch) -> None:
    place = ("cora", "sage")
    found = {"search1": {(1,): [0.8], (2,): [0.7], (3,): [0.9]}, "search2": {(1,): [0.5], (2,): [0.7]}}
    monkeypatch.setattr(tuned, "scores", lambda name: defaultdict(dict, {place: found[name]}))
    assert tuned.choose("search1") == {place: (3,)}
    assert tuned.choose("search1", "search2") == {place: (2,)}


@pytest.mark.skipif(not tried.SOURCE.exists(), reason="nothing was tried")
def test_the_page_of_what_was_tried_is_up_to_date() -> None:
    assert tried.page() == tried.PAGE.read_text()


@pytest.mark.skipif(not untuned.RECORDS.exists(), reason="nothing was trained on other graphs")
def test_the_page_of_other_graphs_is_up_to_date() -> None:
    assert untuned.page() == untuned.PAGE.read_text()


@pytest.mark.skipif(not trust.SOURCE.exists(), reason="make trust has not been run")
def test_the_reliability_page_is_up_to_date() -> None:
    assert trust.page(json.loads(trust.SOURCE.read_text())) == trust.PAGE.read_text()


@pytest.mark.skipif(not scale.PAGE.exists(), reason="large graphs have not been measured")
def test_the_scale_page_is_up_to_date() -> None:
    assert scale.page(json.loads(scale.SOURCE.read_text())) == scale.PAGE.read_text()
