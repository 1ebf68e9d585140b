"""Built-in networks by name, and what any other module must be like."""

from typing import Any, cast

from torch_geometric.data import Data

from highwaygraph.config import Network
from highwaygraph.graph.validate import validate
from highwaygraph.nn.factory import build_network
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.modules import num_classes


def build(name: str, data: Data, **options: Any) -> GNN:
    """Return one of gcn, gat, sage, hyper and graphmix, sized for the data; options are those of config.Network."""
    graph = validate(data)
    return build_network(Network(model=cast(Any, name), **options), graph.x.size(1), num_classes(graph))
