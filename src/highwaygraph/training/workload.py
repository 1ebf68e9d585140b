"""The amount of work in one training step, which decides how many threads it is worth."""

from math import prod

from torch import nn
from torch.nn.parameter import is_lazy

from highwaygraph.config import Config
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.factory import is_built_in
from highwaygraph.nn.gnn import GNN
from highwaygraph.training.batches import uses_consistency


def step_work(model: nn.Module, graph: Graph, config: Config) -> int:
    """Return about how many multiplications the forward passes of one step take.

    Every non-zero feature and every edge of a node takes as many as the model has weights per feature.

    Args:
        model: The model.
        graph: The graph with its split.
        config: All options.

    Returns:
        The estimate: it depends on sizes alone, never on time, so that every run with these arguments has the same.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), train=20, val=30, seed=0)
        >>> round(step_work(hg.models.build("gcn", data), data, hg.PRESETS["plus"]) / 1e6)
        8
    """
    nodes, width = max(graph.num_nodes, 1), max(graph.x.size(1), 1)
    # The zeros of a graph in mini-batches are not counted: its features may be on disk.
    is_sparse = is_built_in(model) and not config.fit.batch_size
    entries = int(graph.x.count_nonzero()) if is_sparse else graph.x.numel()
    # A lazy module has no size before its first forward pass.
    weights = sum(parameter.numel() for parameter in model.parameters() if not is_lazy(parameter))
    per_node = (entries + _num_edges(graph)) / nodes * weights / width
    return int(per_node * _step_nodes(model, graph, config) * config.consistency.num_views)


def _step_nodes(model: nn.Module, graph: Graph, config: Config) -> int:
    """Return about how many nodes a forward pass computes hidden values of."""
    nodes, fit = graph.num_nodes, config.fit
    if fit.batch_size:
        return min(nodes, fit.batch_size * prod(1 + count for count in fit.num_neighbors))
    if not isinstance(model, GNN) or uses_consistency(config, ()):
        return nodes
    # A built-in network computes the hidden values near the labelled nodes only.
    labelled = int(graph.train_mask.sum()) + int(graph.val_mask.sum())
    reached = labelled * (1 + _num_edges(graph) / max(nodes, 1)) ** (model.network.layers - 1)
    return min(nodes, int(reached))


def _num_edges(graph: Graph) -> int:
    return graph.edge_index.size(1) if graph.has_edge_index else len(graph.csr.col) if graph.csr else 0
