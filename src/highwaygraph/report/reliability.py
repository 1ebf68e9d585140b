"""Reliability of a run's confidences, before and after calibration, for the report."""

from typing import NamedTuple

import torch
from torch import Tensor

from highwaygraph.runs.calibrated import (
    HeldOutPredictions,
    calibrated_probs,
    fit_calibration,
    held_out_predictions,
)
from highwaygraph.runs.result import Result
from highwaygraph.training.metrics import CalibrationBin, calibration, calibration_error


class Reliability(NamedTuple):
    """Confidence and accuracy of nodes of similar confidence."""

    bins: list[CalibrationBin]
    error: float
    """Expected calibration error."""


class BeforeAfter(NamedTuple):
    """The reliability of the softmax, and of the calibrated probabilities, on the same nodes."""

    before: Reliability
    after: Reliability
    source: str
    """Nodes that are evaluated: "test" or "out-of-fold"."""


def reliability(result: Result) -> BeforeAfter | None:
    """Return the reliability before and after calibration, on nodes that did not calibrate.

    Args:
        result: A finished run with test nodes, or with folds; each fold is calibrated on the others.

    Returns:
        Both diagrams, None where the run has neither.
    """
    data, folds = result.data, result.folds
    if bool(data.test_mask.any()):
        test, labels = data.test_mask, data.y[data.test_mask]
        after = calibrated_probs(result)[test]
        return BeforeAfter(_of(result.logits[test].softmax(dim=1), labels), _of(after, labels), "test")
    if folds is None:
        return None
    found = held_out_predictions(result)
    after = torch.empty_like(found.logits)
    for number in range(len(folds.folds)):
        own = folds.fold == number
        rest = HeldOutPredictions(*(column[~own] for column in found))
        after[own] = fit_calibration(rest).probs(found.logits[own], found.group[own])
    return BeforeAfter(_of(found.logits.softmax(dim=1), found.labels), _of(after, found.labels), "out-of-fold")


def _of(probs: Tensor, labels: Tensor) -> Reliability:
    confidence, predicted = probs.max(dim=1)
    bins = calibration(confidence, predicted == labels)
    return Reliability(bins, calibration_error(bins))
