"""The paired difference of two classifiers on the same nodes, its 95 % interval, and the verdict that follows."""

import math
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from jaxtyping import Bool, Float
from torch import Tensor

from highwaygraph.runs.intervals import QUANTILE

Verdict = Literal["better", "worse", "no difference", "too few nodes"]


# Nodes below which there is no verdict, and half the width in points of the widest interval of "no difference".
LEAST_NODES, USEFUL_POINTS = 30, 3.0


@dataclass(frozen=True)
class Gain:
    """Paired difference of two trainings on the same nodes, in points of accuracy.

    Example:
        >>> gain = Gain(points=3.0, error=0.7, corrected=40, newly_wrong=10, nodes=1000)
        >>> [round(end, 1) for end in gain.interval]
        [1.6, 4.4]
    """

    points: float
    error: float
    """Standard error of the points."""
    corrected: int
    """Nodes that only the second training classifies correctly."""
    newly_wrong: int
    """Nodes that only the first training classifies correctly."""
    nodes: int
    """Nodes that both trainings classify."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the points, for the difference on other nodes of the same kind.

        Agresti and Min (2005): the normal interval of paired proportions after half a node is added to each of the
        four cells (both correct, corrected, newly wrong, both wrong). Without it, two trainings that agree on five
        nodes would have an interval of width 0.
        """
        return _interval(self.corrected - self.newly_wrong, self.corrected + self.newly_wrong, self.nodes)


@dataclass(frozen=True)
class ScoreGain:
    """Paired difference of a score per node, from 0 to 1, between two trainings, in points.

    Example:
        >>> [round(end, 1) for end in ScoreGain(points=3.0, total=30.0, squares=50.0, nodes=1000).interval]
        [1.6, 4.4]
    """

    points: float
    """Mean difference of the score, times 100."""
    total: float
    """Sum of the differences of all nodes."""
    squares: float
    """Sum of their squares."""
    nodes: int
    """Nodes that both trainings predict."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the points; where scores are 0 or 1, that of `Gain`."""
        return _interval(self.total, self.squares, self.nodes)


@runtime_checkable
class Paired(Protocol):
    """A paired difference with its interval."""

    @property
    def nodes(self) -> int:
        """Nodes that are compared."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the points."""


def _interval(total: int | float, squares: int | float, nodes: int) -> tuple[float, float]:
    """Return the interval from the sum of the differences per node and that of their squares."""
    nodes = nodes + 2
    share, apart = total / nodes, (squares + 1) / nodes
    width = QUANTILE * math.sqrt((apart - share**2) / nodes)
    return max(100 * (share - width), -100.0), min(100 * (share + width), 100.0)


def score_gain(before: Float[Tensor, "k"], after: Float[Tensor, "k"]) -> ScoreGain:
    """Return the difference of a score per node between two classifiers.

    Args:
        before: The score of every node by the first, from 0 to 1.
        after: The same for the second.

    Returns:
        The difference in points.

    Example:
        >>> import torch
        >>> score_gain(torch.tensor([0.5, 0.0]), torch.tensor([1.0, 0.5])).points
        50.0
    """
    gap = after.double() - before.double()
    total, squares = float(gap.sum()), float(gap.square().sum())
    return ScoreGain(100 * total / max(len(gap), 1), total, squares, len(gap))


def paired_gain(before: Bool[Tensor, "k"], after: Bool[Tensor, "k"]) -> Gain:
    """Return the difference of two classifiers on the same nodes.

    Args:
        before: Whether the first classifies each node correctly.
        after: The same for the second.

    Returns:
        The difference in points, with the standard error of paired predictions.

    Example:
        >>> import torch
        >>> paired_gain(torch.tensor([True, False, False, False]), torch.tensor([True, True, True, False])).points
        50.0
    """
    count = max(len(before), 1)
    corrected, newly_wrong = int((after & ~before).sum()), int((before & ~after).sum())
    share = (corrected - newly_wrong) / count
    error = math.sqrt(max((corrected + newly_wrong) / count - share**2, 0) / count)
    return Gain(100 * share, 100 * error, corrected, newly_wrong, len(before))


def verdict(gain: Paired) -> Verdict:
    """Return whether the second classifier is better, as far as the evaluated nodes can show it.

    The interval decides. Beyond 0, the second is better or worse. Around 0, there is no clear difference if the
    interval is at most 6 points wide. A wider interval, or fewer than 30 nodes, is too few nodes to decide.

    Args:
        gain: The paired difference.

    Returns:
        The verdict on the second classifier.

    Example:
        >>> verdict(Gain(points=3.0, error=0.7, corrected=40, newly_wrong=10, nodes=1000))
        'better'
        >>> verdict(Gain(points=3.3, error=3.3, corrected=3, newly_wrong=1, nodes=60))
        'too few nodes'
    """
    low, high = gain.interval
    if gain.nodes < LEAST_NODES:
        return "too few nodes"
    if low > 0 or high < 0:
        return "better" if low > 0 else "worse"
    return "no difference" if high - low <= 2 * USEFUL_POINTS else "too few nodes"
