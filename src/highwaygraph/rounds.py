"""What happened, in order: epochs, rounds, and the highways each round added."""

import copy
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch_geometric.data import Data

from highwaygraph.highway import add_edges, both_ways
from highwaygraph.rows import from_edges, to_edges


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
class Typical:
    """What the same network predicts after ordinary training, to compare with."""

    logits: Float[Tensor, "n c"]
    round: Round
    history: tuple[Epoch, ...]


class Highways(NamedTuple):
    """Added edges from anchor to node, with the round and the two predictions that put them there."""

    edges: Int[Tensor, "2 k"]
    round: Int[Tensor, "k"]
    confidence: Float[Tensor, "k"]
    pair_score: Float[Tensor, "k"]

    @classmethod
    def none(cls) -> "Highways":
        """Return no highways."""
        nothing = torch.empty(0)
        return cls(torch.empty(2, 0, dtype=torch.long), nothing.long(), nothing, nothing)

    def and_then(self, more: "Highways") -> "Highways":
        """Return these highways followed by more."""
        return Highways(*(torch.cat([a, b], dim=-1) for a, b in zip(self, more, strict=True)))


def extend(data: Data, edges: Int[Tensor, "2 k"]) -> Data:
    """Return the data with the edges added in both directions, weight 1; other attributes of edges are left out."""
    if not edges.size(1):
        return data
    grown = copy.copy(data)
    if "rows" in data:
        before = to_edges(data.added) if "added" in data else edges[:, :0]
        grown.added = from_edges(both_ways(torch.cat([before, edges], dim=1), data.num_nodes), data.num_nodes)
    if "edge_index" not in data:
        return grown
    for name in data.keys():  # noqa: SIM118 (iterating over a Data gives pairs)
        if name not in ("edge_index", "edge_weight") and data.is_edge_attr(name):
            # Nobody knows what a highway's would be, and a shorter table would be wrong.
            del grown[name]
    grown.edge_index = add_edges(data.edge_index, edges, data.num_nodes)
    weight = getattr(data, "edge_weight", None)
    if weight is not None:
        new = grown.edge_index.size(1) - len(weight)
        grown.edge_weight = torch.cat([weight, weight.new_ones(new)])
    return grown


def lend(data: Data, edges: Int[Tensor, "2 k"]) -> Data:
    """Return the data with the anchor's label lent to the node at the end of each edge, for training only."""
    if not edges.size(1):
        return data
    grown = copy.copy(data)
    anchors, nodes = edges
    grown.gold_mask, grown.train_mask, grown.y = data.train_mask, data.train_mask.clone(), data.y.clone()
    grown.train_mask[nodes] = True
    grown.y[nodes] = data.y[anchors]
    return grown


def grow(data: Data, roads: Highways, adds: str) -> Data:
    """Return the graph that a round trains on: with highways as edges, or with their labels instead."""
    return lend(data, roads.edges) if adds == "labels" else extend(data, roads.edges)


def record(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values fit for JSON, which knows no NaN: what was not measured becomes null."""
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in values.items()}


def from_record(values: dict[str, Any]) -> dict[str, Any]:
    """Return a record's values with what was not measured as NaN again."""
    return {k: math.nan if v is None else v for k, v in values.items()}
