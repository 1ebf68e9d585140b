"""Edges by receiver: who each node hears, one stretch of an array per node, in memory or mapped from disk."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from highwaygraph.hops import UNREACHABLE

# Entries that are looked at in one go, so that memory stays bounded whatever the graph's size.
AT_ONCE = 2**24


class Rows(NamedTuple):
    """The neighbours of node i stand, in order, at start[i] to start[i + 1]; every edge is there in both directions."""

    start: Int[Tensor, "m"]
    neighbours: Int[Tensor, "e"]
    weight: Float[Tensor, "e"] | None = None

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.start) - 1


def from_edges(edge_index: Int[Tensor, "2 e"], nodes: int, weight: Float[Tensor, "e"] | None = None) -> Rows:
    """Return the rows of edges in any order."""
    sender, receiver = edge_index
    order = (receiver * nodes + sender).argsort()
    counts = torch.bincount(receiver, minlength=nodes)
    start = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    return Rows(start, sender[order].to(_kind(nodes)), None if weight is None else weight[order])


def to_edges(rows: Rows) -> Int[Tensor, "2 e"]:
    """Return the edges as PyG lists them."""
    receiver = torch.arange(rows.nodes).repeat_interleave(rows.start.diff())
    return torch.stack([rows.neighbours.long(), receiver])


def degrees(rows: Rows) -> Int[Tensor, "n"]:
    """Return how many neighbours each node has."""
    return rows.start.diff()


def strengths(parts: Sequence[Rows]) -> Float[Tensor, "n"]:
    """Return the sum of each node's edge weights, 1 for an edge that has none."""
    total = torch.zeros(parts[0].nodes)
    for rows in parts:
        weight = rows.weight
        total += degrees(rows) if weight is None else torch.segment_reduce(weight, "sum", offsets=rows.start, initial=0)
    return total


def has(rows: Rows, edges: Int[Tensor, "2 k"]) -> Bool[Tensor, "k"]:
    """Tell which edges are there, by halving each receiver's stretch."""
    sender, receiver = edges
    low, high = rows.start[receiver], rows.start[receiver + 1]
    end = high
    while bool((low < high).any()):
        middle = (low + high) // 2
        # Whoever is done looks at a place that exists, and learns nothing from it.
        before = (rows.neighbours[middle.clamp(max=len(rows.neighbours) - 1)] < sender) & (low < high)
        low, high = torch.where(before, middle + 1, low), torch.where(before, high, middle)
    there = low < end
    there[there.clone()] = rows.neighbours[low[there]] == sender[there]
    return there


def stretches(rows: Rows, nodes: Int[Tensor, "r"]) -> tuple[Int[Tensor, "k"], Int[Tensor, "k"]]:
    """Return the places of all entries of these nodes, and which of the nodes each belongs to."""
    first = rows.start[nodes]
    size = rows.start[nodes + 1] - first
    within = torch.arange(int(size.sum())) - (size.cumsum(0) - size).repeat_interleave(size)
    return first.repeat_interleave(size) + within, torch.arange(len(nodes)).repeat_interleave(size)


def hops_along(parts: Sequence[Rows], sources: Int[Tensor, "s"]) -> Int[Tensor, "n"]:
    """Return each node's hops to the nearest source, UNREACHABLE where there is no path; every edge is read twice."""
    hops = torch.full((parts[0].nodes,), UNREACHABLE)
    frontier, distance = sources.unique(), 0
    while len(frontier):
        hops[frontier] = distance
        distance += 1
        reached = [_unseen(rows, piece, hops) for rows in parts for piece in pieces(rows, frontier)]
        frontier = torch.cat(reached).unique()
    return hops


def pieces(rows: Rows, nodes: Int[Tensor, "r"], most: int = AT_ONCE) -> list[Int[Tensor, "p"]]:
    """Return the nodes in stretches that have about so many entries in all."""
    before = (rows.start[nodes + 1] - rows.start[nodes]).cumsum(0)
    cuts = torch.searchsorted(before, torch.arange(most, int(before[-1]) + most, most)) if len(nodes) else before
    return [piece for piece in nodes.tensor_split((cuts + 1).unique().clamp(max=len(nodes))) if len(piece)]


def _unseen(rows: Rows, nodes: Tensor, hops: Tensor) -> Tensor:
    entries, _ = stretches(rows, nodes)
    heard = rows.neighbours[entries].long()
    unseen: Tensor = heard[hops[heard] == UNREACHABLE].unique()
    return unseen


def _kind(nodes: int) -> torch.dtype:
    return torch.int32 if nodes < 2**31 else torch.int64
