"""The explanations of a page: the records of the command, for some nodes."""

import json
from dataclasses import replace

import pytest

import highwaygraph as hg
from highwaygraph.report import explanations
from highwaygraph.report.check_first import CheckedNode, CheckList
from highwaygraph.report.explanations import explained_nodes, explanation_document
from highwaygraph.report.highway_scores import ChangedNodes
from highwaygraph.runs.open import MissingModule
from tests.helpers.example import run
from tests.helpers.library import library
from tests.helpers.refitted import refitted


def checked(*nodes: int) -> CheckList:
    return CheckList([CheckedNode(node, "low confidence", 0, 0.5, {}) for node in nodes], (0, 0), (0, 0))


def test_the_first_node_is_followed_by_each_kind_in_turn() -> None:
    changed = ChangedNodes([5, 6, 7], [9])
    assert explained_nodes(6, changed, checked(1, 5)) == [6, 5, 9, 1, 7]
    assert explained_nodes(None, ChangedNodes([], []), checked(3)) == [3]


def test_nodes_to_check_are_explained_before_most_rescued_ones() -> None:
    found = explained_nodes(0, ChangedNodes(list(range(1, 100)), []), checked(*range(100, 200)))
    assert len(found) == explanations.MOST_EXPLAINED
    assert sum(node < 100 for node in found) == 1 + explanations.MOST_CHANGED
    listed = [node for node in found if node >= 100]
    assert listed == list(range(100, 100 + len(listed)))


def test_records_are_those_of_the_command() -> None:
    found = explanation_document(run(), [7, 90], "runs/my run")
    assert found["command"] == "highway explain 'runs/my run'"
    expected = hg.explain_nodes(run(), [run().data.ids[node] for node in (7, 90)])
    for shown, record in zip(found["records"], json.loads(json.dumps(expected)), strict=True):
        assert shown.keys() == record.keys()
        for name in explanations.LISTS:
            assert [one.get("id", one.get("name")) for one in shown[name]] == [
                one.get("id", one.get("name")) for one in record[name][: explanations.MOST_ROWS]
            ]
        assert shown["margin"] == pytest.approx(record["margin"], abs=1e-4)
        assert shown["nearest_before"] == record["nearest_before"]


def test_a_module_of_the_user_is_explained_in_python() -> None:
    found = explanation_document(replace(run(), model=MissingModule("Mine")), [7], "runs/mine")
    assert found["command"] is None
    assert "explain it in Python" in found["note"]
    assert found["records"] == []


def test_training_nodes_of_a_model_of_all_labels_have_a_note() -> None:
    assert "a fold that held it out" in explanation_document(refitted(), [], "r")["training_note"]
    assert explanation_document(run(), [], "r")["training_note"] is None


def test_large_graphs_and_long_explanations_are_left_to_the_command(monkeypatch) -> None:
    monkeypatch.setattr(explanations, "LARGEST", 100)
    assert explanation_document(run(), [7], "r")["records"] == []
    monkeypatch.setattr(explanations, "LARGEST", 180)
    assert len(explanation_document(run(), [7], "r")["records"]) == 1
    monkeypatch.setattr(explanations, "MOST_SECONDS", -1.0)
    found = explanation_document(run(), [7], "r")
    assert (found["command"], found["note"], found["records"]) == ("highway explain r", None, [])


def test_a_run_of_several_node_types_has_a_page_with_a_note() -> None:
    data = hg.split(hg.load(library()), 10, 10, 0)
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 5, "fit.device": "cpu"})
    result = hg.train(hg.models.build("hetero_sage", data, hidden=8), data, config, progress=False)
    found = explanation_document(result, [7], "runs/library")
    assert (found["command"], found["records"]) == (None, [])
    assert "not supported for several node types" in found["note"]
