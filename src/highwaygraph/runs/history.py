"""What happened, in order: epochs, rounds, and the highways each round added."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True)
class Epoch:
    """One line of the history."""

    round: int
    epoch: int
    loss: float
    pair_loss: float
    val_loss: float
    val: float
    val_f1: float = math.nan


StopReason = Literal["validation", "rounds", "no new edges"]
STOP_REASONS: dict[StopReason, str] = {
    "validation": "validation did not improve",
    "rounds": "all rounds were trained",
    "no new edges": "no new edge passed the thresholds",
}
"""Why no further round was trained, in words."""
OnEpoch = Callable[[Epoch], object]


@dataclass(frozen=True)
class Round:
    """One training on one graph, and the highways that it added for the next."""

    epochs: int
    val: float
    test: float
    edges_added: int
    edge_precision: float
    # Not compared or printed: two runs with one seed are equal in everything but time.
    seconds: float = field(compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class Baseline:
    """What the same network predicts after ordinary training, to compare with."""

    logits: Float[Tensor, "n c"]
    round: Round
    history: tuple[Epoch, ...]


class HighwayTable(NamedTuple):
    """Added edges from anchor to node, with the round and the two predictions that put them there."""

    edges: Int[Tensor, "2 k"]
    round: Int[Tensor, "k"]
    confidence: Float[Tensor, "k"]
    pair_score: Float[Tensor, "k"]

    @classmethod
    def none(cls) -> "HighwayTable":
        """Return no highways."""
        nothing = torch.empty(0)
        return cls(torch.empty(2, 0, dtype=torch.long), nothing.long(), nothing, nothing)

    def and_then(self, more: "HighwayTable") -> "HighwayTable":
        """Return these highways followed by more."""
        return HighwayTable(*(torch.cat([a, b], dim=-1) for a, b in zip(self, more, strict=True)))


def to_record(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values fit for JSON, which knows no NaN: what was not measured becomes null."""
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in values.items()}


def from_record(values: dict[str, Any]) -> dict[str, Any]:
    """Return a record's values with what was not measured as NaN again."""
    return {k: math.nan if v is None else v for k, v in values.items()}
