"""The simple baselines of a run: fitted on training labels, with settings chosen on validation."""

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array
from torch import Tensor

from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.baselines import boosting
from highwaygraph.nn.baselines.label_propagation import ALPHAS, propagate_labels
from highwaygraph.nn.baselines.logistic import MOST_ROWS, Linear, logistic_path
from highwaygraph.nn.baselines.smoothing import smooth, smoothed_rows, smoothing_matrix
from highwaygraph.nn.calibration import calibrated_log_likelihood

# Hops that features are averaged over, validation chooses among.
HOPS = (1, 2, 4, 8)


# Entries of the features and of the smoothed rows, half a GiB each in double precision; larger graphs are compared with
# typical training only.
MOST_ENTRIES = 2**26


# Added to probabilities before their logarithm.
TINY = 1e-6


Predict = Callable[[Graph], Tensor]


class Baseline(NamedTuple):
    """A fitted baseline."""

    name: str
    predict: Predict
    """Returns the logits of every node of a graph whose features are scaled as those of the training graph."""
    setting: str
    """The setting that validation chose."""


class _Task(NamedTuple):
    """The labelled nodes that baselines are fitted and chosen on."""

    data: Graph
    matrix: csr_array
    x: csr_array
    train: NDArray[np.int64]
    val: NDArray[np.int64]
    labels: NDArray[np.int64]
    """Classes of the training nodes."""
    val_labels: Tensor
    classes: int

    def score(self, logits: Tensor) -> float:
        """Return the calibrated likelihood of logits of the validation nodes; higher is better."""
        return float(calibrated_log_likelihood(logits, self.val_labels).mean())


def is_feasible(data: Graph) -> bool:
    """Return whether the baselines fit in memory and in the time of a training."""
    labelled = int((data.train_mask | data.val_mask).sum())
    largest = max(data.x.numel(), data.num_nodes * min(data.x.size(1), labelled))
    return data.has_edge_index and largest <= MOST_ENTRIES


def fit_baselines(data: Graph, classes: int, only: Collection[str] | None = None) -> Iterator[Baseline]:
    """Fit the baselines one after the other.

    Args:
        data: The graph with its split and with scaled features.
        classes: The number of classes.
        only: Names of baselines; all unless given.

    Yields:
        The largest class, features alone, label propagation, smoothed features, and gradient boosting where
        scikit-learn is installed and features and nodes are few.
    """
    task = _task(data, classes)
    for name, fit in BASELINES.items():
        is_fitted = name != "gradient boosting" or boosting.is_available(data.x.size(1), data.num_nodes, classes)
        if is_fitted and (only is None or name in only):
            yield Baseline(name, *fit(task))


def _task(data: Graph, classes: int) -> _Task:
    train, val = (mask.nonzero().flatten().numpy() for mask in (data.train_mask, data.val_mask))
    # An even sample in the order of the nodes is the same in every run.
    train = train[:: max(1, -(-len(train) // MOST_ROWS))]
    labels = data.y.numpy()
    x = csr_array(data.x.numpy().astype(np.float64))
    return _Task(data, smoothing_matrix(data), x, train, val, labels[train], data.y[data.val_mask], classes)


def _largest_class(task: _Task) -> tuple[Predict, str]:
    share = np.bincount(task.labels, minlength=task.classes) / len(task.labels)
    logits = torch.from_numpy(np.log(share + TINY)).float()
    return lambda graph: logits.expand(graph.num_nodes, -1).clone(), ""


def _features_alone(task: _Task) -> tuple[Predict, str]:
    return _linear(task, (0,))


def _smoothed_features(task: _Task) -> tuple[Predict, str]:
    return _linear(task, HOPS)


def _linear(task: _Task, hops: tuple[int, ...]) -> tuple[Predict, str]:
    """Return logistic regression on S^k X for the best of these k and of the penalties."""
    nodes, count = np.concatenate([task.train, task.val]), len(task.train)
    found: list[tuple[float, int, Linear]] = []
    for k, rows in zip(hops, smoothed_rows(task.matrix, task.x, nodes, hops), strict=True):
        fitted, held_out = torch.from_numpy(rows).split([count, len(nodes) - count])
        for linear in logistic_path(fitted.contiguous(), torch.from_numpy(task.labels), task.classes):
            found.append((task.score(held_out @ linear.weight + linear.bias), k, linear))
    _, best, linear = max(found, key=lambda one: one[0])

    def predict(graph: Graph) -> Tensor:
        logits = smooth(_matrix(task, graph), (graph.x.double() @ linear.weight).numpy(), best)
        return (torch.from_numpy(logits) + linear.bias).float()

    return predict, f"{best} {'hop' if best == 1 else 'hops'}" if best else ""


def _label_propagation(task: _Task) -> tuple[Predict, str]:
    def spread(matrix: csr_array, alpha: float) -> Tensor:
        return torch.from_numpy(propagate_labels(matrix, task.labels, task.train, task.classes, alpha) + TINY).log()

    scores = {alpha: task.score(spread(task.matrix, alpha)[task.val]) for alpha in ALPHAS}
    best = max(scores, key=scores.__getitem__)

    def predict(graph: Graph) -> Tensor:
        if graph is not task.data and not graph.num_attached:
            raise DataError("Label propagation needs the labels of the graph it was fitted on: attach the new nodes.")
        return spread(_matrix(task, graph), best).float()

    return predict, f"alpha {best}"


def _gradient_boosting(task: _Task) -> tuple[Predict, str]:
    def columns(graph: Graph) -> NDArray[np.float64]:
        own = graph.x.numpy().astype(np.float64)
        return np.hstack([own, _matrix(task, graph) @ own])

    own = columns(task.data)
    trees = boosting.boosted_trees(own, task.train, task.labels, task.classes)
    scored = [(task.score(torch.from_numpy(one.predict(own[task.val]) + TINY).log()), one) for one in trees]
    _, best = max(scored, key=lambda pair: pair[0])
    return lambda graph: torch.from_numpy(best.predict(columns(graph)) + TINY).log().float(), f"{best.steps} steps"


def _matrix(task: _Task, graph: Graph) -> csr_array:
    return task.matrix if graph is task.data else smoothing_matrix(graph)


BASELINES: dict[str, Callable[[_Task], tuple[Predict, str]]] = {
    "largest class": _largest_class,
    "features alone": _features_alone,
    "label propagation": _label_propagation,
    "smoothed features": _smoothed_features,
    "gradient boosting": _gradient_boosting,
}
"""The baselines by name, simplest first."""


LINEAR_OR_TREES = ("features alone", "smoothed features", "gradient boosting")
"""Baselines that predict any graph; label propagation needs the labels of the graph itself."""
