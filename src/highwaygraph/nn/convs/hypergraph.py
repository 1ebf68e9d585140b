"""Hypergraph convolution (Bai et al., 2021) on a plain graph: means over hyperedges, then over their members."""

from typing import Any, cast

from jaxtyping import Float, Int
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch_geometric.nn import HypergraphConv
from torch_geometric.utils import add_remaining_self_loops

from highwaygraph.nn.functional import add_bias_
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.layerwise import Chunks, LayerwiseGraph
from highwaygraph.nn.operators import adjacency_matrix, mean_matrix


class Hypergraph(GNN):
    """A stack of PyG's HypergraphConv; node i's neighbourhood, with i itself if closed, is hyperedge i."""

    # Sampled edges point towards the seeds only; the incidence's transpose follows from symmetry.
    undirected_minibatches = True

    @property
    def num_hops(self) -> int:
        """Two hops per layer: members of one hyperedge are two hops apart."""
        return 2 * self.network.layers

    def build_layer(self, index: int, in_channels: int, out_channels: int) -> nn.Module:
        """Return a HypergraphConv."""
        return cast(nn.Module, HypergraphConv(in_channels, out_channels, bias=self.network.bias))

    def forward(
        self,
        x: Float[Tensor, "n f"],
        edge_index: Int[Tensor, "2 e"],
        edge_weight: Float[Tensor, "e"] | None = None,
    ) -> Float[Tensor, "n c"]:
        """Return the logits of every node, through PyG's layers on the incidence."""
        self.edge_weight_args(edge_weight)
        return super().forward(x, self._incidence(edge_index, x.size(0)))

    def operators(
        self,
        edge_index: Int[Tensor, "2 e"],
        edge_weight: Float[Tensor, "e"] | None,
        num_nodes: int,
        weighted_degree: Float[Tensor, "n"] | None,
    ) -> tuple[csr_array, ...]:
        """Return the matrix of means over each hyperedge's members and the one over each node's hyperedges."""
        members = adjacency_matrix(self._incidence(edge_index, num_nodes), None, num_nodes)
        sampled = weighted_degree is not None
        return (mean_matrix(members), mean_matrix(members if sampled else members.T.tocsr()))

    def aggregate_layerwise(self, layer: Any, messages: Float[Tensor, "n m"], graph: LayerwiseGraph) -> Chunks:
        """Return the means over each node's hyperedges of the means over their members."""
        closed = self.network.hyperedges == "closed"
        members = graph.mean_neighbors(messages, self_loops=closed)
        hyperedges = graph.store("hyperedges", members, messages.size(1))
        means = graph.mean_neighbors(hyperedges, self_loops=closed)
        return ((rows, add_bias_(x, layer.bias)) for rows, x in means)

    def _incidence(self, edge_index: Tensor, num_nodes: int) -> Tensor:
        if self.network.hyperedges == "raw":
            return edge_index
        closed: tuple[Tensor, Any] = add_remaining_self_loops(edge_index, num_nodes=num_nodes)
        return closed[0]
