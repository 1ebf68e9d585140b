"""The records of a training: epochs, rounds, and the highways that each round added."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from highwaygraph.vote_options import View


@dataclass(frozen=True)
class Epoch:
    """The losses and the validation scores of one epoch.

    Example:
        >>> import highwaygraph as hg
        >>> hg.Epoch(round=1, epoch=3, loss=0.9, pair_loss=0.2, val_loss=0.8, val=0.75).val
        0.75
    """

    round: int
    """The round, counted from 1."""
    epoch: int
    """The epoch within the round, counted from 1."""
    loss: float
    """Training loss (Eq. 6, with the consistency loss where it is used)."""
    pair_loss: float
    """Pair loss within it (Eq. 11); 0 without pairs."""
    val_loss: float
    """Validation loss."""
    val: float
    """Validation accuracy."""
    val_f1: float = math.nan
    """Macro F1 on validation; NaN unless fit.monitor=f1."""
    val_balanced_accuracy: float = math.nan
    """Balanced accuracy on validation; NaN unless fit.monitor=balanced_accuracy, and in runs of version 0.1."""


StopReason = Literal["validation", "rounds", "no new edges"]
STOP_REASONS: dict[StopReason, str] = {
    "validation": "validation did not improve",
    "rounds": "all rounds were trained",
    "no new edges": "no new edge passed the thresholds",
}
"""Text for each reason why no further round was trained."""
OnEpoch = Callable[[Epoch], object]


@dataclass(frozen=True)
class Round:
    """One round of training, and the highways that it added for the next round.

    Example:
        >>> import highwaygraph as hg
        >>> hg.Round(epochs=80, val=0.8, test=0.79, edges_added=12, edge_precision=0.9, seconds=1.5)
        Round(epochs=80, val=0.8, test=0.79, edges_added=12, edge_precision=0.9)
    """

    epochs: int
    """Number of epochs."""
    val: float
    """Validation accuracy of the best epoch."""
    test: float
    """Test accuracy of the best epoch, NaN without test nodes."""
    edges_added: int
    """Highways added for the next round."""
    edge_precision: float
    """Fraction of them whose ends share a true class, NaN where it cannot be computed."""
    # Neither compared nor printed: two runs with one seed are equal in everything but time.
    seconds: float = field(compare=False, repr=False)
    """Wall-clock time."""
    score: float = field(default=math.nan, repr=False)
    """Validation score that selects the round: fit.monitor, the loss with a minus sign; NaN in runs of version 0.1."""


@dataclass(frozen=True, eq=False)
class Baseline:
    """Typical training of the same network, for comparison."""

    logits: Float[Tensor, "n c"]
    round: Round
    history: tuple[Epoch, ...]


ROUND, TYPICAL = "HighwayGraph", "typical training"
"""Names of the candidates that are trained: the selected round, and the same model without HighwayGraph."""


COMBINATION = "combination"
"""Name of the candidate whose logits are a weighted sum of the selected round's, its votes' and simple baselines'."""


VOTES: dict[View, str] = {"features": "feature votes", "text": "text votes", "structure": "structure votes"}
"""Names of the candidates whose logits are votes on the selected round's predictions, by view."""


@dataclass(frozen=True)
class Candidate:
    """A classifier that competed for the answer of a run on validation."""

    name: str
    """HighwayGraph (its selected round), votes on it, typical training, a simple baseline, or the combination."""
    score: float
    """Deciding score on validation: fit.monitor; for loss, the log-likelihood after temperature scaling."""
    difference: float
    """Paired difference of the score to that of the combination, or without one to that of HighwayGraph."""
    error: float
    """Standard error of this difference."""
    val: float
    """Validation accuracy."""
    test: float
    """Test accuracy, NaN without test nodes."""
    setting: str = ""
    """Setting of a baseline that validation chose."""
    weight: float = 0.0
    """Exponent of its probabilities in the combination; 0 for a candidate that is no part of it."""
    temperature: float = 1.0
    """Temperature that its logits are divided by before."""
    seconds: float = field(default=0.0, compare=False, repr=False)
    """Wall-clock time."""


class HighwayTable(NamedTuple):
    """Highways from anchor to node, with the round that added them and both predictions."""

    edges: Int[Tensor, "2 k"]
    round: Int[Tensor, "k"]
    confidence: Float[Tensor, "k"]
    pair_score: Float[Tensor, "k"]

    @classmethod
    def empty(cls) -> "HighwayTable":
        """Return a table without highways."""
        column = torch.empty(0)
        return cls(torch.empty(2, 0, dtype=torch.long), column.long(), column, column)

    def concatenate(self, other: "HighwayTable") -> "HighwayTable":
        """Return the highways of this table followed by those of another."""
        return HighwayTable(*(torch.cat([a, b], dim=-1) for a, b in zip(self, other, strict=True)))


def to_record(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values for JSON, which has no NaN: NaN becomes null."""
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in values.items()}


def from_record(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a record with null as NaN."""
    return {k: math.nan if v is None else v for k, v in values.items()}
