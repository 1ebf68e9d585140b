"""PyG's four layers on a prepared graph: their own weights, the same sums, nothing computed twice."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from scipy.sparse import csr_array
from torch import Tensor
from torch.nn import functional as F

from highwaygraph.config import Network
from highwaygraph.nn.dropout import DropoutMasks
from highwaygraph.nn.receptive_field import Hop, Indices
from highwaygraph.nn.spmm import Sparse, permute, product, row_softmax, sparse, weighted_product

Messages = Tensor | Sparse


class Attention(NamedTuple):
    """Who hears whom in a GAT layer: `scores` and `sums` by edge, `heads` by edge and head."""

    scores: Sparse
    sums: Sparse
    row: Tensor
    heads: Sparse
    order: Tensor
    inverse: Tensor


def linear(x: Messages, weight: Float[Tensor, "o i"]) -> Float[Tensor, "n o"]:
    """Return x @ weight.T for dense or sparse x."""
    return product(x, weight.T) if isinstance(x, Sparse) else x @ weight.T


def drop(x: Messages, rate: float, noise: DropoutMasks | None) -> Messages:
    """Return x with entries dropped at that rate; zeros of a sparse x stay zero either way."""
    if noise is None or not rate:
        return x
    if isinstance(x, Sparse):
        values = x.matrix.values()
        return x.with_values(values * noise.keep(values.shape, rate))
    if x.device.type != "cpu":
        return F.dropout(x, rate)
    # Into the mask: on a large graph a fresh table costs as much as the product.
    return x * noise.keep(x.shape, rate) if x.requires_grad else noise.keep(x.shape, rate).mul_(x)


def between(network: Network, x: Float[Tensor, "n h"], noise: DropoutMasks | None) -> Float[Tensor, "n h"]:
    """Return what the next layer reads of a layer's answer, which is overwritten: non-linearity and dropout."""
    rate = network.inner_dropout
    if noise is None or not rate:
        return F.elu_(x) if network.model == "gat" else F.relu_(x)
    mask = noise.keep(x.shape, rate)
    # One factor for both, so that forward and backward pass multiply once each.
    return F.elu_(x) * mask if network.model == "gat" else x.mul_(mask.mul_(x.detach() > 0))


def prepare(network: Network, hop: Hop, *, last: bool) -> Any:
    """Return one layer's operators in the form that its forward pass uses."""
    match network.model:
        case "sage":
            return sparse(_with_root(hop))
        case "gat":
            return _attention(hop, 1 if last else network.heads)
        case "grand":
            return [sparse(matrix) for matrix in hop.operators], torch.from_numpy(hop.root)
        case _:
            return [sparse(matrix) for matrix in hop.operators]


def forward(
    network: Network,
    layer: Any,
    x: Messages,
    ready: Any,
    noise: DropoutMasks | None,
    *,
    seen: Float[Tensor, "n"] | None = None,
) -> Float[Tensor, "t o"]:
    """Return what the PyG layer would return for the hop's receivers, the rows of x scaled by `seen` if given."""
    match network.model:
        case "sage":
            both = _scaled(linear(x, torch.cat([layer.lin_l.weight, layer.lin_r.weight])), seen)
            # Row 2j holds j's message and row 2j + 1 what j tells itself, so that one product does both.
            return plus(product(ready, both.view(2 * len(both), -1)), layer.lin_l.bias)
        case "gat":
            return attend(layer, _scaled(linear(x, layer.lin.weight), seen), ready, network.dropout, noise)
        case "grand":
            operators, wanted = ready
            x = _scaled(linear(x, layer.lin.weight), seen)
            return plus(_spread(x, operators, wanted, layer.order), layer.bias)
        case _:
            x = _scaled(linear(x, layer.lin.weight), seen)
            for operator in ready:
                x = product(operator, x)
            return plus(x, layer.bias)


def attend(
    layer: Any, x: Float[Tensor, "n w"], ready: Attention, rate: float = 0.0, noise: DropoutMasks | None = None
) -> Float[Tensor, "t o"]:
    """Return GAT's answer from messages: their mean, weighted by attention, with shares dropped at that rate."""
    heads, width = layer.heads, layer.out_channels
    # Row 2j is what j says to others and row 2j + 1 how j listens, so that one product adds them up by edge.
    both = (x @ _attends(layer)).view(-1, heads)
    scores = F.leaky_relu(product(ready.scores, both), layer.negative_slope)
    shares = row_softmax(scores, ready.sums, ready.row)
    if noise is not None:
        shares = shares * noise.keep(shares.shape, rate)
    by_head = permute(shares.view(-1), ready.order, ready.inverse)
    out = weighted_product(ready.heads, by_head, x.reshape(-1, width)).view(-1, heads, width)
    return plus(out.flatten(1) if layer.concat else out.mean(dim=1), layer.bias)


def _spread(x: Tensor, operators: list[Sparse], wanted: Tensor, order: int) -> Tensor:
    """Return the wanted rows of the mean over the first steps."""
    now = total = x
    for _ in range(order):
        now = product(operators[0], now)
        total = total + now
    return total.index_select(0, wanted) / (order + 1)


def _scaled(x: Tensor, rows: Tensor | None) -> Tensor:
    # A row's factor may come after the weights, where the table is small and dense.
    return x if rows is None else x * rows[:, None]


def plus(x: Float[Tensor, "n o"], bias: Float[Tensor, "o"] | None) -> Float[Tensor, "n o"]:
    """Return x, which is overwritten, with the bias added if there is one."""
    # In place: on a large graph a fresh table costs as much as the sum.
    return x if bias is None else x.add_(bias)


def _attends(layer: Any) -> Tensor:
    """Return both attention vectors as one matrix: each head meets its own columns of x only."""
    own = _own_columns(layer.heads, layer.out_channels)
    return torch.cat([own * layer.att_src.view(-1, 1), own * layer.att_dst.view(-1, 1)], dim=1)


@cache
def _own_columns(heads: int, width: int) -> Tensor:
    return torch.eye(heads).repeat_interleave(width, dim=0)


def _with_root(hop: Hop) -> csr_array:
    """Return the mean of the neighbours beside the receiver itself, columns interleaved."""
    (mean,) = hop.operators
    receivers, senders = mean.shape
    entries = np.diff(mean.indptr)
    ends = mean.indptr[1:]
    data = np.insert(mean.data, ends, np.ones(receivers, dtype=np.float32))
    indices = np.insert(2 * mean.indices, ends, 2 * hop.root + 1)
    indptr = np.concatenate([[0], np.cumsum(entries + 1)])
    return csr_array((data, indices, indptr), shape=(receivers, 2 * senders))


def _attention(hop: Hop, heads: int) -> Attention:
    (pattern,) = hop.operators
    receivers, senders = pattern.shape
    edges, each = pattern.nnz, np.arange(heads)
    row = np.repeat(np.arange(receivers), np.diff(pattern.indptr))
    ends = np.stack([2 * pattern.indices, 2 * hop.root[row] + 1], axis=1).ravel()
    # Head h of receiver i is row i * heads + h: all heads go through one product. Entries come by edge and then head;
    # where each goes follows from its place in its row, without sorting.
    entries = np.diff(pattern.indptr)
    start, size = (
        np.repeat(part, entries) for part in (pattern.indptr[:-1].astype(np.int64), entries.astype(np.int64))
    )
    inverse = ((start * heads + np.arange(edges) - start)[:, None] + size[:, None] * each).ravel()
    order = np.empty_like(inverse)
    order[inverse] = np.arange(len(inverse))
    columns = (pattern.indices[:, None] * heads + each).ravel()[order]
    indptr = np.concatenate([[0], np.repeat(entries, heads).cumsum()])
    return Attention(
        scores=sparse(_ones(ends, 2 * np.arange(edges + 1), (edges, 2 * senders))),
        sums=sparse(_ones(np.arange(edges), pattern.indptr, (receivers, edges))),
        row=torch.from_numpy(row),
        heads=sparse(_ones(columns, indptr, (receivers * heads, senders * heads))),
        order=torch.from_numpy(order),
        inverse=torch.from_numpy(inverse),
    )


def _ones(indices: Indices, indptr: Indices, shape: tuple[int, int]) -> csr_array:
    return csr_array((np.ones(len(indices), dtype=np.float32), indices, indptr), shape=shape)
