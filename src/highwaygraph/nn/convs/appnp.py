"""APPNP (Gasteiger et al., 2019): an MLP whose predictions are propagated by personalised PageRank."""

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
import torch
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch_geometric import nn as pyg

from highwaygraph.nn.convs.gcn import GCN
from highwaygraph.nn.dropout import DropoutMasks
from highwaygraph.nn.functional import add_bias_
from highwaygraph.nn.layerwise import Chunks, LayerwiseGraph
from highwaygraph.nn.operators import Indices
from highwaygraph.nn.receptive_field import Hop
from highwaygraph.nn.spmm import Sparse, product, sparse


class LinearPropagation(nn.Module):
    """A linear layer, followed by PyG's APPNP propagation if it is the last of the MLP."""

    def __init__(self, in_channels: int, out_channels: int, propagation: nn.Module | None, *, bias: bool) -> None:
        super().__init__()
        self.lin = nn.Linear(in_channels, out_channels, bias=bias)
        self.propagation = propagation

    def reset_parameters(self) -> None:
        """Initialise the weights again; propagation has none."""
        self.lin.reset_parameters()

    def forward(
        self,
        x: Float[Tensor, "n i"],
        edge_index: Int[Tensor, "2 e"],
        edge_weight: Float[Tensor, "e"] | None = None,
    ) -> Float[Tensor, "n o"]:
        """Return the propagated output of the linear layer."""
        x = self.lin(x)
        return x if self.propagation is None else cast(Tensor, self.propagation(x, edge_index, edge_weight))


class Propagation(NamedTuple):
    """The normalised adjacency matrix times 1 - alpha, and the nodes whose rows are kept after the last step."""

    operator: Sparse
    targets: Tensor


class APPNP(GCN):
    """An MLP of `network.layers` layers, then `network.order` steps with teleport probability `network.alpha`."""

    @property
    def num_hops(self) -> int:
        """The number of propagation steps."""
        return self.network.order

    def build_layer(self, index: int, in_channels: int, out_channels: int) -> nn.Module:
        """Return a linear layer, with propagation if it is the last."""
        network, last = self.network, index == self.network.layers - 1
        propagation = pyg.APPNP(network.order, network.alpha) if last else None
        return LinearPropagation(in_channels, out_channels, propagation, bias=network.bias)

    def restrict(self, operators: Sequence[csr_array], targets: Indices | None) -> tuple[list[Hop], Indices | None]:
        """Return the hops: all layers read all nodes, as few are out of reach, and the last outputs the targets."""
        nodes = np.arange(operators[0].shape[1])
        return [
            *[Hop((), nodes)] * (self.network.layers - 1),
            Hop(tuple(operators), nodes if targets is None else targets),
        ], None

    def prepare_layer(self, layer: LinearPropagation, hop: Hop) -> Propagation | None:
        """Return the propagation of the last layer; the others have none."""
        if layer.propagation is None:
            return None
        (matrix,) = hop.operators
        # Scaled once here instead of once per step.
        data = (matrix.data * (1 - self.network.alpha)).astype(np.float32)
        scaled = csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
        return Propagation(sparse(scaled), torch.from_numpy(hop.root))

    def aggregate(
        self,
        layer: LinearPropagation,
        messages: Float[Tensor, "n m"],
        prepared: Propagation | None,
        masks: DropoutMasks | None,
    ) -> Float[Tensor, "t o"]:
        """Return the targets' rows after the last propagation step."""
        x = add_bias_(messages, layer.lin.bias)
        if prepared is None:
            return x
        teleport = self.network.alpha * x
        for _ in range(self.network.order):
            x = product(prepared.operator, x).add_(teleport)
        return x.index_select(0, prepared.targets)

    def aggregate_layerwise(
        self, layer: LinearPropagation, messages: Float[Tensor, "n m"], graph: LayerwiseGraph
    ) -> Chunks:
        """Return the rows after the last propagation step."""
        initial = add_bias_(messages, layer.lin.bias)
        chunks = graph.read(initial.__getitem__)
        if layer.propagation is None:
            return chunks
        for number in range(self.network.order):
            # A copy, which propagation overwrites.
            x = graph.store(f"step {number % 2}", chunks, initial.size(1))
            chunks = self._step(x, initial, graph)
        return chunks

    def _step(self, x: Tensor, initial: Tensor, graph: LayerwiseGraph) -> Chunks:
        alpha = self.network.alpha
        return ((rows, out.mul_(1 - alpha).add_(initial[rows], alpha=alpha)) for rows, out in graph.propagate_gcn(x))
