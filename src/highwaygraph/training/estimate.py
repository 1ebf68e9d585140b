"""Estimates of memory and time of a training, from the sizes of graph and network."""

from torch import nn

from highwaygraph.config import Config
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.factory import is_built_in
from highwaygraph.nn.features import SPARSE_BELOW
from highwaygraph.nn.gnn import GNN
from highwaygraph.training.batches import uses_consistency
from highwaygraph.training.workload import num_edges, num_entries

# Python with its libraries.
BASE = 400 * 2**20


# Bytes of an entry: of an edge in an edge_index and in an operator together with its transpose, and of a non-zero
# feature in a sparse matrix and its transpose.
EDGE_BYTES, ENTRY_BYTES = 40, 24


# Memory that a step frees is kept for the next, in pieces that do not always fit; measured on 100,000 nodes.
FRAGMENTATION = 2.2


# Width of a user's own module, which is not known.
USUAL_WIDTH = 64


def whole_graph_bytes(model: nn.Module, graph: Graph, config: Config) -> int:
    """Return about how much memory a training on the whole graph takes at its peak.

    Args:
        model: The model.
        graph: The graph.
        config: All options.

    Returns:
        Bytes of the graph, its operators with and without highways, the features, and the activations of all views.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), seed=0)
        >>> round(whole_graph_bytes(hg.models.build("gcn", data), data, hg.PRESETS["plus"]) / 2**20)
        466
    """
    nodes, edges = graph.num_nodes, num_edges(graph)
    graphs = edges + nodes + _view_graphs(config) * (edges + nodes + _highway_ends(nodes, config))
    entries = num_entries(graph)
    is_sparse = is_built_in(model) and entries < SPARSE_BELOW * graph.x.numel()
    features = ENTRY_BYTES * entries if is_sparse else 4 * graph.x.numel()
    passes = config.consistency.num_views if uses_consistency(config, ()) else 1
    activations = passes * (features + 4 * nodes * _activations(model, graph))
    return BASE + 4 * graph.x.numel() + int(FRAGMENTATION * (EDGE_BYTES * graphs + features + activations))


def _view_graphs(config: Config) -> int:
    """Return the number of graphs with highways that a round stores."""
    options = config.highway
    if options.rounds < options.start:
        return 0
    return options.draws if options.targets == "partners" else 1


def _highway_ends(nodes: int, config: Config) -> int:
    """Return the largest number of highways, each direction counted."""
    options = config.highway
    return 2 * nodes * (options.partners if options.targets == "partners" else options.anchors)


def _activations(model: nn.Module, graph: Graph) -> int:
    """Return the number of values per node that a forward and a backward pass hold at once."""
    classes = max(int(graph.y.max()) + 1, 1)
    layers, width = (model.network.layers, model.network.hidden) if isinstance(model, GNN) else (2, USUAL_WIDTH)
    return 3 * (layers - 1) * width + 4 * classes
