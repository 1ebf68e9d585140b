"""Edges by receiver: who each node hears, one stretch of an array per node, in memory or mapped from disk."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from highwaygraph.csr import csr
from highwaygraph.hops import UNREACHABLE

# Entries that are looked at in one go, so that memory stays bounded whatever the graph's size.
AT_ONCE = 2**24
# Entries whose receivers' rows stay in the cache.
AT_HAND = 2**20
# One in so many entries, and fewer, are picked out instead of looking at all.
FEW = 32
# A receiver itself counts like so many entries: without it, nodes without edges would all be in one block.
ROW = 4


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


def matrix(rows: Rows, low: int, high: int, *, weighted: bool = False) -> Tensor:
    """Return the rows of these receivers as a sparse matrix: 1 for an edge, or its weight if it is to count."""
    begin, end = int(rows.start[low]), int(rows.start[high])
    given = rows.weight[begin:end] if weighted and rows.weight is not None else torch.ones(end - begin)
    return csr(rows.start[low : high + 1] - begin, rows.neighbours[begin:end], given, (high - low, rows.nodes))


def blocks(rows: Rows, own: slice, most: int) -> Iterator[tuple[int, int]]:
    """Return stretches of these receivers with about so many entries each."""
    start = rows.start[own.start : own.stop + 1] + ROW * torch.arange(own.stop - own.start + 1)
    marks = torch.arange(int(start[0]), int(start[-1]) + most, most)
    cuts = (own.start + torch.searchsorted(start, marks).clamp(max=len(start) - 1)).unique().tolist()
    return pairwise(sorted({own.start, *cuts, own.stop}))


def hops_along(parts: Sequence[Rows], sources: Int[Tensor, "s"]) -> Int[Tensor, "n"]:
    """Return each node's hops to the nearest source, UNREACHABLE where there is no path."""
    hops = torch.full((parts[0].nodes,), UNREACHABLE, dtype=torch.int32)
    frontier, distance = sources.long().unique(), 0
    hops[frontier] = distance
    while len(frontier):
        distance += 1
        reached = [frontier[:0]]
        for rows in parts:
            reached.append(_heard(rows, frontier, hops))
            hops[reached[-1]] = distance
        frontier = torch.cat(reached)
    return hops.long()


def pieces(rows: Rows, nodes: Int[Tensor, "r"], most: int = AT_ONCE) -> list[Int[Tensor, "p"]]:
    """Return the nodes in stretches that have about so many entries in all."""
    before = (rows.start[nodes + 1] - rows.start[nodes]).cumsum(0)
    cuts = torch.searchsorted(before, torch.arange(most, int(before[-1]) + most, most)) if len(nodes) else before
    return [piece for piece in nodes.tensor_split((cuts + 1).unique().clamp(max=len(nodes))) if len(piece)]


def _heard(rows: Rows, nodes: Tensor, hops: Tensor) -> Tensor:
    """Return the neighbours of the nodes reached last that nobody saw before, once each."""
    if _few(rows, nodes):
        found: Tensor = torch.cat([_unseen(rows, piece, hops) for piece in pieces(rows, nodes)]).unique()
        return found
    unseen = (hops == UNREACHABLE).nonzero().flatten()
    last = hops == hops[nodes[0]]
    if _few(rows, unseen):
        return torch.cat([nodes[:0], *(_beside(rows, piece, last) for piece in pieces(rows, unseen))])
    marked = last.float()
    # To look at all entries in order is cheaper than to pick out many.
    near = [matrix(rows, low, high) @ marked for low, high in blocks(rows, slice(0, rows.nodes), AT_HAND)]
    return ((torch.cat(near) > 0) & (hops == UNREACHABLE)).nonzero().flatten()


def _unseen(rows: Rows, nodes: Tensor, hops: Tensor) -> Tensor:
    """Return the neighbours of these nodes that nobody saw before, once each."""
    entries, _ = stretches(rows, nodes)
    heard = rows.neighbours[entries].long()
    unseen: Tensor = heard[hops[heard] == UNREACHABLE].unique()
    return unseen


def _beside(rows: Rows, nodes: Tensor, last: Tensor) -> Tensor:
    """Return those of the nodes, in order, that have a neighbour that was reached last."""
    entries, place = stretches(rows, nodes)
    return nodes[place[last[rows.neighbours[entries].long()]].unique_consecutive()]


def _few(rows: Rows, nodes: Tensor) -> bool:
    return FEW * int((rows.start[nodes + 1] - rows.start[nodes]).sum()) <= len(rows.neighbours)


def _kind(nodes: int) -> torch.dtype:
    return torch.int32 if nodes < 2**31 else torch.int64
