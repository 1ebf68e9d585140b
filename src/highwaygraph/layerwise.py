"""Logits of all nodes of a graph by rows: layer after layer, a stretch of receivers at a time, memory bounded."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from scipy.sparse import csr_array
from torch import Tensor

from highwaygraph import layers
from highwaygraph.blocks import Hop, columns
from highwaygraph.config import Network
from highwaygraph.gnn import GNN
from highwaygraph.ranks import gather, own_part
from highwaygraph.rows import AT_HAND, Rows, blocks, matrix, strengths

# Rows of features, and entries of rows, that are looked at in one go.
CHUNK, ENTRIES = 2**16, 2**24
Table = Float[Tensor, "n d"]
# Rows in order, a stretch at a time, each read once: what a layer answers on a large graph need not be held as a whole.
Stretches = Iterator[tuple[slice, Tensor]]


def all_logits(model: GNN, read: Callable[[slice], Tensor], parts: Sequence[Rows]) -> Table:
    """Return what the network's forward would return for every node of a graph without loops."""
    network, nodes = model.network, parts[0].nodes
    # Kept when the rest is freed: asked for first, so that the larger tables' place is free as a whole the next time.
    logits = _room(nodes, model.classes)
    with torch.no_grad():
        answer = source = _chunks(read, nodes)
        for layer in model.layers:
            answer = _answer(network, layer, _messages(network, layer, source, nodes), parts)
            source = _between(network, answer)
        return _filled(logits, answer)


def _chunks(read: Callable[[slice], Tensor], nodes: int) -> Stretches:
    """Return this process's rows of what is at hand."""
    own = own_part(nodes)
    for low in range(own.start, own.stop, CHUNK):
        rows = slice(low, min(low + CHUNK, own.stop))
        yield rows, read(rows)


def _between(network: Network, stretches: Stretches) -> Stretches:
    return ((rows, layers.between(network, x, None)) for rows, x in stretches)


def _messages(network: Network, layer: Any, source: Stretches, nodes: int) -> Table:
    """Return every node's features times the layer's weights."""
    weight = torch.cat([layer.lin_l.weight, layer.lin_r.weight]) if network.model == "sage" else layer.lin.weight
    return _filled(_room(nodes, len(weight)), source, lambda x, place: torch.mm(x, weight.T, out=place))


def _room(nodes: int, width: int) -> Table:
    """Return a table for this process's rows."""
    own = own_part(nodes)
    return torch.empty(own.stop - own.start, width)


def _filled(
    table: Table, stretches: Stretches, put: Callable[[Tensor, Tensor], object] = lambda x, place: place.copy_(x)
) -> Table:
    """Return everybody's stretches, or what is put in their places, as one table."""
    done = 0
    for _, x in stretches:
        put(x, table[done : done + len(x)])
        done += len(x)
    return gather(table)


def _answer(network: Network, layer: Any, messages: Table, parts: Sequence[Rows]) -> Stretches:
    match network.model:
        case "sage":
            heard, own = messages.chunk(2, dim=1)
            mean = _mean(parts, heard.contiguous(), closed=False)
            return ((rows, layers.plus(x.add_(own[rows]), layer.lin_l.bias)) for rows, x in mean)
        case "gat":
            return _attend(network, layer, messages, parts)
        case "hyper":
            closed = network.hyperedges == "closed"
            found = _mean(parts, _filled(_room(*messages.shape), _mean(parts, messages, closed=closed)), closed=closed)
        case "grand":
            found = _spread(parts, messages, layer.order)
        case _:
            found = _smooth(parts, messages)
    return ((rows, layers.plus(x, layer.bias)) for rows, x in found)


def _smooth(parts: Sequence[Rows], table: Table) -> Stretches:
    """Return the table, which is overwritten, after one step of GCN: sums over a node and its neighbours, scaled."""
    scale = (strengths(parts) + 1).rsqrt()[:, None]
    # In place: on ten million nodes another such table is gigabytes.
    scaled = table.mul_(scale)
    for rows, sums in _sums(parts, scaled, weighted=True):
        yield rows, sums.add_(scaled[rows]).mul_(scale[rows])


def _spread(parts: Sequence[Rows], table: Table, order: int) -> Stretches:
    now, total = table, table.clone()
    for _ in range(order):
        now = _filled(_room(*now.shape), _smooth(parts, now))
        total += now
    return _chunks(lambda rows: total[rows].div_(order + 1), len(total))


def _mean(parts: Sequence[Rows], table: Table, *, closed: bool) -> Stretches:
    """Return the mean of each node's neighbours' rows, its own included if closed, 0 where there is none."""
    count = (_counts(parts) + closed).clamp(min=1)[:, None]
    for rows, sums in _sums(parts, table):
        yield rows, (sums.add_(table[rows]) if closed else sums).div_(count[rows])


def _counts(parts: Sequence[Rows]) -> Tensor:
    return torch.stack([part.start.diff() for part in parts]).sum(dim=0)


def _sums(parts: Sequence[Rows], table: Table, *, weighted: bool = False) -> Stretches:
    """Return the sums of each node's neighbours' rows, times the edges' weights if they are to count."""
    for low, high in blocks(parts[0], own_part(len(table)), AT_HAND):
        sums = table.new_empty(high - low, table.size(1))
        for number, part in enumerate(parts):
            sums.addmm_(matrix(part, low, high, weighted=weighted), table, beta=min(number, 1))
        yield slice(low, high), sums


def _attend(network: Network, layer: Any, messages: Table, parts: Sequence[Rows]) -> Stretches:
    """Return GAT's answer, for each stretch from the rows that its receivers hear."""
    for low, high in blocks(parts[0], own_part(parts[0].nodes), ENTRIES // layer.heads):
        pattern = _closed_pattern(parts, low, high)
        reached = np.unique(pattern.indices)
        hop = Hop((columns(pattern, reached),), np.searchsorted(reached, np.arange(low, high)))
        ready = layers.prepare(network, hop, last=not layer.concat)
        yield slice(low, high), layers.attend(layer, messages[reached], ready)


def _closed_pattern(parts: Sequence[Rows], low: int, high: int) -> csr_array:
    """Return whom these receivers hear, themselves included, each edge an entry of its own."""
    rows, columns = [np.arange(high - low)], [np.arange(low, high)]
    for part in parts:
        begin, end = int(part.start[low]), int(part.start[high])
        rows.append(np.repeat(np.arange(high - low), part.start[low : high + 1].diff().numpy()))
        columns.append(part.neighbours[begin:end].numpy())
    row, column = np.concatenate(rows), np.concatenate(columns)
    order = np.argsort(row, kind="stable")
    start = np.concatenate([[0], np.bincount(row, minlength=high - low).cumsum()])
    return csr_array((np.ones(len(row), np.float32), column[order], start), shape=(high - low, parts[0].nodes))
