"""CSR adjacency: the neighbours of each target node in one slice of an array, in memory or memory-mapped."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array, csr_array
from torch import Tensor
from torch.nn.functional import embedding_bag

# Entries that are read at once, so that memory stays bounded whatever the graph's size.
CHUNK_ENTRIES = 2**24


# A row itself costs as much as so many entries: without it, nodes without edges would all be in one block.
ROW_COST = 4


Table = Float[Tensor, "n d"]


class CSR(NamedTuple):
    """Adjacency by target node: the sources of node i are col[rowptr[i] : rowptr[i + 1]], in ascending order."""

    rowptr: Int[Tensor, "m"]
    col: Int[Tensor, "e"]
    weight: Float[Tensor, "e"] | None = None
    edge_attr: Float[Tensor, "e ..."] | None = None
    edge_type: Int[Tensor, "e"] | None = None

    @property
    def values(self) -> dict[str, Tensor]:
        """Values per entry by the names of a graph's edge values, for those that there are."""
        named = {"edge_weight": self.weight, "edge_attr": self.edge_attr, "edge_type": self.edge_type}
        return {name: value for name, value in named.items() if value is not None}

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(self.rowptr) - 1


def from_edge_index(
    edge_index: Int[Tensor, "2 e"],
    nodes: int,
    weight: Float[Tensor, "e"] | None = None,
    edge_attr: Float[Tensor, "e ..."] | None = None,
    edge_type: Int[Tensor, "e"] | None = None,
) -> CSR:
    """Return the adjacency of edges in any order.

    Args:
        edge_index: Source and target of every edge.
        nodes: Number of nodes.
        weight: Weight of every edge.
        edge_attr: Features of every edge.
        edge_type: Type of every edge.
    """
    source, target = edge_index
    order = (target * nodes + source).argsort(stable=True)
    counts = torch.bincount(target, minlength=nodes)
    rowptr = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    values = (None if value is None else value[order] for value in (weight, edge_attr, edge_type))
    return CSR(rowptr, source[order].to(_index_dtype(nodes)), *values)


def undirected_csr(edge_index: Int[Tensor, "2 e"], num_nodes: int) -> CSR:
    """Return the adjacency of both directions of each edge, once each, without self-loops and weights."""
    source, target = edge_index[:, edge_index[0] != edge_index[1]].to("cpu", _index_dtype(num_nodes))
    ends = torch.minimum(source, target).numpy(), torch.maximum(source, target).numpy()
    edges = coo_array((np.ones(len(source), dtype=bool), ends), shape=(num_nodes, num_nodes))
    # SciPy would sort every row to merge duplicates. A conversion to CSC and back sorts by counting, in linear time.
    edges.has_canonical_format = True
    once = _merged(edges.tocsr().tocsc())
    matrix = once + once.T
    rowptr, col = (torch.from_numpy(array) for array in (matrix.indptr, matrix.indices))
    return CSR(rowptr.long(), col.to(_index_dtype(num_nodes)))


def _merged(matrix: csc_array) -> csr_array:
    """Return the transpose of a matrix of ones whose columns are sorted, without duplicates."""
    column = np.repeat(np.arange(matrix.shape[1], dtype=matrix.indices.dtype), np.diff(matrix.indptr))
    new = np.ones(matrix.nnz, dtype=bool)
    new[1:] = (matrix.indices[1:] != matrix.indices[:-1]) | (column[1:] != column[:-1])
    before = np.concatenate([[0], np.cumsum(new)])
    rows = csr_array((np.ones(int(before[-1]), dtype=bool), matrix.indices[new], before[matrix.indptr]), matrix.shape)
    rows.has_canonical_format = True
    return rows


def to_edge_index(rows: CSR) -> Int[Tensor, "2 e"]:
    """Return the edges as PyG lists them."""
    target = torch.arange(rows.num_nodes).repeat_interleave(rows.rowptr.diff())
    return torch.stack([rows.col.long(), target])


def to_scipy(rows: CSR) -> csr_array:
    """Return the adjacency as a SciPy matrix of ones, a row per target node."""
    ones: NDArray[np.float64] = np.ones(len(rows.col))
    return csr_array((ones, rows.col.numpy(), rows.rowptr.numpy()), shape=(rows.num_nodes, rows.num_nodes))


def degrees(rows: CSR) -> Int[Tensor, "n"]:
    """Return the number of neighbours of each node."""
    return rows.rowptr.diff()


def weighted_degrees(parts: Sequence[CSR]) -> Float[Tensor, "n"]:
    """Return the sum of each node's edge weights over all parts, 1 for an edge without a weight."""
    total = torch.zeros(parts[0].num_nodes)
    for rows in parts:
        weight = rows.weight
        total += (
            degrees(rows) if weight is None else torch.segment_reduce(weight, "sum", offsets=rows.rowptr, initial=0)
        )
    return total


def has_edges(rows: CSR, edges: Int[Tensor, "2 k"]) -> Bool[Tensor, "k"]:
    """Return whether each edge exists, by binary search in the row of its target."""
    source, target = edges
    low, high = rows.rowptr[target], rows.rowptr[target + 1]
    end = high
    while bool((low < high).any()):
        middle = (low + high) // 2
        # A finished search reads some valid entry and ignores it.
        before = (rows.col[middle.clamp(max=len(rows.col) - 1)] < source) & (low < high)
        low, high = torch.where(before, middle + 1, low), torch.where(before, high, middle)
    found = low < end
    found[found.clone()] = rows.col[low[found]] == source[found]
    return found


def neighbor_entries(rows: CSR, nodes: Int[Tensor, "r"]) -> tuple[Int[Tensor, "k"], Int[Tensor, "k"]]:
    """Return the positions of all entries of these nodes, and the position of the node that each belongs to."""
    first = rows.rowptr[nodes]
    size = rows.rowptr[nodes + 1] - first
    within = torch.arange(int(size.sum())) - (size.cumsum(0) - size).repeat_interleave(size)
    return first.repeat_interleave(size) + within, torch.arange(len(nodes)).repeat_interleave(size)


def sum_neighbors(rows: CSR, low: int, high: int, table: Table, *, weighted: bool = False) -> Float[Tensor, "r d"]:
    """Return the sum of the neighbours' rows of the table for the target nodes low to high.

    Args:
        rows: The adjacency.
        low: First target node.
        high: Node after the last target node.
        table: A row per node.
        weighted: Multiply each row by the weight of its edge, where the adjacency has weights.
    """
    begin, end = int(rows.rowptr[low]), int(rows.rowptr[high])
    sources = rows.col[begin:end]
    weight = rows.weight[begin:end] if weighted and rows.weight is not None else None
    offsets = (rows.rowptr[low : high + 1] - begin).to(sources.dtype)
    # A sparse product would do as well; this kernel prefetches the rows.
    return embedding_bag(sources, table, offsets, mode="sum", per_sample_weights=weight, include_last_offset=True)


def row_blocks(rows: CSR, own: slice, most: int) -> Iterator[tuple[int, int]]:
    """Return consecutive ranges of these target nodes with about `most` entries each."""
    start = rows.rowptr[own.start : own.stop + 1] + ROW_COST * torch.arange(own.stop - own.start + 1)
    marks = torch.arange(int(start[0]), int(start[-1]) + most, most)
    cuts = (own.start + torch.searchsorted(start, marks).clamp(max=len(start) - 1)).unique().tolist()
    return pairwise(sorted({own.start, *cuts, own.stop}))


def node_chunks(rows: CSR, nodes: Int[Tensor, "r"], most: int = CHUNK_ENTRIES) -> list[slice]:
    """Return slices of the given nodes with about `most` entries each."""
    before = (rows.rowptr[nodes + 1] - rows.rowptr[nodes]).cumsum(0)
    total = int(before[-1]) if len(nodes) else 0
    cuts = torch.searchsorted(before, torch.arange(most, max(most, total), most)) + 1
    return [slice(*cut) for cut in pairwise(sorted({0, *cuts.tolist(), len(nodes)}))]


def _index_dtype(nodes: int) -> torch.dtype:
    return torch.int32 if nodes < 2**31 else torch.int64
