import math

import pytest
import torch
from sklearn import metrics

from highwaygraph.training.label_metrics import (
    label_macro_f1,
    label_scores,
    mean_average_precision,
    micro_f1,
    node_f1,
    subset_accuracy,
)


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_scikit_learn(seed) -> None:
    draw = torch.Generator().manual_seed(seed)
    logits, true = torch.randn(40, 5, generator=draw), (torch.rand(40, 5, generator=draw) < 0.4).long()
    predicted, given = (logits > 0).long(), true.numpy()
    found = predicted.numpy()
    assert micro_f1(predicted, true) == pytest.approx(metrics.f1_score(given, found, average="micro"))
    assert label_macro_f1(predicted, true) == pytest.approx(metrics.f1_score(given, found, average="macro"))
    assert subset_accuracy(predicted, true) == pytest.approx(metrics.accuracy_score(given, found))
    expected = metrics.average_precision_score(given, logits.numpy(), average="macro")
    assert mean_average_precision(logits, true) == pytest.approx(expected)
    by_node = metrics.f1_score(given, found, average="samples", zero_division=1.0)
    assert node_f1(predicted, true).mean().item() == pytest.approx(by_node)
    precision, recall, _, nodes = metrics.precision_recall_fscore_support(given, found)
    rows = label_scores(predicted, true)
    assert [row.precision for row in rows] == pytest.approx(precision.tolist())
    assert [row.recall for row in rows] == pytest.approx(recall.tolist())
    assert [row.nodes for row in rows] == nodes.tolist()


def test_without_nodes_or_labels() -> None:
    none, zeros = torch.zeros(0, 3, dtype=torch.long), torch.zeros(2, 3, dtype=torch.long)
    assert math.isnan(micro_f1(none, none))
    assert math.isnan(subset_accuracy(none, none))
    assert math.isnan(label_macro_f1(zeros, zeros))
    assert math.isnan(mean_average_precision(torch.zeros(2, 3), zeros))
    assert micro_f1(zeros, zeros) == 1
    assert node_f1(zeros, zeros).tolist() == [1, 1]
