import math
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.training.class_metrics import (
    average_precision,
    balanced_accuracy,
    class_scores,
    precision_recall_area,
    rarer_class,
)
from highwaygraph.training.metrics import macro_f1

oracle = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")


@st.composite
def predictions(draw: st.DrawFn) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return predicted and true classes of a few nodes, and a mask with at least one of them."""
    nodes, classes = draw(st.integers(1, 25)), draw(st.integers(1, 5))
    some = st.lists(st.integers(0, classes - 1), min_size=nodes, max_size=nodes)
    mask = torch.tensor(draw(st.lists(st.booleans(), min_size=nodes, max_size=nodes)))
    mask[draw(st.integers(0, nodes - 1))] = True
    return torch.tensor(draw(some)), torch.tensor(draw(some)), mask


@given(predictions())
def test_scores_per_class_are_those_of_scikit_learn(case) -> None:
    predicted, labels, mask = case
    rows = class_scores(predicted, labels, mask, count=6)
    expected = oracle.precision_recall_fscore_support(
        labels[mask], predicted[mask], labels=range(len(rows)), zero_division=np.nan
    )
    found = [[row.precision, row.recall, row.f1, row.nodes] for row in rows]
    np.testing.assert_allclose(found, np.array(expected).T)
    assert [row.label for row in rows] == list(range(6))


@given(predictions())
def test_balanced_accuracy_and_macro_f1_are_those_of_scikit_learn(case) -> None:
    predicted, labels, mask = case
    with warnings.catch_warnings():
        # scikit-learn warns of classes that are predicted and do not occur.
        warnings.simplefilter("ignore", UserWarning)
        expected = oracle.balanced_accuracy_score(labels[mask], predicted[mask])
    assert balanced_accuracy(predicted, labels, mask) == pytest.approx(expected)
    expected = oracle.f1_score(labels[mask], predicted[mask], average="macro")
    assert macro_f1(predicted, labels, mask) == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=40))
def test_average_precision_is_that_of_scikit_learn_also_with_ties(pairs) -> None:
    scores, positive = torch.tensor([float(s) for s, _ in pairs]), torch.tensor([p for _, p in pairs])
    if positive.any():
        expected = oracle.average_precision_score(positive, scores)
        assert average_precision(scores, positive) == pytest.approx(expected)
    else:
        assert math.isnan(average_precision(scores, positive))


def test_predicting_the_largest_class_has_a_balanced_accuracy_of_a_half() -> None:
    labels = torch.tensor([0] * 95 + [1] * 5)
    everything = torch.ones(100, dtype=torch.bool)
    assert balanced_accuracy(torch.zeros(100, dtype=torch.long), labels, everything) == 0.5
    first, second = class_scores(torch.zeros(100, dtype=torch.long), labels, everything)
    assert (first.precision, first.recall, first.nodes) == (0.95, 1.0, 95)
    assert math.isnan(second.precision)
    assert (second.recall, second.f1, second.nodes) == (0.0, 0.0, 5)


def test_without_evaluated_nodes_nothing_is_defined() -> None:
    labels, none = torch.tensor([0, 1]), torch.zeros(2, dtype=torch.bool)
    assert math.isnan(balanced_accuracy(labels, labels, none))
    assert class_scores(labels, labels, none) == []
    (row,) = class_scores(labels, labels, none, count=1)
    assert row.nodes == 0
    assert all(math.isnan(score) for score in (row.precision, row.recall, row.f1))


def test_the_area_is_that_of_the_rarer_class() -> None:
    rng = torch.Generator().manual_seed(0)
    labels = (torch.rand(400, generator=rng) < 0.9).long()
    logits = torch.randn(400, 2, generator=rng)
    logits[torch.arange(400), labels] += 1
    mask = torch.arange(400) % 2 == 0
    assert rarer_class(labels) == 0
    expected = oracle.average_precision_score(labels[mask] == 0, logits.softmax(dim=1)[mask, 0])
    assert precision_recall_area(logits, labels, mask) == pytest.approx(expected)
    # A threshold moves along the curve: a bias on the logits does not change it.
    assert precision_recall_area(logits + torch.tensor([0.0, 1.5]), labels, mask) == pytest.approx(expected)
    assert precision_recall_area(torch.randn(400, 3, generator=rng), labels, mask) is None


def test_of_two_classes_of_equal_size_the_second_is_positive() -> None:
    assert rarer_class(torch.tensor([0, 1, -1, -1])) == 1
