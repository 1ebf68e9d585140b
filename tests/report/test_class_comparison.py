import json
import math
from dataclasses import replace

import pytest
import torch

from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.report.class_comparison import (
    ClassRow,
    class_rows,
    gain_on_test,
    gain_record,
    largest_class,
    lowest_f1,
    needs_classes,
    precision_recall,
    scores_by_class,
)
from highwaygraph.runs.history import Baseline
from highwaygraph.runs.result import Result
from highwaygraph.training.class_metrics import ClassScores
from highwaygraph.training.engine import train
from tests.helpers.example import run, without_test
from tests.helpers.graphs import block_graph


def two_classes() -> Result:
    """Return a run on two classes, with made-up logits of typical training that put all nodes in the first class."""
    data = block_graph(classes=2)
    result = train(build("gcn", data), data, override(PRESETS["typical"], {"fit.epochs": 20, "fit.device": "cpu"}))
    largest = torch.tensor([[1.0, 0.0]]).repeat(data.num_nodes, 1)
    return replace(result, baseline=Baseline(largest, result.best, ()))


def rows_of(*nodes: int) -> list[ClassRow]:
    """Return rows of classes with these numbers of test nodes and a rising F1."""
    scores = [ClassScores(c, count, 0.5, 0.5, c / 100 if count else math.nan) for c, count in enumerate(nodes)]
    return [ClassRow(f"class {row.label}", row, None) for row in scores]


def test_every_class_has_a_row_with_both_trainings() -> None:
    rows = class_rows(run())
    assert [row.name for row in rows] == run().data.classes
    assert sum(row.ours.nodes for row in rows) == sum(row.typical.nodes for row in rows) == 120
    right = sum(row.ours.recall * row.ours.nodes for row in rows)
    assert right / 120 == pytest.approx(run().test)
    assert all(row.typical is None for row in class_rows(run(baseline=False)))


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [((50, 50), True), ((40, 40, 40), True), ((40, 40, 40, 40), False), ((100, 40, 40, 10), True), ((0, 0), False)],
)
def test_classes_are_needed_where_they_are_few_or_unequal(nodes, expected) -> None:
    assert needs_classes(rows_of(*nodes)) is expected


def test_the_largest_class_is_the_share_of_its_test_nodes() -> None:
    assert largest_class(rows_of(5, 95)) == ("class 1", 0.95)
    assert math.isnan(largest_class(rows_of(0, 0))[1])


def test_classes_without_test_nodes_do_not_count() -> None:
    assert not needs_classes(rows_of(40, 40, 40, 40, 0))
    assert [row.name for row in lowest_f1(rows_of(0, 9, 9, 9), most=2)] == ["class 1", "class 2"]


def test_the_scores_are_json_with_null_where_they_are_not_defined() -> None:
    result = two_classes()
    values = json.loads(json.dumps(scores_by_class(result.data, result.baseline.logits), allow_nan=False))
    assert values["test_balanced_accuracy"] == 0.5
    first, second = values["classes"]
    assert (first["class"], first["recall"], second["recall"], second["precision"]) == ("0", 1.0, 0.0, None)
    # All nodes have the same score: the area is the fraction of positive nodes.
    assert values["test_average_precision"] == pytest.approx(0.5)
    assert scores_by_class(run().data, run().logits)["test_average_precision"] is None
    empty = without_test(run())
    assert scores_by_class(empty.data, empty.logits)["test_macro_f1"] is None


def test_the_area_is_that_of_the_rarer_class_in_both_trainings() -> None:
    result = two_classes()
    found = precision_recall(result)
    assert found.name == "1"
    assert found.typical == pytest.approx(0.5)
    assert found.ours > 0.9
    assert precision_recall(replace(result, baseline=None)).typical is None
    assert precision_recall(run()) is None
    assert precision_recall(without_test(result)) is None


def test_the_gain_has_an_interval_and_a_verdict() -> None:
    result = two_classes()
    record = json.loads(json.dumps(gain_record(gain_on_test(result)), allow_nan=False))
    assert record["points"] == pytest.approx(100 * (result.test - 0.5))
    assert record["low"] < record["points"] < record["high"]
    assert (record["verdict"], record["nodes"]) == ("better", int(result.data.test_mask.sum()))
    assert gain_on_test(replace(result, baseline=None)) is None
    assert gain_on_test(without_test(result)) is None
    assert gain_record(None) is None
