"""The simple baselines of a run: fitted on training labels, with settings chosen on validation."""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from scipy.sparse import csr_array
from torch import Tensor

from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.baselines import boosting
from highwaygraph.nn.baselines.label_propagation import ALPHAS, propagate_labels
from highwaygraph.nn.baselines.logistic import MOST_ROWS, Linear, logistic_path, one_vs_rest_path
from highwaygraph.nn.baselines.smoothing import smooth, smoothed_rows, smoothing_matrix
from highwaygraph.nn.calibration import calibrated_log_likelihood, label_log_likelihood

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


class _Option(NamedTuple):
    """A baseline fitted with one of the settings that held-out labels choose from."""

    setting: str
    val_logits: Tensor
    """Its logits of the validation nodes."""
    predict: Predict


class _Task(NamedTuple):
    """The labelled nodes that baselines are fitted and chosen on."""

    data: Graph
    matrix: csr_array
    x: csr_array
    train: NDArray[np.int64]
    val: NDArray[np.int64]
    classes: int
    folds: NDArray[np.int64] | None = None
    """Fold of every training node, where there are no validation nodes."""

    @property
    def labels(self) -> NDArray[np.int64]:
        """Classes, or rows of labels, of the training nodes."""
        return self.data.y.numpy()[self.train]

    def without(self, fold: int) -> "_Task":
        """Return the task in which one fold validates."""
        assert self.folds is not None
        return self._replace(train=self.train[self.folds != fold], val=self.train[self.folds == fold], folds=None)

    def best(self, path: Callable[["_Task"], list[_Option]]) -> tuple[Predict, str]:
        """Return the option with the highest calibrated likelihood of held-out labels, fitted on all training nodes."""
        if self.folds is None:
            options = path(self)
            place = _best_place([one.val_logits for one in options], self.data.y[self.val])
        else:
            tasks = [self.without(fold) for fold in np.unique(self.folds).tolist()]
            found = zip(*([one.val_logits for one in path(task)] for task in tasks), strict=True)
            labels = self.data.y[np.concatenate([task.val for task in tasks])]
            place, options = _best_place([torch.cat(one) for one in found], labels), path(self)
        return options[place].predict, options[place].setting


def _best_place(logits: list[Tensor], labels: Tensor) -> int:
    likelihood = calibrated_log_likelihood if labels.dim() == 1 else label_log_likelihood
    scores = [float(likelihood(one, labels).mean()) for one in logits]
    return scores.index(max(scores))


def is_feasible(data: Graph) -> bool:
    """Return whether the baselines fit in memory and in the time of a training."""
    labelled = int((data.train_mask | data.val_mask).sum())
    largest = max(data.x.numel(), data.num_nodes * min(data.x.size(1), labelled))
    return data.has_edge_index and largest <= MOST_ENTRIES


def fit_baselines(
    data: Graph, classes: int, only: Collection[str] | None = None, folds: Int[Tensor, "k"] | None = None
) -> Iterator[Baseline]:
    """Fit the baselines one after the other.

    Args:
        data: The graph with its split and with scaled features.
        classes: The number of classes.
        only: Names of baselines; all unless given.
        folds: The fold of every training node, by which settings are chosen where there are no validation nodes.

    Yields:
        For several labels per node, label frequency, features alone and smoothed features; else the largest class,
        features alone, label propagation, smoothed features, and gradient boosting where scikit-learn is installed and
        features and nodes are few.
    """
    task = _task(data, classes, folds)
    for name, fit in (LABEL_BASELINES if data.is_multilabel else BASELINES).items():
        is_fitted = name != "gradient boosting" or boosting.is_available(data.x.size(1), data.num_nodes, classes)
        if is_fitted and (only is None or name in only):
            yield Baseline(name, *fit(task))


def _task(data: Graph, classes: int, folds: Tensor | None) -> _Task:
    train, val = (mask.nonzero().flatten().numpy() for mask in (data.train_mask, data.val_mask))
    # An even sample in the order of the nodes is the same in every run.
    step = max(1, -(-len(train) // MOST_ROWS))
    x = csr_array(data.x.numpy().astype(np.float64))
    sampled = None if folds is None else folds.numpy()[::step]
    return _Task(data, smoothing_matrix(data), x, train[::step], val, classes, sampled)


def _largest_class(task: _Task) -> tuple[Predict, str]:
    share = np.bincount(task.labels, minlength=task.classes) / len(task.labels)
    logits = torch.from_numpy(np.log(share + TINY)).float()
    return lambda graph: logits.expand(graph.num_nodes, -1).clone(), ""


def _label_frequency(task: _Task) -> tuple[Predict, str]:
    share = torch.from_numpy(task.labels).double().mean(dim=0)
    logits = share.clamp(TINY, 1 - TINY).logit().float()
    return lambda graph: logits.expand(graph.num_nodes, -1).clone(), ""


def _features_alone(task: _Task) -> tuple[Predict, str]:
    return task.best(partial(_linear, hops=(0,)))


def _smoothed_features(task: _Task) -> tuple[Predict, str]:
    return task.best(partial(_linear, hops=HOPS))


def _linear(task: _Task, hops: tuple[int, ...]) -> list[_Option]:
    """Return logistic regression on S^k X for every one of these k and of the penalties."""
    nodes, count = np.concatenate([task.train, task.val]), len(task.train)
    found = []
    for k, rows in zip(hops, smoothed_rows(task.matrix, task.x, nodes, hops), strict=True):
        fitted, held_out = torch.from_numpy(rows).split([count, len(nodes) - count])
        path = one_vs_rest_path if task.data.is_multilabel else logistic_path
        for linear in path(fitted.contiguous(), torch.from_numpy(task.labels), task.classes):
            setting = f"{k} {'hop' if k == 1 else 'hops'}" if k else ""
            predict = partial(_predict_linear, task, linear, k)
            found.append(_Option(setting, held_out @ linear.weight + linear.bias, predict))
    return found


def _predict_linear(task: _Task, linear: Linear, hops: int, graph: Graph) -> Tensor:
    logits = smooth(_matrix(task, graph), (graph.x.double() @ linear.weight).numpy(), hops)
    return (torch.from_numpy(logits) + linear.bias).float()


def _label_propagation(task: _Task) -> tuple[Predict, str]:
    return task.best(_propagated)


def _propagated(task: _Task) -> list[_Option]:
    def spread(matrix: csr_array, alpha: float) -> Tensor:
        return torch.from_numpy(propagate_labels(matrix, task.labels, task.train, task.classes, alpha) + TINY).log()

    def predict(alpha: float, graph: Graph) -> Tensor:
        if graph is not task.data and not graph.num_attached:
            raise DataError("Label propagation needs the labels of the graph it was fitted on: attach the new nodes.")
        return spread(_matrix(task, graph), alpha).float()

    return [_Option(f"alpha {a}", spread(task.matrix, a)[task.val], partial(predict, a)) for a in ALPHAS]


def _gradient_boosting(task: _Task) -> tuple[Predict, str]:
    return task.best(_boosted)


def _boosted(task: _Task) -> list[_Option]:
    def columns(graph: Graph) -> NDArray[np.float64]:
        own = graph.x.numpy().astype(np.float64)
        return np.hstack([own, _matrix(task, graph) @ own])

    def logits(trees: boosting.Trees, rows: NDArray[np.float64]) -> Tensor:
        # scikit-learn refuses to predict no row at all.
        return torch.from_numpy(trees.predict(rows) + TINY).log() if len(rows) else torch.empty(0, task.classes)

    def predict(trees: boosting.Trees, graph: Graph) -> Tensor:
        return logits(trees, columns(graph)).float()

    own = columns(task.data)
    fitted = boosting.boosted_trees(own, task.train, task.labels, task.classes)
    return [_Option(f"{one.steps} steps", logits(one, own[task.val]), partial(predict, one)) for one in fitted]


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


LABEL_BASELINES: dict[str, Callable[[_Task], tuple[Predict, str]]] = {
    "label frequency": _label_frequency,
    "features alone": _features_alone,
    "smoothed features": _smoothed_features,
}
"""Those of several labels per node; logistic regression is then one per label."""


LINEAR_OR_TREES = ("features alone", "smoothed features", "gradient boosting")
"""Baselines that predict any graph; label propagation needs the labels of the graph itself."""
