"""Out-of-fold predictions: mean accuracy, its error and its interval."""

import math

import pytest
import torch

from highwaygraph.runs.folds import Fold, OutOfFold
from highwaygraph.runs.intervals import wilson_interval


def folds(*accuracies: float) -> OutOfFold:
    records = (Fold(i + 1, 10, a, math.nan, a, 1, (5,)) for i, a in enumerate(accuracies))
    nodes = torch.arange(4)
    return OutOfFold(nodes, nodes % 2, nodes % 2, torch.eye(2)[nodes % 2], None, tuple(records))


def test_mean_error_and_interval() -> None:
    found = folds(0.7, 0.8, 0.9)
    assert found.accuracy == pytest.approx(0.8)
    assert found.error == pytest.approx(0.1 / math.sqrt(3))
    # Student's t with 2 degrees of freedom is 4.303 at 97.5 %.
    assert found.interval == pytest.approx((0.8 - 4.3027 * found.error, 1.0), abs=1e-4)
    assert math.isnan(found.typical_accuracy)
    assert found.predict().tolist() == [0, 1, 0, 1]


def test_equal_folds_have_the_interval_of_their_nodes() -> None:
    assert folds(0.75, 0.75).error == 0
    assert folds(0.75, 0.75).interval == wilson_interval(0.75, 20)
    assert folds(1.0, 1.0).interval == (pytest.approx(0.839, abs=1e-3), 1.0)
