"""Built-in networks by name, and what any other module must be like."""

import inspect
from typing import Any, cast

from torch import nn
from torch_geometric.data import Data

from highwaygraph.config import Network
from highwaygraph.data.check import check
from highwaygraph.errors import ModelError
from highwaygraph.gnn import GNN
from highwaygraph.graphmix import GraphMix


def build(name: str, data: Data, **options: Any) -> GNN:
    """Return one of gcn, gat, sage, hyper and graphmix, sized for the data; options are those of config.Network."""
    data = check(data)
    return make(Network(model=cast(Any, name), **options), data.x.size(1), num_classes(data))


def make(network: Network, in_channels: int, classes: int) -> GNN:
    """Return the network that the value describes."""
    kind = GraphMix if network.model == "graphmix" else GNN
    return kind(network, in_channels, classes)


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
