"""Predictions that decide between epochs, rounds and candidates: of validation nodes, or out-of-fold without any."""

import copy
from collections.abc import Mapping
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from highwaygraph.graph.graph import Graph
from highwaygraph.runs.history import ROUND, TYPICAL


class HeldOut(NamedTuple):
    """Decisions of a cross-validation, for a training on all labels that has no validation nodes."""

    nodes: Int[Tensor, "k"]
    """The training nodes."""
    fold: Int[Tensor, "k"]
    """The fold of each."""
    logits: Mapping[str, Float[Tensor, "k c"]]
    """Their out-of-fold logits by name of the candidate."""
    epochs: tuple[int, ...]
    """Number of epochs of every round; the last round is selected."""
    typical_epochs: int = 0
    """Number of epochs of typical training."""

    def for_typical(self) -> "HeldOut":
        """Return the decisions for typical training, which has one round."""
        return self._replace(logits={ROUND: self.logits[TYPICAL]}, epochs=(self.typical_epochs,))


class Judged(NamedTuple):
    """Logits of all nodes of a graph, in which those of `val_mask` were predicted without their own label."""

    logits: Float[Tensor, "n c"]
    data: Graph


def judged(logits: Float[Tensor, "n c"], data: Graph, held_out: HeldOut | None, name: str = ROUND) -> Judged:
    """Return the predictions that decisions are based on.

    Args:
        logits: The logits of all nodes.
        data: The graph with its split.
        held_out: The out-of-fold predictions, where the graph has no validation nodes.
        name: The candidate whose logits these are.

    Returns:
        The same, or logits and a graph in which all training nodes validate by their out-of-fold predictions.
    """
    if held_out is None:
        return Judged(logits, data)
    replaced, graph = logits.clone(), copy.copy(data)
    replaced[held_out.nodes] = held_out.logits[name].to(logits)
    graph.val_mask = torch.zeros_like(data.train_mask)
    graph.val_mask[held_out.nodes] = True
    return Judged(replaced, graph)
