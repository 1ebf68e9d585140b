"""GCNII (Chen et al., 2020): deep GCN with initial residual connections and identity mapping."""

from typing import Any, NamedTuple, cast

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn import GCN2Conv

from highwaygraph.nn.convs.gcn import GCN
from highwaygraph.nn.dropout import dropout
from highwaygraph.nn.functional import add_bias_, linear, scale_rows
from highwaygraph.nn.gnn import PreparedBatch
from highwaygraph.nn.layerwise import Chunks, LayerwiseGraph
from highwaygraph.nn.receptive_field import Hop
from highwaygraph.nn.spmm import Sparse, product, sparse


class Convolution(NamedTuple):
    """The operator of one convolution, and the positions of its target nodes among its sources; None means all."""

    operator: Sparse
    root: Tensor | None


class GCN2(GCN):
    """A linear layer, `network.layers` of PyG's GCN2Conv, which also read that layer's output, and a linear layer."""

    def build_layers(self, in_channels: int, classes: int) -> list[nn.Module]:
        """Return both linear layers and the convolutions between them."""
        network = self.network
        options = {"alpha": network.alpha, "theta": network.theta}
        return [
            nn.Linear(in_channels, network.hidden, bias=network.bias),
            *(GCN2Conv(network.hidden, **options, layer=index + 1) for index in range(network.layers)),
            nn.Linear(network.hidden, classes, bias=network.bias),
        ]

    def forward(
        self,
        x: Float[Tensor, "n f"],
        edge_index: Int[Tensor, "2 e"],
        edge_weight: Float[Tensor, "e"] | None = None,
    ) -> Float[Tensor, "n c"]:
        """Return the logits of every node, through PyG's layers."""
        first, *convs, last = cast(Any, self.layers)
        weights, rate = self.edge_weight_args(edge_weight), self.network.inner_dropout
        x = initial = F.relu(first(F.dropout(x, self.network.dropout, self.training)))
        for conv in convs:
            x = F.relu(conv(F.dropout(x, rate, self.training), initial, edge_index, *weights))
        logits: Tensor = last(F.dropout(x, rate, self.training))
        return logits

    def prepare_layers(self, hops: list[Hop]) -> list[Convolution]:
        """Return every convolution's operator; those of equal hops share one, as the paper stacks up to 64."""
        prepared = {id(hop): _prepare(hop) for hop in {id(hop): hop for hop in hops}.values()}
        return [prepared[id(hop)] for hop in hops]

    def run(self, prepared: PreparedBatch, visible: Float[Tensor, "n"] | None = None) -> Float[Tensor, "t c"]:
        """Return the logits of the prepared targets, equal to those of `forward`."""
        first, *convs, last = cast(Any, self.layers)
        masks = self.dropout_masks if self.training else None
        x = linear(dropout(prepared.x, self.network.dropout, masks), first.weight)
        initial = F.relu_(add_bias_(scale_rows(x, visible), first.bias))
        x = cast(Tensor, dropout(initial, self.network.inner_dropout, masks))
        for conv, (operator, root) in zip(convs, prepared.layers, strict=True):
            initial = initial if root is None else initial.index_select(0, root)
            x = self.activate_dropout_(_residual(conv, product(operator, x), initial), masks)
        return add_bias_(linear(x, last.weight), last.bias)

    def layerwise(self, x: Chunks, graph: LayerwiseGraph) -> Chunks:
        """Return the logits of this process's nodes in chunks, equal to those of `forward` without dropout."""
        first, *convs, last = cast(Any, self.layers)
        hidden = self.activate_chunks((rows, first(part)) for rows, part in x)
        initial = graph.store("initial", hidden, self.network.hidden)
        x = graph.read(initial.__getitem__)
        for number, conv in enumerate(convs):
            # Two buffers in turn: while one is written, the other is read.
            messages = graph.store(f"messages {number % 2}", x, self.network.hidden)
            x = self.activate_chunks(_residual_chunks(conv, messages, initial, graph))
        return ((rows, last(part)) for rows, part in x)


def _prepare(hop: Hop) -> Convolution:
    (matrix,) = hop.operators
    everything = np.array_equal(hop.root, np.arange(matrix.shape[1]))
    return Convolution(sparse(matrix), None if everything else torch.from_numpy(hop.root))


def _residual(conv: Any, x: Tensor, initial: Tensor) -> Tensor:
    """Return a convolution's output from the propagated x, which is overwritten."""
    x = x.mul_(1 - conv.alpha).add_(initial, alpha=conv.alpha)
    return torch.addmm(x, x, conv.weight1, beta=1 - conv.beta, alpha=conv.beta)


def _residual_chunks(conv: Any, messages: Tensor, initial: Tensor, graph: LayerwiseGraph) -> Chunks:
    return ((rows, _residual(conv, x, initial[rows])) for rows, x in graph.propagate_gcn(messages))
