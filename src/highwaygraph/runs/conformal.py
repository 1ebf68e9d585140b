"""Prediction sets by conformal prediction: classes that hold the true one with a wanted probability."""

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from highwaygraph.errors import ConfigError
from highwaygraph.runs.calibrated import (
    GROUPS,
    HeldOutPredictions,
    calibrated_probs,
    distance_groups,
    fit_calibration,
    held_out_predictions,
)

if TYPE_CHECKING:
    from highwaygraph.graph.graph import Graph
    from highwaygraph.runs.result import Result

GROUP_NAMES = ("1", "2", "3+ or no path")
"""Hops to the nearest label of every group of distance."""


class Coverage(NamedTuple):
    """The share of nodes at one distance whose prediction set holds their class."""

    hops: str
    nodes: int
    coverage: float
    size: float
    """Mean number of classes in a set."""


def least_probability(probs: Float[Tensor, "k c"], labels: Int[Tensor, "k"], coverage: float) -> float:
    """Return the probability from which on a class is in a prediction set.

    Split conformal prediction with the score 1 - p(true class): of k held-out nodes, the ceil((k + 1) coverage)-th
    smallest score. A new exchangeable node is then covered with at least the wanted probability.

    Args:
        probs: The probabilities of held-out nodes.
        labels: Their classes.
        coverage: The wanted share of covered nodes, between 0 and 1.

    Returns:
        The least probability; 0, so that sets hold all classes, where there are too few nodes.

    Example:
        >>> probs = torch.tensor([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.4, 0.6]], dtype=torch.double)
        >>> least_probability(probs, torch.tensor([0, 0, 0, 0]), coverage=0.6)
        0.7
    """
    if not 0 < coverage < 1:
        raise ConfigError(f"The coverage must lie between 0 and 1, not {coverage:g}: give for example 0.9.")
    scores = (1 - probs.gather(1, labels[:, None])[:, 0]).sort().values
    place = _place(len(scores), coverage)
    return round(1 - float(scores[place]), 12) if place < len(scores) else 0.0


def least_nodes(coverage: float) -> int:
    """Return the least number of held-out nodes from which on a coverage does not take sets of all classes.

    Args:
        coverage: The wanted share of covered nodes, between 0 and 1.

    Example:
        >>> least_nodes(0.9), least_nodes(0.5)
        (9, 1)
    """
    return next(count for count in itertools.count(int(coverage / (1 - coverage))) if _place(count, coverage) < count)


def prediction_sets(probs: Float[Tensor, "n c"], least: float) -> Bool[Tensor, "n c"]:
    """Return which classes are in the set of each node: those that are probable enough, and the most probable one."""
    sets = probs >= least
    return sets.scatter(1, probs.argmax(dim=1, keepdim=True), True)


def run_sets(result: "Result", coverage: float, data: "Graph | None" = None) -> Bool[Tensor, "n c"]:
    """Return the prediction sets of every node of a run.

    Args:
        result: A finished run; its validation nodes, or its out-of-fold predictions, set the least probability.
        coverage: The wanted share of covered nodes.
        data: Another graph; the training graph if None.

    Returns:
        A row per node and a column per class.
    """
    return prediction_sets(calibrated_probs(result, data), _least(held_out_predictions(result), coverage))


def coverage_by_distance(result: "Result", coverage: float) -> list[Coverage]:
    """Return the coverage of nodes that neither trained nor calibrated, by distance from the labels.

    Args:
        result: A finished run with test nodes, or with folds.
        coverage: The wanted share of covered nodes.

    Returns:
        A row per distance and one for all; none without such nodes. Folds are covered by sets from the other folds.
    """
    data, folds = result.data, result.folds
    if bool(data.test_mask.any()):
        group = distance_groups(data, data.train_mask)[data.test_mask]
        return _rows(run_sets(result, coverage)[data.test_mask], data.y[data.test_mask], group)
    if folds is None:
        return []
    found = held_out_predictions(result)
    sets = torch.zeros_like(found.logits, dtype=torch.bool)
    for number in range(len(folds.folds)):
        own = folds.fold == number
        rest = HeldOutPredictions(*(column[~own] for column in found))
        probs = fit_calibration(rest).probs(found.logits[own], found.group[own])
        sets[own] = prediction_sets(probs, _least(rest, coverage))
    return _rows(sets, found.labels, found.group)


def _place(count: int, coverage: float) -> int:
    """Return the place of the score that sets the least probability, from 0; `count` or more where there is none."""
    return math.ceil((count + 1) * coverage) - 1


def _least(found: HeldOutPredictions, coverage: float) -> float:
    return least_probability(fit_calibration(found).probs(found.logits, found.group), found.labels, coverage)


def _rows(sets: Tensor, labels: Tensor, group: Tensor) -> list[Coverage]:
    covered, size = sets.gather(1, labels[:, None])[:, 0].double(), sets.sum(dim=1).double()
    parts = [(GROUP_NAMES[number], group == number) for number in range(GROUPS)]
    parts.append(("all", torch.ones_like(group, dtype=torch.bool)))
    return [
        Coverage(name, int(at.sum()), float(covered[at].mean()), float(size[at].mean()))
        for name, at in parts
        if bool(at.any())
    ]
