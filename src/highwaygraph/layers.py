"""PyG's four layers on a prepared graph: their own weights, the same sums, nothing computed twice."""

from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch.nn import functional as F

from highwaygraph.blocks import Hop
from highwaygraph.config import Network
from highwaygraph.seeds import Noise
from highwaygraph.sparse import Sparse, product, row_softmax, sparse, weighted_product

Messages = Tensor | Sparse


class Attention(NamedTuple):
    """Who hears whom in a GAT layer: one entry per edge, and one per edge and head."""

    senders: Sparse
    receivers: Sparse
    sums: Sparse
    row: Tensor
    heads: Sparse
    order: Tensor


def linear(x: Messages, weight: Float[Tensor, "o i"]) -> Float[Tensor, "n o"]:
    """Return x @ weight.T for dense or sparse x."""
    return product(x, weight.T) if isinstance(x, Sparse) else x @ weight.T


def drop(x: Messages, rate: float, noise: Noise) -> Messages:
    """Return x with entries dropped at that rate; zeros of a sparse x stay zero either way."""
    if isinstance(x, Sparse):
        values = x.matrix.values()
        return x.with_values(values * noise.keep(values.shape, rate))
    return x * noise.keep(x.shape, rate)


def prepare(network: Network, hop: Hop, *, last: bool) -> Any:
    """Return one layer's operators in the form that its forward pass uses."""
    match network.model:
        case "sage":
            return sparse(_with_root(hop))
        case "gat":
            return _attention(hop, 1 if last else network.heads)
        case _:
            return [sparse(matrix) for matrix in hop.operators]


def forward(network: Network, layer: Any, x: Messages, ready: Any, noise: Noise | None) -> Float[Tensor, "t o"]:
    """Return what the PyG layer would return for the hop's receivers."""
    match network.model:
        case "sage":
            both = linear(x, torch.cat([layer.lin_l.weight, layer.lin_r.weight]))
            # Row 2j holds j's message and row 2j + 1 what j tells itself, so that one product does both.
            return _plus(product(ready, both.view(2 * len(both), -1)), layer.lin_l.bias)
        case "gat":
            return _gat(layer, linear(x, layer.lin.weight), ready, network.dropout, noise)
        case _:
            x = linear(x, layer.lin.weight)
            for operator in ready:
                x = product(operator, x)
            return _plus(x, layer.bias)


def _gat(layer: Any, x: Tensor, ready: Attention, rate: float, noise: Noise | None) -> Tensor:
    heads, width = layer.heads, layer.out_channels
    said, heard = _attends(x, layer.att_src), _attends(x, layer.att_dst)
    scores = product(ready.senders, said) + product(ready.receivers, heard)
    shares = row_softmax(F.leaky_relu(scores, layer.negative_slope), ready.sums, ready.row)
    if noise is not None:
        shares = shares * noise.keep(shares.shape, rate)
    by_head = shares.view(-1).index_select(0, ready.order)
    out = weighted_product(ready.heads, by_head, x.reshape(-1, width)).view(-1, heads, width)
    return _plus(out.flatten(1) if layer.concat else out.mean(dim=1), layer.bias)


def _plus(x: Tensor, bias: Tensor) -> Tensor:
    return x + bias


def _attends(x: Tensor, vector: nn.Parameter) -> Tensor:
    """Return each head's dot product with its own attention vector, as one small matrix product."""
    heads, width = vector.shape[1:]
    blocks = torch.eye(heads).repeat_interleave(width, dim=0) * vector.view(-1, 1)
    return x @ blocks


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
    ones, one_each = np.ones(edges, dtype=np.float32), np.arange(edges + 1)
    sums = csr_array((ones, np.arange(edges), pattern.indptr), shape=(receivers, edges))
    # Head h of receiver i is row i * heads + h: all heads go through one product.
    by_head = (row[:, None] * heads + each).ravel()
    order = np.argsort(by_head, kind="stable")
    columns = (pattern.indices[:, None] * heads + each).ravel()[order]
    indptr = np.concatenate([[0], np.bincount(by_head, minlength=receivers * heads).cumsum()])
    shape = (receivers * heads, senders * heads)
    return Attention(
        senders=sparse(csr_array((ones, pattern.indices, one_each), shape=(edges, senders))),
        receivers=sparse(csr_array((ones, hop.root[row], one_each), shape=(edges, senders))),
        sums=sparse(sums),
        row=torch.from_numpy(row),
        heads=sparse(csr_array((np.ones(edges * heads, dtype=np.float32), columns, indptr), shape=shape)),
        order=torch.from_numpy(order),
    )
