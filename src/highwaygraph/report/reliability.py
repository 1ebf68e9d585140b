"""Reliability of a run's confidences, before and after calibration, of all evaluated nodes and by distance."""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from highwaygraph.runs.calibrated import (
    GROUPS,
    HeldOutPredictions,
    calibrated_probs,
    distance_groups,
    fit_calibration,
    held_out_predictions,
    run_calibration,
)
from highwaygraph.runs.evaluation import Source
from highwaygraph.runs.result import Result
from highwaygraph.training.metrics import CalibrationBin, calibration, calibration_error

# Fewest nodes of which a calibration error is computed: of fewer, most of it is chance.
LEAST_NODES = 100


class Reliability(NamedTuple):
    """Confidence and accuracy of nodes of similar confidence."""

    bins: list[CalibrationBin]

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return sum(one.nodes for one in self.bins)

    @property
    def error(self) -> float:
        """Expected calibration error."""
        return calibration_error(self.bins)

    @property
    def chance(self) -> float:
        """Calibration error that is expected of probabilities without any, because the nodes are few."""
        # Mean absolute deviation of a binomial proportion, by the normal approximation.
        spread = [math.sqrt(2 / math.pi * b.nodes * b.confidence * (1 - b.confidence)) for b in self.bins]
        return sum(spread) / self.nodes if self.nodes else math.nan


class BeforeAfter(NamedTuple):
    """The reliability of the softmax, and of the calibrated probabilities, on the same nodes."""

    before: Reliability
    after: Reliability | None
    """None where every evaluated node calibrated."""

    @property
    def has_enough(self) -> bool:
        """Whether there are nodes enough for a calibration error."""
        return self.before.nodes >= LEAST_NODES


class RunReliability(NamedTuple):
    """The reliability of a run."""

    overall: BeforeAfter
    by_distance: list[BeforeAfter]
    """Nodes up to one hop from the nearest label of any class, two hops, and further or without a path."""
    source: Source
    """Nodes that are evaluated."""
    temperatures: tuple[float, ...]
    """Temperature of every distance."""


class _Evaluated(NamedTuple):
    """The evaluated nodes."""

    before: Float[Tensor, "k c"]
    after: Float[Tensor, "k c"] | None
    labels: Int[Tensor, "k"]
    group: Int[Tensor, "k"]
    source: Source


def reliability(result: Result) -> RunReliability:
    """Return the reliability before and after calibration, on nodes that did not calibrate.

    Args:
        result: A finished run. Without test nodes, the folds are evaluated, each calibrated on the others; without
            folds, the validation nodes, before calibration only.

    Returns:
        The diagrams of all nodes and by distance.
    """
    found = _evaluated(result)
    groups = [_compare(found, found.group == number) for number in range(GROUPS)]
    overall = _compare(found, torch.ones_like(found.group, dtype=torch.bool))
    return RunReliability(overall, groups, found.source, run_calibration(result).temperatures)


def _evaluated(result: Result) -> _Evaluated:
    data = result.data
    if bool(data.test_mask.any()):
        test, group = data.test_mask, distance_groups(data, data.train_mask)
        after = calibrated_probs(result)[test]
        return _Evaluated(result.logits[test].softmax(dim=1), after, data.y[test], group[test], "test")
    found = held_out_predictions(result)
    before = found.logits.softmax(dim=1)
    if result.folds is None:
        return _Evaluated(before, None, found.labels, found.group, "validation")
    after = torch.empty_like(found.logits)
    for number in range(len(result.folds.folds)):
        own = result.folds.fold == number
        rest = HeldOutPredictions(*(column[~own] for column in found))
        after[own] = fit_calibration(rest).probs(found.logits[own], found.group[own])
    return _Evaluated(before, after, found.labels, found.group, "out-of-fold")


def _compare(found: _Evaluated, rows: Tensor) -> BeforeAfter:
    after = None if found.after is None else _of(found.after[rows], found.labels[rows])
    return BeforeAfter(_of(found.before[rows], found.labels[rows]), after)


def _of(probs: Tensor, labels: Tensor) -> Reliability:
    confidence, predicted = probs.max(dim=1)
    return Reliability(calibration(confidence, predicted == labels))
