"""Out-of-fold predictions: every labelled node is predicted by a training that did not use its label."""

import math
from dataclasses import dataclass, field
from statistics import fmean, stdev

from jaxtyping import Float, Int
from scipy.special import stdtrit
from torch import Tensor

from highwaygraph.runs.intervals import wilson_interval

# Confidence of the interval of the mean accuracy.
LEVEL = 0.95


@dataclass(frozen=True)
class Fold:
    """The training whose test nodes are those of one fold.

    Example:
        >>> import highwaygraph as hg
        >>> hg.Fold(number=1, nodes=70, accuracy=0.8, typical=0.75, val=0.8, best_round=2, epochs=(80, 90)).accuracy
        0.8
    """

    number: int
    """The fold, counted from 1."""
    nodes: int
    """Number of its nodes."""
    accuracy: float
    """Accuracy on them."""
    typical: float
    """Accuracy of typical training on them, NaN where it was not run."""
    val: float
    """Accuracy on the validation nodes, which selected epoch, round and answer."""
    best_round: int
    """The selected round, counted from 1."""
    epochs: tuple[int, ...]
    """The selected epoch of every round."""
    typical_epochs: int = 0
    """The selected epoch of typical training, 0 where it was not run."""
    answer: str = ""
    """Name of the candidate whose predictions these are."""
    network: str = ""
    """Name of the built-in network, or of the user's own module."""
    seconds: float = field(default=0.0, compare=False, repr=False)
    """Time of the training."""


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """The out-of-fold predictions of all labelled nodes, with their scores.

    Example:
        >>> import torch
        >>> from dataclasses import replace
        >>> one = Fold(number=1, nodes=2, accuracy=1.0, typical=0.5, val=1.0, best_round=1, epochs=(9,))
        >>> zeros, nodes = torch.zeros(4, 2), torch.arange(4)
        >>> found = OutOfFold(nodes, nodes % 2, nodes // 2, zeros, None, (one, replace(one, number=2, accuracy=0.5)))
        >>> found.accuracy, found.error
        (0.75, 0.25)
    """

    nodes: Int[Tensor, "k"]
    """The labelled nodes, in ascending order."""
    labels: Int[Tensor, "k"]
    """Their classes."""
    fold: Int[Tensor, "k"]
    """The fold of each, counted from 0."""
    logits: Float[Tensor, "k c"]
    """Their logits, from the training that held them out."""
    typical: Float[Tensor, "k c"] | None
    """Logits of typical training on the same folds, where it was run."""
    folds: tuple[Fold, ...]
    """Every fold in order."""

    def predict(self) -> Int[Tensor, "k"]:
        """Return the out-of-fold class of every labelled node, in the order of `nodes`."""
        return self.logits.argmax(dim=1)

    @property
    def accuracy(self) -> float:
        """Mean accuracy of the folds."""
        return fmean(one.accuracy for one in self.folds)

    @property
    def typical_accuracy(self) -> float:
        """Mean accuracy of typical training, NaN where it was not run."""
        return fmean(one.typical for one in self.folds)

    @property
    def error(self) -> float:
        """Standard error of the mean accuracy, from the differences between the folds."""
        return stdev(one.accuracy for one in self.folds) / math.sqrt(len(self.folds))

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean accuracy: Student's t over the folds and Wilson's over the nodes, united.

        Few nodes in equal folds would have an interval without width by Student's t alone.
        """
        width = float(stdtrit(len(self.folds) - 1, (1 + LEVEL) / 2)) * self.error
        low, high = wilson_interval(self.accuracy, sum(one.nodes for one in self.folds))
        return max(min(self.accuracy - width, low), 0.0), min(max(self.accuracy + width, high), 1.0)
