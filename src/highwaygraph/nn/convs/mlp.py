"""A multilayer perceptron: every node is classified by its own features, without the graph."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from torch import Tensor, nn

from highwaygraph.nn.convs.appnp import LinearPropagation
from highwaygraph.nn.dropout import DropoutMasks
from highwaygraph.nn.functional import add_bias_
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.layerwise import Chunks, LayerwiseGraph
from highwaygraph.nn.operators import Indices
from highwaygraph.nn.receptive_field import Hop


class MLP(GNN):
    """A stack of linear layers; edges, highways and edge weights are accepted and have no effect on the logits."""

    accepts_edge_weight = True

    @property
    def num_hops(self) -> int:
        """None: the logits of a node depend on no other node."""
        return 0

    def build_layer(self, index: int, in_channels: int, out_channels: int) -> nn.Module:
        """Return a linear layer without propagation."""
        return LinearPropagation(in_channels, out_channels, None, bias=self.network.bias)

    def operators(
        self,
        edge_index: Int[Tensor, "2 e"],
        edge_weight: Float[Tensor, "e"] | None,
        num_nodes: int,
        weighted_degree: Float[Tensor, "n"] | None,
    ) -> tuple[csr_array, ...]:
        """Return no matrix."""
        return ()

    def restrict(self, operators: Sequence[csr_array], targets: Indices | None) -> tuple[list[Hop], Indices | None]:
        """Return a hop without operators per layer, and the targets as the only nodes whose features are read."""
        return [Hop((), np.empty(0, dtype=np.int64))] * self.network.layers, targets

    def aggregate(
        self,
        layer: LinearPropagation,
        messages: Float[Tensor, "n m"],
        prepared: Any,
        masks: DropoutMasks | None,
    ) -> Float[Tensor, "t o"]:
        """Return the messages with the bias."""
        return add_bias_(messages, layer.lin.bias)

    def aggregate_layerwise(
        self, layer: LinearPropagation, messages: Float[Tensor, "n m"], graph: LayerwiseGraph
    ) -> Chunks:
        """Return the messages with the bias."""
        return graph.read(add_bias_(messages, layer.lin.bias).__getitem__)
