"""Room for the large tables of an answer, kept from one answer to the next."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from scipy.sparse import csr_array
from torch import Tensor

from highwaygraph.config import Network
from highwaygraph.graph.csr import CSR, Table, row_blocks, sum_neighbors, weighted_degrees
from highwaygraph.nn import layers
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.receptive_field import Hop, columns
from highwaygraph.runtime.distributed import gather, shard


class BufferPool:
    """Tables by name, each in the memory of the last one so called: new memory costs more time than to fill it."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._kept: dict[str, Tensor] = {}

    def table(self, name: str, rows: int, width: int) -> Float[Tensor, "n d"]:
        """Return a table with anything in it; what was called so before is overwritten with it."""
        flat = self._kept.get(name)
        if flat is None or len(flat) < rows * width:
            # Let go of first, so that both are never held.
            self._kept[name] = torch.empty(0)
            flat = self._kept[name] = torch.empty(rows * width)
        return flat[: rows * width].view(rows, width)


# Rows of features, and entries of rows, that are looked at in one go.
CHUNK, ENTRIES = 2**16, 2**24


# Entries whose receivers' rows stay in the cache while they are worked on.
AT_HAND = 2**17


# Rows in order, a stretch at a time, each read once: what a layer answers on a large graph need not be held as a whole.
Stretches = Iterator[tuple[slice, Tensor]]


def all_logits(model: GNN, read: Callable[[slice], Tensor], parts: Sequence[CSR], desk: BufferPool) -> Table:
    """Return what the network's forward would return for every node of a graph without loops."""
    network = model.network
    own = shard(parts[0].num_nodes)
    with torch.no_grad():
        answer = source = _chunks(read, own)
        for number, layer in enumerate(model.layers):
            weight = _weight(network, layer)
            # Two in turn: while one layer's messages are written, those of the layer before are read.
            room = desk.table(f"messages {number % 2}", own.stop - own.start, len(weight))
            messages = _filled(room, source, partial(_multiply, weight))
            answer = _answer(network, layer, messages, parts, desk)
            source = _between(network, answer)
        return _filled(torch.empty(own.stop - own.start, model.classes), answer)


def _chunks(read: Callable[[slice], Tensor], own: slice) -> Stretches:
    """Return this process's rows of what is at hand."""
    for low in range(own.start, own.stop, CHUNK):
        rows = slice(low, min(low + CHUNK, own.stop))
        yield rows, read(rows)


def _between(network: Network, stretches: Stretches) -> Stretches:
    return ((rows, layers.between(network, x, None)) for rows, x in stretches)


def _weight(network: Network, layer: Any) -> Tensor:
    """Return what every node's features are multiplied with."""
    return torch.cat([layer.lin_l.weight, layer.lin_r.weight]) if network.model == "sage" else layer.lin.weight


def _multiply(weight: Tensor, x: Tensor, place: Tensor) -> None:
    torch.mm(x, weight.T, out=place)


def _filled(
    table: Table, stretches: Stretches, put: Callable[[Tensor, Tensor], object] = lambda x, place: place.copy_(x)
) -> Table:
    """Return everybody's stretches, or what is put in their places, as one table."""
    done = 0
    for _, x in stretches:
        put(x, table[done : done + len(x)])
        done += len(x)
    return gather(table)


def _answer(network: Network, layer: Any, messages: Table, parts: Sequence[CSR], desk: BufferPool) -> Stretches:
    match network.model:
        case "sage":
            heard, own = messages.chunk(2, dim=1)
            mean = _mean(parts, desk.table("heard", *heard.shape).copy_(heard), closed=False)
            return ((rows, layers.plus(x.add_(own[rows]), layer.lin_l.bias)) for rows, x in mean)
        case "gat":
            return _attend(network, layer, messages, parts)
        case "hyper":
            closed = network.hyperedges == "closed"
            inner = _filled(_own_room(desk, "hyperedges", messages), _mean(parts, messages, closed=closed))
            found = _mean(parts, inner, closed=closed)
        case "grand":
            found = _spread(parts, messages, layer.order, desk)
        case _:
            found = _smooth(parts, messages)
    return ((rows, layers.plus(x, layer.bias)) for rows, x in found)


def _smooth(parts: Sequence[CSR], table: Table) -> Stretches:
    """Return the table, which is overwritten, after one step of GCN: sums over a node and its neighbours, scaled."""
    scale = (weighted_degrees(parts) + 1).rsqrt()[:, None]
    # In place: on ten million nodes another such table is gigabytes.
    scaled = table.mul_(scale)
    for rows, heard in _sums(parts, scaled, weighted=True):
        yield rows, heard.add_(scaled[rows]).mul_(scale[rows])


def _spread(parts: Sequence[CSR], table: Table, order: int, desk: BufferPool) -> Stretches:
    now, total = table, desk.table("total", *table.shape).copy_(table)
    for number in range(order):
        now = _filled(_own_room(desk, f"spread {number % 2}", now), _smooth(parts, now))
        total += now
    return _chunks(lambda rows: total[rows].div_(order + 1), shard(len(total)))


def _own_room(desk: BufferPool, name: str, table: Table) -> Table:
    """Return room for this process's rows of such a table."""
    own = shard(len(table))
    return desk.table(name, own.stop - own.start, table.size(1))


def _mean(parts: Sequence[CSR], table: Table, *, closed: bool) -> Stretches:
    """Return the mean of each node's neighbours' rows, its own included if closed, 0 where there is none."""
    count = (_counts(parts) + closed).clamp(min=1)[:, None]
    for rows, heard in _sums(parts, table):
        yield rows, (heard.add_(table[rows]) if closed else heard).div_(count[rows])


def _counts(parts: Sequence[CSR]) -> Tensor:
    return torch.stack([part.rowptr.diff() for part in parts]).sum(dim=0)


def _sums(parts: Sequence[CSR], table: Table, *, weighted: bool = False) -> Stretches:
    """Return the sums of each node's neighbours' rows, times the edges' weights if they are to count."""
    first, *others = parts
    for low, high in row_blocks(first, shard(len(table)), AT_HAND):
        total = sum_neighbors(first, low, high, table, weighted=weighted)
        for part in others:
            total += sum_neighbors(part, low, high, table, weighted=weighted)
        yield slice(low, high), total


def _attend(network: Network, layer: Any, messages: Table, parts: Sequence[CSR]) -> Stretches:
    """Return GAT's answer, for each stretch from the rows that its receivers hear."""
    for low, high in row_blocks(parts[0], shard(parts[0].num_nodes), ENTRIES // layer.heads):
        pattern = _closed_pattern(parts, low, high)
        reached = np.unique(pattern.indices)
        hop = Hop((columns(pattern, reached),), np.searchsorted(reached, np.arange(low, high)))
        ready = layers.prepare(network, hop, last=not layer.concat)
        yield slice(low, high), layers.attend(layer, messages[reached], ready)


def _closed_pattern(parts: Sequence[CSR], low: int, high: int) -> csr_array:
    """Return whom these receivers hear, themselves included, each edge an entry of its own."""
    rows, columns = [np.arange(high - low)], [np.arange(low, high)]
    for part in parts:
        begin, end = int(part.rowptr[low]), int(part.rowptr[high])
        rows.append(np.repeat(np.arange(high - low), part.rowptr[low : high + 1].diff().numpy()))
        columns.append(part.col[begin:end].numpy())
    row, column = np.concatenate(rows), np.concatenate(columns)
    order = np.argsort(row, kind="stable")
    start = np.concatenate([[0], np.bincount(row, minlength=high - low).cumsum()])
    return csr_array((np.ones(len(row), np.float32), column[order], start), shape=(high - low, parts[0].num_nodes))
