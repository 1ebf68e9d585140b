"""The paper's four networks on PyG's layers, and what any other module must be like."""

import inspect
from typing import Any, NamedTuple, cast

from jaxtyping import Float, Int
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.data import Data
from torch_geometric.nn import GATConv, GCNConv, HypergraphConv, SAGEConv
from torch_geometric.utils import add_remaining_self_loops

from highwaygraph import layers
from highwaygraph.blocks import operators, restrict
from highwaygraph.config import Network
from highwaygraph.errors import ModelError
from highwaygraph.seeds import Noise
from highwaygraph.sparse import Sparse, sparse


class Prepared(NamedTuple):
    """The features that count and every layer's operators."""

    x: Tensor | Sparse
    layers: list[Any]


class GNN(nn.Module):
    """A stack of one kind of PyG layer with dropout before each and a non-linearity between."""

    def __init__(self, network: Network, in_channels: int, classes: int) -> None:
        super().__init__()
        self.network = network
        self.noise = Noise()
        hidden = [network.hidden] * (network.layers - 1)
        sizes = zip([in_channels, *hidden], [*hidden, classes], strict=True)
        self.layers = nn.ModuleList(
            _layer(network, wide, narrow, last=i == network.layers - 1) for i, (wide, narrow) in enumerate(sizes)
        )

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
            x = F.dropout(x, self.network.dropout, self.training)
            x = layer(x, edge_index, *extra)
        return x

    def prepare(
        self,
        x: Tensor | csr_array,
        edge_index: Int[Tensor, "2 e"],
        edge_weight: Float[Tensor, "e"] | None,
        targets: Int[Tensor, "t"] | None,
    ) -> "Prepared":
        """Return what the logits of the targets (or of all nodes) depend on, for as many passes as wanted."""
        if edge_weight is not None:
            self._weights(edge_weight)
        matrices = operators(self.network, edge_index, edge_weight, x.shape[0])
        hops, nodes = restrict(matrices, len(self.layers), None if targets is None else targets.numpy())
        ready = [layers.prepare(self.network, hop, last=i == len(hops) - 1) for i, hop in enumerate(hops)]
        rows = x if nodes is None else x[nodes]
        return Prepared(rows if isinstance(rows, Tensor) else sparse(rows), ready)

    def run(self, prepared: "Prepared") -> Float[Tensor, "t c"]:
        """Return the logits of the prepared targets: what forward returns for them, at a fraction of the cost."""
        noise = self.noise if self.training and self.network.dropout else None
        seen = layers.drop(prepared.x, self.network.dropout, noise)
        for layer, ready in zip(self.layers[:-1], prepared.layers[:-1], strict=True):
            seen = layers.between(self.network, layers.forward(self.network, layer, seen, ready, noise), noise)
        return layers.forward(self.network, self.layers[-1], seen, prepared.layers[-1], noise)

    def _activate(self, x: Tensor) -> Tensor:
        return F.elu(x) if self.network.model == "gat" else F.relu(x)

    def _weights(self, edge_weight: Tensor) -> Tensor:
        if self.network.model != "gcn":
            raise ModelError(f"{self.network.model} takes no edge weights: use gcn, or drop data.edge_weight.")
        return edge_weight


def build(name: str, data: Data, **options: Any) -> GNN:
    """Return one of gcn, gat, sage and hyper, sized for the data; options are those of config.Network."""
    return GNN(Network(model=cast(Any, name), **options), data.x.size(1), num_classes(data))


def num_classes(data: Data) -> int:
    """Return how many classes the data names, or its labels reach."""
    names = getattr(data, "classes", None)
    return int(data.y.max()) + 1 if names is None else len(names)


def takes_edge_weight(model: nn.Module) -> bool:
    """Tell whether the module's forward has an argument edge_weight, and does not ignore it as some of PyG's do."""
    uses = getattr(model, "supports_edge_weight", True) is not False
    return uses and "edge_weight" in inspect.signature(model.forward).parameters


def refuse_cached(model: nn.Module) -> None:
    """Refuse layers that keep the first graph they saw: they would silently ignore every highway."""
    for name, module in model.named_modules():
        if getattr(module, "cached", False) is True:
            place = f"{type(module).__name__} at {name!r}" if name else type(module).__name__
            raise ModelError(
                f"{place} was built with cached=True and would ignore added edges: build it with cached=False."
            )


def reinitialise(model: nn.Module) -> None:
    """Draw the weights anew through the outermost reset_parameters methods."""
    reset = getattr(model, "reset_parameters", None)
    if callable(reset):
        reset()
        return
    for child in model.children():
        reinitialise(child)
    # torch's attention layers call it so, and leave their children to themselves.
    private = getattr(model, "_reset_parameters", None)
    if callable(private):
        private()


def _layer(network: Network, wide: int, narrow: int, *, last: bool) -> nn.Module:
    match network.model:
        case "gcn":
            return cast(nn.Module, GCNConv(wide, narrow))
        case "sage":
            return cast(nn.Module, SAGEConv(wide, narrow))
        case "hyper":
            return cast(nn.Module, HypergraphConv(wide, narrow))
        case "gat" if last:
            return cast(nn.Module, GATConv(wide, narrow, heads=1, concat=False, dropout=network.dropout))
        case "gat":
            each = narrow // network.heads
            return cast(nn.Module, GATConv(wide, each, heads=network.heads, dropout=network.dropout))
