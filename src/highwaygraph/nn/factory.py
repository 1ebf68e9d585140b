"""The built-in networks by name."""

from typing import TypeAlias

from highwaygraph.config import Network
from highwaygraph.errors import ConfigError
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.convs.appnp import APPNP
from highwaygraph.nn.convs.gat import GAT
from highwaygraph.nn.convs.gcn import GCN
from highwaygraph.nn.convs.gcn2 import GCN2
from highwaygraph.nn.convs.grand import GRAND
from highwaygraph.nn.convs.hetero_sage import HeteroSAGE
from highwaygraph.nn.convs.hypergraph import Hypergraph
from highwaygraph.nn.convs.mlp import MLP
from highwaygraph.nn.convs.sage import GraphSAGE
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.graphmix import GraphMix
from highwaygraph.nn.modules import num_classes
from highwaygraph.runtime.rng import initialising

NETWORKS: dict[str, type[GNN]] = {
    "gcn": GCN,
    "gat": GAT,
    "sage": GraphSAGE,
    "hyper": Hypergraph,
    "graphmix": GraphMix,
    "grand": GRAND,
    "appnp": APPNP,
    "gcn2": GCN2,
    "mlp": MLP,
}
"""The class of each name that config.Network.model allows, for one node type."""


BuiltIn: TypeAlias = GNN | HeteroSAGE
"""Any built-in network."""


HETERO = "hetero_sage"
"""Name of the network for several node types."""


def is_built_in(model: object) -> bool:
    """Return whether the model is one of these networks; a subclass of one may do anything."""
    return type(model) in NETWORKS.values()


def accepts_edge_weight(name: str) -> bool:
    """Return whether the network of that name uses edge weights."""
    return name in NETWORKS and NETWORKS[name].accepts_edge_weight


def network_of(model: object) -> Network | None:
    """Return the options of a built-in network, None for any other module."""
    return model.network if isinstance(model, GNN | HeteroSAGE) else None


def network_for(network: Network, graph: Graph, classes: int | None = None) -> BuiltIn:
    """Return a network with fresh weights for a graph.

    Args:
        network: Its options.
        graph: The graph; hetero_sage needs several node types, the other networks read the target type only.
        classes: The number of classes; that of the graph unless given.
    """
    classes = num_classes(graph) if classes is None else classes
    if network.model != HETERO:
        return build_network(network, graph.x.size(1), classes)
    if graph.hetero is None:
        raise ConfigError(f"{HETERO} is for several node types, but this graph has one: use sage.")
    others = graph.hetero
    widths = {others.target: graph.x.size(1)} | {name: x.size(1) for name, x in others.x.items()}
    with initialising():
        return HeteroSAGE(network, widths, others.relations, others.target, classes)


def build_network(network: Network, in_channels: int, classes: int) -> GNN:
    """Return a network with fresh weights.

    Args:
        network: Its options.
        in_channels: The number of features.
        classes: The number of classes.
    """
    if network.is_auto:
        raise ConfigError(
            "auto is no network by itself: choose one with hg.choose_network(data, network, config), or name it."
        )
    if network.model == HETERO:
        raise ConfigError(f"{HETERO} is built for a graph of several node types: use hg.models.build.")
    with initialising():
        return NETWORKS[network.model](network, in_channels, classes)
