"""Edges by receiver: who each node hears, one stretch of an array per node, in memory or mapped from disk."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import embedding_bag

# Entries that are looked at in one go, so that memory stays bounded whatever the graph's size.
CHUNK_ENTRIES = 2**24


# A receiver itself counts like so many entries: without it, nodes without edges would all be in one block.
ROW_COST = 4


Table = Float[Tensor, "n d"]


class CSR(NamedTuple):
    """The neighbours of node i stand, in order, at start[i] to start[i + 1]; every edge is there in both directions."""

    rowptr: Int[Tensor, "m"]
    col: Int[Tensor, "e"]
    weight: Float[Tensor, "e"] | None = None

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(self.rowptr) - 1


def from_edge_index(edge_index: Int[Tensor, "2 e"], nodes: int, weight: Float[Tensor, "e"] | None = None) -> CSR:
    """Return the rows of edges in any order."""
    sender, receiver = edge_index
    order = (receiver * nodes + sender).argsort()
    counts = torch.bincount(receiver, minlength=nodes)
    start = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    return CSR(start, sender[order].to(_index_dtype(nodes)), None if weight is None else weight[order])


def to_edge_index(rows: CSR) -> Int[Tensor, "2 e"]:
    """Return the edges as PyG lists them."""
    receiver = torch.arange(rows.num_nodes).repeat_interleave(rows.rowptr.diff())
    return torch.stack([rows.col.long(), receiver])


def degrees(rows: CSR) -> Int[Tensor, "n"]:
    """Return how many neighbours each node has."""
    return rows.rowptr.diff()


def weighted_degrees(parts: Sequence[CSR]) -> Float[Tensor, "n"]:
    """Return the sum of each node's edge weights, 1 for an edge that has none."""
    total = torch.zeros(parts[0].num_nodes)
    for rows in parts:
        weight = rows.weight
        total += (
            degrees(rows) if weight is None else torch.segment_reduce(weight, "sum", offsets=rows.rowptr, initial=0)
        )
    return total


def has_edges(rows: CSR, edges: Int[Tensor, "2 k"]) -> Bool[Tensor, "k"]:
    """Tell which edges are there, by halving each receiver's stretch."""
    sender, receiver = edges
    low, high = rows.rowptr[receiver], rows.rowptr[receiver + 1]
    end = high
    while bool((low < high).any()):
        middle = (low + high) // 2
        # Whoever is done looks at a place that exists, and learns nothing from it.
        before = (rows.col[middle.clamp(max=len(rows.col) - 1)] < sender) & (low < high)
        low, high = torch.where(before, middle + 1, low), torch.where(before, high, middle)
    there = low < end
    there[there.clone()] = rows.col[low[there]] == sender[there]
    return there


def neighbor_entries(rows: CSR, nodes: Int[Tensor, "r"]) -> tuple[Int[Tensor, "k"], Int[Tensor, "k"]]:
    """Return the places of all entries of these nodes, and which of the nodes each belongs to."""
    first = rows.rowptr[nodes]
    size = rows.rowptr[nodes + 1] - first
    within = torch.arange(int(size.sum())) - (size.cumsum(0) - size).repeat_interleave(size)
    return first.repeat_interleave(size) + within, torch.arange(len(nodes)).repeat_interleave(size)


def sum_neighbors(rows: CSR, low: int, high: int, table: Table, *, weighted: bool = False) -> Float[Tensor, "r d"]:
    """Return, for each of these receivers, the sum of its neighbours' rows, times the edges' weights if they count."""
    begin, end = int(rows.rowptr[low]), int(rows.rowptr[high])
    heard = rows.col[begin:end]
    weight = rows.weight[begin:end] if weighted and rows.weight is not None else None
    start = (rows.rowptr[low : high + 1] - begin).to(heard.dtype)
    # A sparse product would do as well; this kernel asks for the rows to come before it needs them.
    return embedding_bag(heard, table, start, mode="sum", per_sample_weights=weight, include_last_offset=True)


def row_blocks(rows: CSR, own: slice, most: int) -> Iterator[tuple[int, int]]:
    """Return stretches of these receivers with about so many entries each."""
    start = rows.rowptr[own.start : own.stop + 1] + ROW_COST * torch.arange(own.stop - own.start + 1)
    marks = torch.arange(int(start[0]), int(start[-1]) + most, most)
    cuts = (own.start + torch.searchsorted(start, marks).clamp(max=len(start) - 1)).unique().tolist()
    return pairwise(sorted({own.start, *cuts, own.stop}))


def node_chunks(rows: CSR, nodes: Int[Tensor, "r"], most: int = CHUNK_ENTRIES) -> list[slice]:
    """Return stretches of the given nodes that have about so many entries in all."""
    before = (rows.rowptr[nodes + 1] - rows.rowptr[nodes]).cumsum(0)
    total = int(before[-1]) if len(nodes) else 0
    cuts = torch.searchsorted(before, torch.arange(most, max(most, total), most)) + 1
    return [slice(*cut) for cut in pairwise(sorted({0, *cuts.tolist(), len(nodes)}))]


def _index_dtype(nodes: int) -> torch.dtype:
    return torch.int32 if nodes < 2**31 else torch.int64
