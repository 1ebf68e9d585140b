"""Estimates of memory and time of a training, from the sizes of graph and network."""

from math import ceil, prod
from typing import NamedTuple

from torch import nn

from highwaygraph.config import Config
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.baselines.fit import is_feasible
from highwaygraph.nn.batches import num_neighbors
from highwaygraph.nn.factory import is_built_in
from highwaygraph.nn.features import SPARSE_BELOW
from highwaygraph.nn.gnn import GNN
from highwaygraph.presets import typical_of
from highwaygraph.training.batches import uses_consistency
from highwaygraph.training.minibatches import MAX_VAL_NODES
from highwaygraph.training.workload import num_edges, num_entries, step_work

# Python with its libraries.
BASE = 560 * 2**20


# Bytes of an entry: of an edge in an edge_index and in an operator together with its transpose, and of a non-zero
# feature in a sparse matrix and its transpose.
EDGE_BYTES, ENTRY_BYTES = 40, 24


# Memory that a step frees is kept for the next, in pieces that do not always fit; measured on 100,000 nodes.
FRAGMENTATION = 2.2


# Bytes of a node in a run in mini-batches beside its features, hidden values and edges, and of each of its classes and
# highways; measured on a million nodes.
NODE_BYTES, CLASS_BYTES, HIGHWAY_BYTES = 96, 20, 250


# Seconds on the machine that `runtime.speed` compares others with: of a start, of a step, of a multiplication in it,
# of a node in a mini-batch and of each of its features and hidden values, and of a node and an edge of the whole graph
# in each round.
START, STEP, MULTIPLICATION = 5.0, 0.008, 2.5e-10
SAMPLED_NODE, SAMPLED_VALUE, NODE, EDGE = 6e-7, 7e-9, 1.5e-6, 1e-7


# Seconds of the simple baselines per entry of the features.
BASELINES = 6e-7


# Work of a forward pass on validation nodes beside that of a training step on as many.
VALIDATION = 0.25


# Width of a user's own module, which is not known.
USUAL_WIDTH = 64


class Estimate(NamedTuple):
    """Expected cost of a run, right within a factor of about 2; early stopping may make it shorter."""

    seconds: float
    """Seconds on the reference machine."""
    bytes: int
    """Peak memory."""


def estimate_run(model: nn.Module, graph: Graph, config: Config) -> Estimate:
    """Return the expected time and memory of a run with all its rounds and epochs.

    Args:
        model: The model.
        graph: The graph with its split.
        config: All options, after the choice of whole graph or mini-batches.

    Returns:
        The estimate.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), seed=0)
        >>> config = hg.override(hg.PRESETS["plus"], {"fit.batch_size": 0})
        >>> round(estimate_run(hg.models.build("gcn", data), data, config).seconds)
        12
    """
    rounds, epochs = config.highway.rounds, config.fit.epochs
    per_round = NODE * graph.num_nodes + EDGE * num_edges(graph)
    once = START + (BASELINES * graph.x.numel() if config.select.baselines and is_feasible(graph) else 0.0)
    if config.fit.labels_per_batch:
        steps = epochs * _epoch_seconds(model, graph, config)
        typical = epochs * _epoch_seconds(model, graph, typical_of(config)) if config.select.typical else 0.0
        return Estimate(once + rounds * (steps + per_round) + typical, minibatch_bytes(model, graph, config))
    step = STEP + MULTIPLICATION * step_work(model, graph, config)
    return Estimate(once + rounds * (epochs * step + per_round), whole_graph_bytes(model, graph, config))


def _epoch_seconds(model: nn.Module, graph: Graph, config: Config) -> float:
    """Return the seconds of an epoch in mini-batches, by the number of sampled nodes in it."""
    fit, width = config.fit, model.network.hidden if isinstance(model, GNN) else USUAL_WIDTH
    labels, val = int(graph.train_mask.sum()), int(graph.val_mask.sum())
    batches = min(ceil(labels / fit.labels_per_batch), fit.max_batches or labels)
    seeds, passes = min(fit.labels_per_batch, labels), 1
    if uses_consistency(config, ()):
        # As many unlabelled nodes as labelled ones, in every view.
        seeds, passes = 2 * seeds, config.consistency.num_views
    validated = VALIDATION * (min(val, MAX_VAL_NODES) if fit.max_batches else val)
    reached = sum(prod(num_neighbors(model, fit)[:hop]) for hop in range(len(num_neighbors(model, fit)) + 1))
    nodes = reached * (batches * seeds * passes + validated)
    return nodes * (SAMPLED_NODE + SAMPLED_VALUE * (graph.x.size(1) + width))


def minibatch_bytes(model: nn.Module, graph: Graph, config: Config) -> int:
    """Return about how much memory a run in mini-batches takes at its peak, arrays on disk included.

    Args:
        model: The model.
        graph: The graph.
        config: All options.

    Returns:
        Bytes of the graph, of the values per node that layer-wise inference holds, and of the highways.
    """
    nodes, classes = graph.num_nodes, _num_outputs(graph)
    width = model.network.hidden if isinstance(model, GNN) else USUAL_WIDTH
    highways = _view_graphs(config) * _highway_ends(nodes, config) // 2
    # An edge_index is kept beside the adjacency, which is sorted from it.
    edges = num_edges(graph) * (4 + 56 * graph.has_edge_index)
    per_node = 4 * width + CLASS_BYTES * classes + NODE_BYTES
    return BASE + 4 * graph.x.numel() + edges + per_node * nodes + HIGHWAY_BYTES * highways


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
        614
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


def _num_outputs(graph: Graph) -> int:
    return graph.y.size(1) if graph.is_multilabel else max(int(graph.y.max()) + 1, 1)


def _activations(model: nn.Module, graph: Graph) -> int:
    """Return the number of values per node that a forward and a backward pass hold at once."""
    classes = _num_outputs(graph)
    layers, width = (model.network.layers, model.network.hidden) if isinstance(model, GNN) else (2, USUAL_WIDTH)
    return 3 * (layers - 1) * width + 4 * classes
