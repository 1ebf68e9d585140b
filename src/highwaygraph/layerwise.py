"""Logits of all nodes of a graph by rows: layer after layer, a stretch of receivers at a time, memory bounded."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
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
from highwaygraph.rows import Rows, strengths

# Rows of features, and entries of rows, that are looked at in one go.
CHUNK, ENTRIES = 2**16, 2**24
# Entries whose receivers' rows stay in the cache.
AT_HAND = 2**20
Table = Float[Tensor, "n d"]


def all_logits(model: GNN, read: Callable[[slice], Tensor], parts: Sequence[Rows]) -> Table:
    """Return what the network's forward would return for every node of a graph without loops."""
    network, nodes = model.network, parts[0].nodes
    table, source = torch.empty(0), read
    with torch.no_grad():
        for layer in model.layers:
            messages = _messages(network, layer, source, nodes)
            table = _answer(network, layer, messages, parts)
            source = _reader(network, table)
    return table


def _reader(network: Network, table: Tensor) -> Callable[[slice], Tensor]:
    return lambda rows: layers.between(network, table[rows].clone(), None)


def _messages(network: Network, layer: Any, read: Callable[[slice], Tensor], nodes: int) -> Tensor:
    """Return every node's features times the layer's weights."""
    weight = torch.cat([layer.lin_l.weight, layer.lin_r.weight]) if network.model == "sage" else layer.lin.weight
    own = own_part(nodes)
    table = torch.empty(own.stop - own.start, len(weight))
    for low in range(own.start, own.stop, CHUNK):
        rows = slice(low, min(low + CHUNK, own.stop))
        torch.mm(read(rows), weight.T, out=table[rows.start - own.start : rows.stop - own.start])
    return gather(table)


def _answer(network: Network, layer: Any, messages: Tensor, parts: Sequence[Rows]) -> Tensor:
    match network.model:
        case "sage":
            heard, own = messages.chunk(2, dim=1)
            return layers.plus(_mean(parts, heard.contiguous(), closed=False).add_(own), layer.lin_l.bias)
        case "hyper":
            closed = network.hyperedges == "closed"
            return layers.plus(_mean(parts, _mean(parts, messages, closed=closed), closed=closed), layer.bias)
        case "gat":
            return _attend(network, layer, messages, parts)
        case "grand":
            return layers.plus(_spread(parts, messages, layer.order), layer.bias)
        case _:
            return layers.plus(_smooth(parts, messages), layer.bias)


def _smooth(parts: Sequence[Rows], table: Tensor) -> Tensor:
    """Return the table, which is overwritten, after one step of GCN: sums over a node and its neighbours, scaled."""
    scale = (strengths(parts) + 1).rsqrt()[:, None]
    # In place: on ten million nodes another such table is gigabytes.
    scaled = table.mul_(scale)
    return _sums(parts, scaled, lambda sums, own: sums.add_(scaled[own]).mul_(scale[own]), weighted=True)


def _spread(parts: Sequence[Rows], table: Tensor, order: int) -> Tensor:
    now, total = table, table.clone()
    for _ in range(order):
        now = _smooth(parts, now)
        total += now
    return total.div_(order + 1)


def _mean(parts: Sequence[Rows], table: Tensor, *, closed: bool) -> Tensor:
    """Return the mean of each node's neighbours' rows, its own included if closed, 0 where there is none."""
    count = (_counts(parts) + closed).clamp(min=1)[:, None]

    def finish(sums: Tensor, own: slice) -> None:
        (sums.add_(table[own]) if closed else sums).div_(count[own])

    return _sums(parts, table, finish)


def _counts(parts: Sequence[Rows]) -> Tensor:
    return torch.stack([part.start.diff() for part in parts]).sum(dim=0)


def _sums(
    parts: Sequence[Rows], table: Tensor, finish: Callable[[Tensor, slice], object], *, weighted: bool = False
) -> Tensor:
    """Return the sums of each node's neighbours' rows, times the edges' weights if they are to count, then finished."""
    own = own_part(len(table))
    total = table.new_empty(own.stop - own.start, table.size(1))
    for low, high in _blocks(parts[0], own, AT_HAND):
        stretch = total[low - own.start : high - own.start]
        for number, part in enumerate(parts):
            stretch.addmm_(_matrix(part, low, high, weighted=weighted), table, beta=min(number, 1))
        # While the stretch is in the cache: on a large graph each further look at the whole table costs as much again.
        finish(stretch, slice(low, high))
    return gather(total)


def _matrix(part: Rows, low: int, high: int, *, weighted: bool) -> Tensor:
    begin, end = int(part.start[low]), int(part.start[high])
    given = part.weight[begin:end] if weighted and part.weight is not None else torch.ones(end - begin)
    start = (part.start[low : high + 1] - begin).to(torch.int32)
    return torch.sparse_csr_tensor(start, part.neighbours[begin:end].int(), given, size=(high - low, part.nodes))


def _blocks(part: Rows, own: slice, most: int) -> Iterator[tuple[int, int]]:
    """Return stretches of these receivers with about so many entries each."""
    start = part.start[own.start : own.stop + 1]
    marks = torch.arange(int(start[0]), int(start[-1]) + most, most)
    cuts = (own.start + torch.searchsorted(start, marks).clamp(max=len(start) - 1)).unique().tolist()
    return pairwise(sorted({own.start, *cuts, own.stop}))


def _attend(network: Network, layer: Any, messages: Tensor, parts: Sequence[Rows]) -> Tensor:
    """Return GAT's answer, for each stretch from the rows that its receivers hear."""
    width = layer.heads * layer.out_channels if layer.concat else layer.out_channels
    own = own_part(parts[0].nodes)
    answer = torch.empty(own.stop - own.start, width)
    for low, high in _blocks(parts[0], own, ENTRIES // layer.heads):
        pattern = _closed_pattern(parts, low, high)
        reached = np.unique(pattern.indices)
        hop = Hop((columns(pattern, reached),), np.searchsorted(reached, np.arange(low, high)))
        ready = layers.prepare(network, hop, last=not layer.concat)
        answer[low - own.start : high - own.start] = layers.attend(layer, messages[reached], ready)
    return gather(answer)


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
