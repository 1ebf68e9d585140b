"""Gradient-boosted trees on each node's own columns and the mean of its neighbours' columns; needs scikit-learn."""

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highwaygraph.runtime.environment import require_extra

Matrix = NDArray[np.float64]

# Trees on more columns than this take longer than a training; wide features are for the linear baselines.
MOST_COLUMNS = 128


# Boosting steps that validation chooses from.
STEPS = (20, 80)


# Nodes times trees of the largest ensemble that are evaluated within the time of a training.
MOST_PREDICTIONS = 2**25


def is_available(columns: int, nodes: int, classes: int) -> bool:
    """Return whether scikit-learn is installed, and features, nodes and classes are few enough for trees."""
    is_small = 0 < columns <= MOST_COLUMNS and nodes * classes * STEPS[-1] <= MOST_PREDICTIONS
    return is_small and find_spec("sklearn") is not None


class Trees(NamedTuple):
    """The ensemble after a number of boosting steps."""

    steps: int
    predict: Callable[[Matrix], Matrix]
    """Returns the class probabilities of rows with the same columns."""


def boosted_trees(
    columns: Matrix, nodes: NDArray[np.int64], labels: NDArray[np.int64], classes: int
) -> Iterator[Trees]:
    """Fit trees and yield the ensemble after each number of STEPS.

    Args:
        columns: The columns of every node.
        nodes: The labelled nodes.
        labels: Their classes.
        classes: The number of classes.

    Yields:
        Ensembles; classes without a label have probability 0. No node is predicted before `predict` is called.
    """
    ensemble = require_extra("sklearn.ensemble", "gradient boosting", "report")
    leaf = max(2, min(20, len(labels) // (4 * classes)))
    for steps in STEPS:
        trees = ensemble.HistGradientBoostingClassifier(
            max_iter=steps, min_samples_leaf=leaf, max_leaf_nodes=8, early_stopping=False, random_state=0
        )
        yield Trees(steps, partial(_probabilities, trees.fit(columns[nodes], labels), classes))


def _probabilities(trees: Any, classes: int, columns: Matrix) -> Matrix:
    probabilities = np.zeros((len(columns), classes))
    probabilities[:, trees.classes_] = trees.predict_proba(columns)
    return probabilities
