import json

import pytest

from highwaygraph.report.inspection import inspect
from highwaygraph.report.label_summary import compare_labels
from highwaygraph.training.label_metrics import micro_f1
from tests.helpers.label_graphs import NAMES, split_label_graph, trained_labels


def test_scores_and_the_paired_difference_to_typical_training() -> None:
    result = trained_labels()
    found, test = compare_labels(result), result.data.test_mask
    assert found.ours.micro_f1 == pytest.approx(micro_f1(result.predict()[test], result.data.y[test]))
    assert found.ours.micro_f1 == pytest.approx(result.test)
    assert found.typical is not None
    assert found.typical.micro_f1 == pytest.approx(result.baseline.round.test)
    assert found.gain is not None
    assert found.gain.points == pytest.approx(100 * (found.ours.node_f1 - found.typical.node_f1).mean().item())
    assert found.gain.interval[0] < found.gain.points < found.gain.interval[1]
    record = json.loads(json.dumps(found.as_dict()))
    assert [row["name"] for row in record["labels"]] == NAMES
    assert record["evaluated_on"] == "test"


def test_inspect_counts_labels() -> None:
    data = split_label_graph()
    found = inspect(data)
    assert found.numbers["classes"] == dict(zip(NAMES, data.y.sum(dim=0).tolist(), strict=True))
    assert found.numbers["unlabelled"] == 0
    assert "labels, several per node" in found.properties
    assert found.advice.startswith("Several labels per node")
