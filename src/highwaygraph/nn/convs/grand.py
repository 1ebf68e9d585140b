"""GRAND's encoder (Feng et al., 2020): the mean of 0 to `order` propagation steps, then an MLP."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.nn.inits import zeros

from highwaygraph.nn.convs.gcn import GCN
from highwaygraph.nn.dropout import DropoutMasks
from highwaygraph.nn.functional import add_bias_
from highwaygraph.nn.layerwise import Chunks, LayerwiseGraph
from highwaygraph.nn.operators import Indices
from highwaygraph.nn.receptive_field import Hop
from highwaygraph.nn.spmm import Sparse, product, sparse


class MeanPropagation(nn.Module):
    """A linear layer whose output is averaged over the first steps along GCN's normalised edges."""

    def __init__(self, in_channels: int, out_channels: int, order: int, *, bias: bool) -> None:
        super().__init__()
        self.order = order
        self.lin = nn.Linear(in_channels, out_channels, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels)) if bias else None

    def reset_parameters(self) -> None:
        """Initialise the weights again."""
        self.lin.reset_parameters()
        zeros(self.bias)

    def forward(
        self,
        x: Float[Tensor, "n i"],
        edge_index: Int[Tensor, "2 e"],
        edge_weight: Float[Tensor, "e"] | None = None,
    ) -> Float[Tensor, "n o"]:
        """Return the mean of x W, A x W, A A x W and so on, with A as in GCN."""
        (source, target), weight = gcn_norm(edge_index, edge_weight, x.size(0), dtype=x.dtype)
        step = total = self.lin(x)
        for _ in range(self.order):
            step = torch.zeros_like(step).index_add_(0, target, weight[:, None] * step[source])
            total = total + step
        mean: Tensor = total / (self.order + 1)
        return mean if self.bias is None else mean + self.bias


class Propagation(NamedTuple):
    """GCN's normalised adjacency matrix and the nodes whose rows are kept after the last step."""

    operator: Sparse
    targets: Tensor


class GRAND(GCN):
    """An MLP whose first layer averages over `network.order` propagation steps."""

    @property
    def num_hops(self) -> int:
        """The steps of the first layer."""
        return self.network.order

    def build_layer(self, index: int, in_channels: int, out_channels: int) -> nn.Module:
        """Return a layer that propagates if it is the first."""
        return MeanPropagation(in_channels, out_channels, 0 if index else self.network.order, bias=self.network.bias)

    def restrict(self, operators: Sequence[csr_array], targets: Indices | None) -> tuple[list[Hop], Indices | None]:
        """Return the hops: the first layer reads all nodes, as few are out of its reach, and outputs the targets."""
        root = np.arange(operators[0].shape[1]) if targets is None else targets
        dense = Hop((), np.arange(len(root)))
        return [Hop(tuple(operators), root), *[dense] * (self.network.layers - 1)], None

    def prepare_layer(self, layer: MeanPropagation, hop: Hop) -> Propagation | None:
        """Return the propagation of the first layer; the others have none."""
        return Propagation(sparse(*hop.operators), torch.from_numpy(hop.root)) if layer.order else None

    def aggregate(
        self,
        layer: MeanPropagation,
        messages: Float[Tensor, "n m"],
        prepared: Propagation | None,
        masks: DropoutMasks | None,
    ) -> Float[Tensor, "t o"]:
        """Return the targets' rows of the mean over the layer's steps."""
        if prepared is None:
            return add_bias_(messages, layer.bias)
        step = total = messages
        for _ in range(layer.order):
            step = product(prepared.operator, step)
            total = total + step
        return add_bias_(total.index_select(0, prepared.targets) / (layer.order + 1), layer.bias)

    def aggregate_layerwise(
        self, layer: MeanPropagation, messages: Float[Tensor, "n m"], graph: LayerwiseGraph
    ) -> Chunks:
        """Return the mean over the layer's steps."""
        step, total = messages, graph.pool.buffer("total", *messages.shape).copy_(messages)
        for number in range(layer.order):
            step = graph.store(f"step {number % 2}", graph.propagate_gcn(step), step.size(1))
            total += step
        mean = graph.read(lambda rows: total[rows].div_(layer.order + 1))
        return ((rows, add_bias_(x, layer.bias)) for rows, x in mean)
