"""What a run's page tells, as plain values: both sides, where they differ, and by how much."""

import math
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Int
from torch import Tensor

from highwaygraph.graph.graph import Graph
from highwaygraph.nn.gnn import GNN
from highwaygraph.runs.history import Epoch
from highwaygraph.runs.open import MissingModule
from highwaygraph.runs.predictions import class_names
from highwaygraph.runs.result import Result
from highwaygraph.training.metrics import (
    CalibrationBin,
    HopAccuracy,
    accuracy,
    accuracy_by_distance,
    calibration,
    calibration_error,
    macro_f1,
)


@dataclass(frozen=True, eq=False)
class Side:
    """One way of training, judged on the held-out nodes."""

    name: str
    logits: Tensor
    data: Graph
    judged: Tensor
    history: tuple[Epoch, ...]

    @cached_property
    def predicted(self) -> Tensor:
        """The class of every node."""
        return self.logits.argmax(dim=1)

    @cached_property
    def confidence(self) -> Tensor:
        """The probability of that class."""
        return self.logits.softmax(dim=1).max(dim=1).values

    @cached_property
    def right(self) -> Tensor:
        """Whether each judged node is classified right."""
        right: Tensor = self.predicted[self.judged] == self.data.y[self.judged]
        return right

    @property
    def accuracy(self) -> float:
        """The share of judged nodes classified right."""
        return accuracy(self.predicted, self.data.y, self.judged)

    @property
    def f1(self) -> float:
        """The mean F1 score over the classes."""
        return macro_f1(self.predicted, self.data.y, self.judged)

    @property
    def hops(self) -> list[HopAccuracy]:
        """Accuracy by distance from the labels, without the total."""
        return accuracy_by_distance(self.data, self.logits)[:-1]

    @property
    def bins(self) -> list[CalibrationBin]:
        """How sure it was beside how often it was right."""
        return calibration(self.confidence[self.judged], self.right)

    @property
    def calibration_error(self) -> float:
        """The mean gap between the two."""
        return calibration_error(self.bins)

    @property
    def confusion(self) -> Int[Tensor, "c c"]:
        """How many judged nodes of each true class (row) were put in each class (column)."""
        count = self.logits.size(1)
        pairs = self.data.y[self.judged] * count + self.predicted[self.judged]
        return torch.bincount(pairs, minlength=count * count).view(count, count)


@dataclass(frozen=True)
class Gain:
    """The paired difference of two sides on the same nodes, in points."""

    points: float
    error: float
    mended: int
    broken: int


@dataclass(frozen=True, eq=False)
class Facts:
    """A run as its page tells it."""

    result: Result
    ours: Side
    typical: Side | None
    classes: list[str]
    judged_on: str

    @property
    def sides(self) -> list[Side]:
        """Typical training, where it ran, and HighwayGraph."""
        return [self.typical, self.ours] if self.typical else [self.ours]

    @property
    def gain(self) -> Gain | None:
        """What HighwayGraph gained over typical training."""
        return gain(self.typical.right, self.ours.right) if self.typical else None

    @property
    def title(self) -> str:
        """The graph and the model."""
        return f"{self.result.data.title}, {model_name(self.result)}"


def read(result: Result) -> Facts:
    """Return the facts of a run; without test nodes, validation nodes are judged and the page says so."""
    data, typical = result.data, result.baseline
    tested = bool(data.test_mask.any())
    judged = data.test_mask if tested else data.val_mask
    return Facts(
        result=result,
        ours=Side("HighwayGraph", result.logits, data, judged, result.history),
        typical=Side("typical training", typical.logits, data, judged, typical.history) if typical else None,
        classes=[name.replace("_", " ") for name in class_names(data, result.logits.size(1))],
        judged_on="test" if tested else "validation",
    )


def gain(before: Tensor, after: Tensor) -> Gain:
    """Return the difference of two classifiers on one set of nodes, with the standard error of paired answers."""
    count = max(len(before), 1)
    mended, broken = int((after & ~before).sum()), int((before & ~after).sum())
    points = (mended - broken) / count
    error = math.sqrt(max((mended + broken) / count - points**2, 0) / count)
    return Gain(100 * points, 100 * error, mended, broken)


def model_name(result: Result) -> str:
    """Return the built-in network's name, or that of the user's own module."""
    if isinstance(result.model, GNN):
        return result.model.network.model
    return result.model.name if isinstance(result.model, MissingModule) else type(result.model).__name__
