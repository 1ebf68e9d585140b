"""The amount of work in one training step, which decides how many threads it is worth."""

from math import prod

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from highwaygraph.config import Config
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.factory import is_built_in
from highwaygraph.nn.gnn import GNN
from highwaygraph.training.batches import uses_consistency

# Non-zero features of larger tables, which may be on disk, are estimated from a sample of rows.
MAX_COUNTED, SAMPLED_ROWS = 2**26, 4096


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
    is_sparse = is_built_in(model) and not config.fit.labels_per_batch
    entries = num_entries(graph) if is_sparse else graph.x.numel()
    # A lazy module has no size before its first forward pass.
    weights = sum(parameter.numel() for parameter in model.parameters() if not is_lazy(parameter))
    per_node = (entries + num_edges(graph)) / nodes * weights / width
    return int(per_node * _step_nodes(model, graph, config) * config.consistency.num_views)


def _step_nodes(model: nn.Module, graph: Graph, config: Config) -> int:
    """Return about how many nodes a forward pass computes hidden values of."""
    nodes, fit = graph.num_nodes, config.fit
    if fit.labels_per_batch:
        return min(nodes, fit.labels_per_batch * prod(1 + count for count in fit.num_neighbors))
    if not isinstance(model, GNN) or uses_consistency(config, ()):
        return nodes
    # A built-in network computes the hidden values near the labelled nodes only.
    labelled = int(graph.train_mask.sum()) + int(graph.val_mask.sum())
    reached = labelled * (1 + num_edges(graph) / max(nodes, 1)) ** (model.network.layers - 1)
    return min(nodes, int(reached))


def num_entries(graph: Graph) -> int:
    """Return the number of non-zero features, estimated from evenly spaced rows of a large table."""
    x = graph.x
    if x.numel() <= MAX_COUNTED:
        return int(x.count_nonzero())
    some = x[torch.arange(0, len(x), max(len(x) // SAMPLED_ROWS, 1))]
    return round(int(some.count_nonzero()) / some.numel() * x.numel())


def num_edges(graph: Graph) -> int:
    """Return the number of edges, each direction counted."""
    return graph.edge_index.size(1) if graph.has_edge_index else len(graph.csr.col) if graph.csr else 0
