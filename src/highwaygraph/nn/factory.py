"""The built-in networks by name."""

from highwaygraph.config import Network
from highwaygraph.errors import ConfigError
from highwaygraph.nn.convs.appnp import APPNP
from highwaygraph.nn.convs.gat import GAT
from highwaygraph.nn.convs.gcn import GCN
from highwaygraph.nn.convs.gcn2 import GCN2
from highwaygraph.nn.convs.grand import GRAND
from highwaygraph.nn.convs.hypergraph import Hypergraph
from highwaygraph.nn.convs.mlp import MLP
from highwaygraph.nn.convs.sage import GraphSAGE
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.graphmix import GraphMix
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
"""The class of each name that config.Network.model allows."""


def is_built_in(model: object) -> bool:
    """Return whether the model is one of these networks; a subclass of one may do anything."""
    return type(model) in NETWORKS.values()


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
    with initialising():
        return NETWORKS[network.model](network, in_channels, classes)
