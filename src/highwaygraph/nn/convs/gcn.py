"""GCN (Kipf and Welling, 2017): sums over neighbours with symmetric normalisation."""

from typing import Any, cast

from jaxtyping import Float, Int
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch_geometric.nn import GCNConv

from highwaygraph.nn.functional import add_bias_
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.layerwise import Chunks, LayerwiseGraph
from highwaygraph.nn.operators import gcn_matrix


class GCN(GNN):
    """A stack of PyG's GCNConv."""

    accepts_edge_weight = True

    def build_layer(self, index: int, in_channels: int, out_channels: int) -> nn.Module:
        """Return a GCNConv."""
        return cast(nn.Module, GCNConv(in_channels, out_channels, bias=self.network.bias))

    def operators(
        self,
        edge_index: Int[Tensor, "2 e"],
        edge_weight: Float[Tensor, "e"] | None,
        num_nodes: int,
        weighted_degree: Float[Tensor, "n"] | None,
    ) -> tuple[csr_array, ...]:
        """Return the normalised adjacency matrix."""
        return (gcn_matrix(edge_index, edge_weight, num_nodes, weighted_degree),)

    def aggregate_layerwise(self, layer: Any, messages: Float[Tensor, "n m"], graph: LayerwiseGraph) -> Chunks:
        """Return the normalised sums over each node and its neighbours."""
        return ((rows, add_bias_(x, layer.bias)) for rows, x in graph.propagate_gcn(messages))
