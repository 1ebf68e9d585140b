"""GraphSAGE (Hamilton et al., 2017): the mean of a node's neighbours beside the node itself."""

from typing import Any, cast

import numpy as np
import torch
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch_geometric.nn import SAGEConv

from highwaygraph.nn.dropout import DropoutMasks
from highwaygraph.nn.functional import add_bias_
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.layerwise import Chunks, LayerwiseGraph
from highwaygraph.nn.operators import adjacency_matrix, mean_matrix
from highwaygraph.nn.receptive_field import Hop
from highwaygraph.nn.spmm import Sparse, product, sparse


class GraphSAGE(GNN):
    """A stack of PyG's SAGEConv with mean aggregation."""

    def build_layer(self, index: int, in_channels: int, out_channels: int) -> nn.Module:
        """Return a SAGEConv."""
        return cast(nn.Module, SAGEConv(in_channels, out_channels, bias=self.network.bias))

    def operators(
        self,
        edge_index: Int[Tensor, "2 e"],
        edge_weight: Float[Tensor, "e"] | None,
        num_nodes: int,
        weighted_degree: Float[Tensor, "n"] | None,
    ) -> tuple[csr_array, ...]:
        """Return the matrix of means over neighbours."""
        return (mean_matrix(adjacency_matrix(edge_index, None, num_nodes)),)

    def message_weight(self, layer: Any) -> Float[Tensor, "m i"]:
        """Return the weights of neighbours and of the node itself, one above the other."""
        return torch.cat([layer.lin_l.weight, layer.lin_r.weight])

    def prepare_layer(self, layer: Any, hop: Hop) -> Sparse:
        """Return the matrix of means with the root nodes' entries."""
        return sparse(_with_root(hop))

    def aggregate(
        self,
        layer: Any,
        messages: Float[Tensor, "n m"],
        prepared: Sparse,
        masks: DropoutMasks | None,
    ) -> Float[Tensor, "t o"]:
        """Return the mean of the neighbours' messages plus the root message."""
        # Row 2j holds node j's message to others and row 2j + 1 its root message, so that one product adds both.
        return add_bias_(product(prepared, messages.view(2 * len(messages), -1)), layer.lin_l.bias)

    def aggregate_layerwise(self, layer: Any, messages: Float[Tensor, "n m"], graph: LayerwiseGraph) -> Chunks:
        """Return the mean of the neighbours' messages plus the root message."""
        neighbors, root = messages.chunk(2, dim=1)
        # The sums need contiguous rows.
        contiguous = graph.pool.buffer("neighbour messages", *neighbors.shape).copy_(neighbors)
        mean = graph.mean_neighbors(contiguous, self_loops=False)
        return ((rows, add_bias_(x.add_(root[rows]), layer.lin_l.bias)) for rows, x in mean)


def _with_root(hop: Hop) -> csr_array:
    """Return the means over neighbours with one more entry per row for the root, columns interleaved."""
    (mean,) = hop.operators
    targets, sources = mean.shape
    entries = np.diff(mean.indptr)
    ends = mean.indptr[1:]
    data = np.insert(mean.data, ends, np.ones(targets, dtype=np.float32))
    indices = np.insert(2 * mean.indices, ends, 2 * hop.root + 1)
    indptr = np.concatenate([[0], np.cumsum(entries + 1)])
    return csr_array((data, indices, indptr), shape=(targets, 2 * sources))
