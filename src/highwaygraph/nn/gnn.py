"""The paper's four networks on PyG's layers, run through them or on a prepared graph."""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn import GATConv, GCNConv, HypergraphConv, SAGEConv
from torch_geometric.utils import add_remaining_self_loops

from highwaygraph.config import Network
from highwaygraph.errors import ModelError
from highwaygraph.nn import layers
from highwaygraph.nn.convs.grand import Propagation
from highwaygraph.nn.dropout import DropoutMasks
from highwaygraph.nn.receptive_field import far, operators, restrict
from highwaygraph.nn.spmm import Sparse, sparse

TAKES_WEIGHTS = ("gcn", "graphmix", "grand")


class PreparedBatch(NamedTuple):
    """The features that count and every layer's operators."""

    x: Tensor | Sparse
    layers: list[Any]


class GNN(nn.Module):
    """A stack of one kind of PyG layer with dropout before each and a non-linearity between."""

    def __init__(self, network: Network, in_channels: int, classes: int) -> None:
        super().__init__()
        self.network, self.classes = network, classes
        self.noise = DropoutMasks()
        hidden = [network.hidden] * (network.layers - 1)
        sizes = zip([in_channels, *hidden], [*hidden, classes], strict=True)
        self.layers = nn.ModuleList(_layer(network, wide, narrow, place=i) for i, (wide, narrow) in enumerate(sizes))

    @property
    def reach(self) -> int:
        """How many hops the network sees; a hyperedge's members are two apart."""
        if self.network.model == "grand":
            return self.network.order
        return self.network.layers * (2 if self.network.model == "hyper" else 1)

    def reset_parameters(self) -> None:
        """Draw every weight anew, and the dropout masks from here on."""
        for layer in self.layers:
            cast(Any, layer).reset_parameters()
        self.noise.reseed()

    def forward(
        self,
        x: Float[Tensor, "n f"],
        edge_index: Int[Tensor, "2 e"],
        edge_weight: Float[Tensor, "e"] | None = None,
    ) -> Float[Tensor, "n c"]:
        """Return the logits y of every node (Eq. 7), through PyG's own layers on any device."""
        extra = () if edge_weight is None else (self._weights(edge_weight),)
        if self.network.model == "hyper" and self.network.hyperedges == "closed":
            # Column i of the incidence is node i's neighbourhood with i itself.
            edge_index, _ = add_remaining_self_loops(edge_index, num_nodes=x.size(0))
        for i, layer in enumerate(self.layers):
            x = x if i == 0 else self._activate(x)
            x = F.dropout(x, self.network.inner_dropout if i else self.network.dropout, self.training)
            x = layer(x, edge_index, *extra)
        return x

    def prepare(
        self,
        x: Tensor | csr_array | Sparse,
        edge_index: Int[Tensor, "2 e"],
        edge_weight: Float[Tensor, "e"] | None,
        strength: Float[Tensor, "n"] | None = None,
    ) -> Callable[[Tensor | None], PreparedBatch]:
        """Return a function that cuts out what the logits of some nodes (or all) depend on, ready for many passes."""
        if edge_weight is not None:
            self._weights(edge_weight)
        matrices = operators(self.network, edge_index, edge_weight, x.shape[0], strength)

        def cut(targets: Tensor | None) -> PreparedBatch:
            wanted, nodes = None if targets is None else targets.numpy(), None
            if self.network.model == "grand":
                hops = far(matrices, len(self.layers), wanted)
            else:
                hops, nodes = restrict(matrices, len(self.layers), wanted)
            ready = [layers.prepare(self.network, hop, last=i == len(hops) - 1) for i, hop in enumerate(hops)]
            return PreparedBatch(select_rows(x, nodes), ready)

        return cut

    def run(self, prepared: PreparedBatch, visible: Float[Tensor, "n"] | None = None) -> Float[Tensor, "t c"]:
        """Return the logits of the prepared targets: what forward returns for them, at a fraction of the cost."""
        noise = self.noise if self.training else None
        seen = layers.drop(prepared.x, self.network.dropout, noise)
        for layer, ready in zip(self.layers[:-1], prepared.layers[:-1], strict=True):
            answer = layers.forward(self.network, layer, seen, ready, noise, seen=visible)
            seen, visible = layers.between(self.network, answer, noise), None
        return layers.forward(self.network, self.layers[-1], seen, prepared.layers[-1], noise, seen=visible)

    def _activate(self, x: Tensor) -> Tensor:
        return F.elu(x) if self.network.model == "gat" else F.relu(x)

    def _weights(self, edge_weight: Tensor) -> Tensor:
        if self.network.model not in TAKES_WEIGHTS:
            raise ModelError(f"{self.network.model} takes no edge weights: use gcn, or drop data.edge_weight.")
        return edge_weight


def select_rows(x: Tensor | csr_array | Sparse, nodes: NDArray[np.int64] | None) -> Tensor | Sparse:
    """Return these nodes' features, or all, as the layers take them; what is so already is all."""
    if isinstance(x, Sparse):
        return x
    rows = x if nodes is None else x[nodes]
    return rows if isinstance(rows, Tensor) else sparse(rows)


def _layer(network: Network, wide: int, narrow: int, *, place: int) -> nn.Module:
    last = place == network.layers - 1
    match network.model:
        case "grand":
            return Propagation(wide, narrow, 0 if place else network.order, bias=network.bias)
        case "sage":
            return cast(nn.Module, SAGEConv(wide, narrow, bias=network.bias))
        case "hyper":
            return cast(nn.Module, HypergraphConv(wide, narrow, bias=network.bias))
        case "gat":
            heads, each = (1, narrow) if last else (network.heads, narrow // network.heads)
            options = {"heads": heads, "concat": not last, "dropout": network.dropout, "bias": network.bias}
            return cast(nn.Module, GATConv(wide, each, **options))
        case _:
            return cast(nn.Module, GCNConv(wide, narrow, bias=network.bias))
