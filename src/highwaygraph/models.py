"""Built-in networks by name."""

from typing import Any, cast

from torch_geometric.data import Data

from highwaygraph.config import Network
from highwaygraph.graph.validate import validate
from highwaygraph.nn.factory import build_network
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.modules import num_classes


def build(name: str, data: Data, **options: Any) -> GNN:
    """Build a network for the features and classes of a graph.

    Args:
        name: `gcn` (GCN), `gat` (GAT), `sage` (GraphSAGE), `hyper` (HypergraphConv), `graphmix` (GraphMix) or `grand`
            (GRAND's mean over several hops).
        data: The graph.
        **options: Options of `hg.Network`, such as `hidden=64`, `layers=2` or `dropout=0.5`.

    Returns:
        The network; its forward takes `x`, `edge_index` and `edge_weight`.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.load("cora")
        >>> model = hg.models.build("sage", data, hidden=16)
        >>> model(data.x, data.edge_index).shape
        torch.Size([2708, 7])
    """
    graph = validate(data)
    return build_network(Network(model=cast(Any, name), **options), graph.x.size(1), num_classes(graph))
