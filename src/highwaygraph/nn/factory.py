"""Built-in networks by name, and what any other module must be like."""

from highwaygraph.config import Network
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.graphmix import GraphMix


def build_network(network: Network, in_channels: int, classes: int) -> GNN:
    """Return the network that the value describes."""
    kind = GraphMix if network.model == "graphmix" else GNN
    return kind(network, in_channels, classes)
