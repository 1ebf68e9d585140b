"""GAT (Velickovic et al., 2018): means over neighbours weighted by attention."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn import GATConv
from torch_geometric.utils import add_self_loops, remove_self_loops

from highwaygraph.nn.dropout import DropoutMasks
from highwaygraph.nn.functional import add_bias_
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.layerwise import Chunks, LayerwiseGraph
from highwaygraph.nn.operators import Indices, adjacency_matrix
from highwaygraph.nn.receptive_field import Hop, select_columns
from highwaygraph.nn.spmm import Sparse, permute, product, row_softmax, sparse, weighted_product


class Attention(NamedTuple):
    """The edges of a GAT layer as matrices; edges are sorted by target."""

    scores: Sparse
    """Edges x (2 x sources): adds the source's and the target's part of each edge's score."""
    sums: Sparse
    """Targets x edges: sums the edges of each target."""
    row: Tensor
    """The target of each edge."""
    heads: Sparse
    """(Targets x heads) x (sources x heads): all heads' edges in one matrix."""
    order: Tensor
    """For each entry of `heads`, its position among the scores by edge and head."""
    inverse: Tensor
    """The inverse of that permutation."""


class GAT(GNN):
    """A stack of PyG's GATConv; the hidden layers concatenate their heads, the last has one."""

    def build_layer(self, index: int, in_channels: int, out_channels: int) -> nn.Module:
        """Return a GATConv."""
        network, last = self.network, index == self.network.layers - 1
        heads = 1 if last else network.heads
        options = {"heads": heads, "concat": not last, "dropout": network.dropout, "bias": network.bias}
        return cast(nn.Module, GATConv(in_channels, out_channels // heads, **options))

    def operators(
        self,
        edge_index: Int[Tensor, "2 e"],
        edge_weight: Float[Tensor, "e"] | None,
        num_nodes: int,
        weighted_degree: Float[Tensor, "n"] | None,
    ) -> tuple[csr_array, ...]:
        """Return the adjacency matrix with one self-loop per node."""
        return (attention_pattern(edge_index, num_nodes),)

    def prepare_layer(self, layer: Any, hop: Hop) -> Attention:
        """Return the hop's edges for the layer's heads."""
        return attention(hop, layer.heads)

    def aggregate(
        self, layer: Any, messages: Float[Tensor, "n m"], prepared: Attention, masks: DropoutMasks | None
    ) -> Float[Tensor, "t o"]:
        """Return the means of the messages weighted by attention, whose coefficients are dropped out."""
        rate = self.network.dropout
        drop = None if masks is None else lambda alpha: alpha * masks.sample(alpha.shape, rate)
        return attend(layer, messages, prepared, drop)

    def aggregate_layerwise(self, layer: Any, messages: Float[Tensor, "n m"], graph: LayerwiseGraph) -> Chunks:
        """Yield the same as `aggregate` without dropout, each chunk from the messages of its sources."""
        for rows, pattern in graph.patterns(layer.heads):
            sources = np.unique(pattern.indices)
            root = np.searchsorted(sources, np.arange(rows.start, rows.stop))
            edges = attention(Hop((select_columns(pattern, sources),), root), layer.heads)
            yield rows, self.aggregate(layer, messages[sources], edges, None)

    def activate(self, x: Float[Tensor, "n h"]) -> Float[Tensor, "n h"]:
        """Return the ELU of x."""
        return F.elu(x)

    def activate_dropout_(self, x: Float[Tensor, "n h"], masks: DropoutMasks | None) -> Float[Tensor, "n h"]:
        """Return the ELU of x followed by dropout; x is overwritten."""
        rate = self.network.inner_dropout
        if masks is None or not rate:
            return F.elu_(x)
        mask = masks.sample(x.shape, rate)
        return F.elu_(x) * mask


def attend(
    layer: Any,
    messages: Float[Tensor, "n m"],
    edges: Attention,
    drop: Callable[[Tensor], Tensor] | None,
) -> Float[Tensor, "t o"]:
    """Return the output of a GATConv.

    Args:
        layer: The layer.
        messages: The products of its input with its weight.
        edges: The edges, for its number of heads.
        drop: Dropout of the coefficients of attention.

    Returns:
        The means of the messages weighted by attention, a row per target.
    """
    heads, width = layer.heads, layer.out_channels
    # Row 2j is node j's part of a score as source and row 2j + 1 as target: one product adds both for each edge.
    parts = (messages @ _score_weight(layer)).view(-1, heads)
    scores = F.leaky_relu(product(edges.scores, parts), layer.negative_slope)
    alpha = row_softmax(scores, edges.sums, edges.row)
    if drop is not None:
        alpha = drop(alpha)
    by_head = permute(alpha.view(-1), edges.order, edges.inverse)
    out = weighted_product(edges.heads, by_head, messages.reshape(-1, width)).view(-1, heads, width)
    return add_bias_(out.flatten(1) if layer.concat else out.mean(dim=1), layer.bias)


def attention_pattern(edge_index: Int[Tensor, "2 e"], num_nodes: int) -> csr_array:
    """Return the adjacency matrix with one self-loop per node.

    Args:
        edge_index: The edges.
        num_nodes: The number of nodes.
    """
    edge_index, _ = add_self_loops(remove_self_loops(edge_index)[0], num_nodes=num_nodes)
    return adjacency_matrix(edge_index, None, num_nodes)


def _score_weight(layer: Any) -> Tensor:
    """Return both attention vectors as one matrix: each head multiplies its own columns of the messages only."""
    own = _head_columns(layer.heads, layer.out_channels)
    return torch.cat([own * layer.att_src.view(-1, 1), own * layer.att_dst.view(-1, 1)], dim=1)


@cache
def _head_columns(heads: int, width: int) -> Tensor:
    return torch.eye(heads).repeat_interleave(width, dim=0)


def attention(hop: Hop, heads: int) -> Attention:
    """Return the edges of a layer as matrices.

    Args:
        hop: The layer's pattern, with a self-loop per node.
        heads: The number of heads.
    """
    (pattern,) = hop.operators
    targets, sources = pattern.shape
    edges, each = pattern.nnz, np.arange(heads)
    row = np.repeat(np.arange(targets), np.diff(pattern.indptr))
    ends = np.stack([2 * pattern.indices, 2 * hop.root[row] + 1], axis=1).ravel()
    # Head h of target i is row i * heads + h: all heads take part in one product. Scores are sorted by edge, then by
    # head; an entry's position follows from its position in its row, without sorting.
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
        scores=sparse(_ones(ends, 2 * np.arange(edges + 1), (edges, 2 * sources))),
        sums=sparse(_ones(np.arange(edges), pattern.indptr, (targets, edges))),
        row=torch.from_numpy(row),
        heads=sparse(_ones(columns, indptr, (targets * heads, sources * heads))),
        order=torch.from_numpy(order),
        inverse=torch.from_numpy(inverse),
    )


def _ones(indices: Indices, indptr: Indices, shape: tuple[int, int]) -> csr_array:
    return csr_array((np.ones(len(indices), dtype=np.float32), indices, indptr), shape=shape)
