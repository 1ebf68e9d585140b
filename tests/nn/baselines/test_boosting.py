"""Gradient-boosted trees."""

import sys

import numpy as np
import pytest

from highwaygraph.nn.baselines.boosting import MOST_COLUMNS, MOST_PREDICTIONS, STEPS, boosted_trees, is_available


def test_trees_learn_what_a_linear_classifier_cannot() -> None:
    x = np.random.default_rng(0).normal(size=(600, 2))
    labels = (x[:, 0] * x[:, 1] > 0).astype(np.int64)
    *_, trees = boosted_trees(x, np.arange(300), labels[:300], 3)
    assert trees.steps == STEPS[-1]
    assert trees.predict(x).shape == (600, 3)
    assert (trees.predict(x[300:]).argmax(axis=1) == labels[300:]).mean() > 0.85
    assert (trees.predict(x)[:, 2] == 0).all()


def test_trees_are_for_few_columns_and_need_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_available(MOST_COLUMNS, 100, 3)
    assert not is_available(MOST_COLUMNS + 1, 100, 3)
    assert not is_available(0, 100, 3)
    most = MOST_PREDICTIONS // (10 * STEPS[-1])
    assert is_available(3, most, 10)
    assert not is_available(3, most + 1, 10)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    assert not is_available(3, 100, 3)
