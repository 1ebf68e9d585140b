"""Layer-wise inference over CSR adjacencies: rows are streamed in chunks through reused buffers."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float
from scipy.sparse import csr_array
from torch import Tensor

from highwaygraph.graph.csr import CSR, Table, row_blocks, sum_neighbors, weighted_degrees
from highwaygraph.runtime.distributed import gather, shard

# Rows of features, and entries of an adjacency, that are processed at once.
CHUNK, ENTRIES = 2**16, 2**24


# Entries whose target rows stay in the cache while they are summed.
CACHED_ENTRIES = 2**17


# Consecutive rows with their range; each chunk is read once, so that a layer's output is never held as a whole.
Chunks: TypeAlias = Iterator[tuple[slice, Tensor]]


class BufferPool:
    """Named buffers that reuse their memory: allocating a large matrix costs more time than filling it."""

    def __init__(self) -> None:
        self._flat: dict[str, Tensor] = {}

    def buffer(self, name: str, rows: int, columns: int) -> Float[Tensor, "n d"]:
        """Return an uninitialised matrix, which shares its memory with earlier buffers of the same name."""
        flat = self._flat.get(name)
        if flat is None or len(flat) < rows * columns:
            # Freed first, so that the old and the new memory are never held together.
            self._flat[name] = torch.empty(0)
            flat = self._flat[name] = torch.empty(rows * columns)
        return flat[: rows * columns].view(rows, columns)


class LayerwiseGraph:
    """The CSR adjacencies of a graph, this process's shard of its nodes, and the buffers of one inference."""

    def __init__(self, adjacencies: Sequence[CSR], pool: BufferPool) -> None:
        self.adjacencies, self.pool = adjacencies, pool
        self.num_nodes = adjacencies[0].num_nodes
        self.rows = shard(self.num_nodes)
        self._transforms = 0

    def read(self, rows: Callable[[slice], Tensor]) -> Chunks:
        """Yield this process's rows of a matrix that is read by slices."""
        for low in range(self.rows.start, self.rows.stop, CHUNK):
            chunk = slice(low, min(low + CHUNK, self.rows.stop))
            yield chunk, rows(chunk)

    def store(self, name: str, chunks: Chunks, columns: int) -> Table:
        """Return the chunks of all processes as one matrix in the buffer of that name."""
        return fill(self._buffer(name, columns), chunks)

    def transform(self, chunks: Chunks, weight: Float[Tensor, "o i"]) -> Table:
        """Return the product of all processes' rows with weight.T as one matrix."""
        # Two buffers in turn: while one layer's messages are written, those of the layer before are read.
        buffer = self._buffer(f"messages {self._transforms % 2}", len(weight))
        self._transforms += 1
        return fill(buffer, chunks, partial(_multiply, weight))

    def propagate_gcn(self, table: Table) -> Chunks:
        """Yield the product of GCN's normalised adjacency matrix and the table, which is overwritten."""
        # In place: on ten million nodes another such matrix is gigabytes.
        scaled = table.mul_(self._gcn_scale)
        for rows, total in self._sums(scaled, weighted=True):
            yield rows, total.add_(scaled[rows]).mul_(self._gcn_scale[rows])

    def mean_neighbors(self, table: Table, *, self_loops: bool) -> Chunks:
        """Yield the mean of each node's neighbours' rows, its own included with self-loops, 0 for isolated nodes."""
        count = (self._degrees + self_loops).clamp(min=1)[:, None]
        for rows, total in self._sums(table):
            yield rows, (total.add_(table[rows]) if self_loops else total).div_(count[rows])

    def patterns(self, heads: int) -> Iterator[tuple[slice, csr_array]]:
        """Yield consecutive rows of the adjacency with self-loops, fewer at once the more heads an entry has."""
        for low, high in row_blocks(self.adjacencies[0], self.rows, ENTRIES // heads):
            yield slice(low, high), _pattern(self.adjacencies, low, high)

    @cached_property
    def _gcn_scale(self) -> Tensor:
        return (weighted_degrees(self.adjacencies) + 1).rsqrt()[:, None]

    @cached_property
    def _degrees(self) -> Tensor:
        return torch.stack([adjacency.rowptr.diff() for adjacency in self.adjacencies]).sum(dim=0)

    def _sums(self, table: Table, *, weighted: bool = False) -> Chunks:
        """Yield the sums of each node's neighbours' rows, multiplied by the edge weights if weighted."""
        first, *others = self.adjacencies
        for low, high in row_blocks(first, self.rows, CACHED_ENTRIES):
            total = sum_neighbors(first, low, high, table, weighted=weighted)
            for adjacency in others:
                total += sum_neighbors(adjacency, low, high, table, weighted=weighted)
            yield slice(low, high), total

    def _buffer(self, name: str, columns: int) -> Table:
        return self.pool.buffer(name, self.rows.stop - self.rows.start, columns)


@runtime_checkable
class LayerwiseModel(Protocol):
    """A network that computes its logits layer by layer from chunks of features."""

    classes: int

    def layerwise(self, x: Chunks, graph: LayerwiseGraph) -> Chunks:
        """Yield the logits of this process's nodes."""


def all_logits(
    model: LayerwiseModel, read: Callable[[slice], Tensor], adjacencies: Sequence[CSR], pool: BufferPool
) -> Table:
    """Return the logits of all nodes, equal to those of the network's forward pass on a graph without self-loops.

    Args:
        model: The network, in evaluation mode.
        read: Returns the features of consecutive nodes.
        adjacencies: CSR adjacencies whose union is the graph, e.g. its own edges and highways.
        pool: Buffers, kept from one call to the next.
    """
    graph = LayerwiseGraph(adjacencies, pool)
    with torch.no_grad():
        logits = torch.empty(graph.rows.stop - graph.rows.start, model.classes)
        return fill(logits, model.layerwise(graph.read(read), graph))


def _copy(x: Tensor, out: Tensor) -> object:
    return out.copy_(x)


def fill(table: Table, chunks: Chunks, write: Callable[[Tensor, Tensor], object] = _copy) -> Table:
    """Write this process's chunks into the table and return it joined with those of all other processes."""
    done = 0
    for _, x in chunks:
        write(x, table[done : done + len(x)])
        done += len(x)
    return gather(table)


def _multiply(weight: Tensor, x: Tensor, out: Tensor) -> None:
    torch.mm(x, weight.T, out=out)


def _pattern(adjacencies: Sequence[CSR], low: int, high: int) -> csr_array:
    """Return rows low to high of the adjacency with self-loops; parallel edges stay separate entries."""
    rows, columns = [np.arange(high - low)], [np.arange(low, high)]
    for adjacency in adjacencies:
        begin, end = int(adjacency.rowptr[low]), int(adjacency.rowptr[high])
        rows.append(np.repeat(np.arange(high - low), adjacency.rowptr[low : high + 1].diff().numpy()))
        columns.append(adjacency.col[begin:end].numpy())
    row, column = np.concatenate(rows), np.concatenate(columns)
    order = np.argsort(row, kind="stable")
    start = np.concatenate([[0], np.bincount(row, minlength=high - low).cumsum()])
    return csr_array(
        (np.ones(len(row), np.float32), column[order], start), shape=(high - low, adjacencies[0].num_nodes)
    )
