"""GraphSAGE on several node types: the mean of the neighbours by relation, beside the node itself."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import cast

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn import SAGEConv

from highwaygraph.config import Network
from highwaygraph.graph.hetero import Relation
from highwaygraph.runtime.rng import initialising


class HeteroSAGE(nn.Module):
    """A linear layer per node type, then layers with weights per node type and per relation.

    Args:
        network: Width, number of layers and dropout.
        widths: Number of features of every node type.
        relations: All relations, that of highways included.
        target: The type whose logits are returned.
        classes: The number of classes.
    """

    def __init__(
        self, network: Network, widths: Mapping[str, int], relations: Sequence[Relation], target: str, classes: int
    ) -> None:
        super().__init__()
        self.network, self.classes, self.target = network, classes, target
        self.types, self.relations = list(widths), list(relations)
        # Modules are listed by position: a type may have any name.
        self.inputs = nn.ModuleList(nn.Linear(width, network.hidden) for width in widths.values())
        sizes = pairwise([network.hidden] * network.layers + [classes])
        self.layers = nn.ModuleList(_Layer(self.types, self.relations, *size, bias=network.bias) for size in sizes)

    def reset_parameters(self) -> None:
        """Initialise every weight again."""
        with initialising():
            for part in (*self.inputs, *self.layers):
                cast(nn.Linear, part).reset_parameters()

    def forward(self, x_dict: Mapping[str, Tensor], edge_index_dict: Mapping[Relation, Tensor]) -> Float[Tensor, "n c"]:
        """Return the logits of the nodes of the target type."""
        network = self.network
        x = {
            name: linear(F.dropout(x_dict[name], network.dropout, self.training))
            for name, linear in zip(self.types, self.inputs, strict=True)
        }
        for layer in self.layers:
            x = {name: F.dropout(F.relu(part), network.inner_dropout, self.training) for name, part in x.items()}
            x = layer(x, edge_index_dict, only=self.target if layer is self.layers[-1] else None)
        logits: Tensor = x[self.target]
        return logits


class _Layer(nn.Module):
    """A weight per node type for the node itself, and one per relation for the mean of its neighbours."""

    def __init__(
        self, types: Sequence[str], relations: Sequence[Relation], in_channels: int, out_channels: int, *, bias: bool
    ) -> None:
        super().__init__()
        self.types, self.relations = types, relations
        self.roots = nn.ModuleList(nn.Linear(in_channels, out_channels, bias=bias) for _ in types)
        self.means = nn.ModuleList(
            SAGEConv((in_channels, in_channels), out_channels, root_weight=False, bias=False) for _ in relations
        )

    def reset_parameters(self) -> None:
        for part in (*self.roots, *self.means):
            cast(nn.Linear, part).reset_parameters()

    def forward(
        self, x: Mapping[str, Tensor], edge_index_dict: Mapping[Relation, Tensor], only: str | None
    ) -> dict[str, Tensor]:
        """Return the output of every type, or of one; a node without neighbours in a relation has mean 0 in it."""
        out = {name: root(x[name]) for name, root in zip(self.types, self.roots, strict=True) if only in (None, name)}
        for (source, label, target), mean in zip(self.relations, self.means, strict=True):
            if target in out:
                messages = mean((x[source], x[target]), edge_index_dict[source, label, target])
                out[target] = out[target] + messages
        return out
