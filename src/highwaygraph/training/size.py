"""Whole graph or mini-batches: the choice of `fit.batch_size=auto`, from the work of a step and available memory."""

import math
from typing import NamedTuple

import torch
from torch import nn

from highwaygraph.config import Config
from highwaygraph.graph.csr import from_edge_index
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.neighbor_sampler import NeighborSampler
from highwaygraph.graph.queries import adjacencies, is_directed
from highwaygraph.nn.batches import num_neighbors
from highwaygraph.nn.factory import is_built_in
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.modules import has_training_loss
from highwaygraph.nn.scaling import FeatureScaling
from highwaygraph.options import override
from highwaygraph.runtime.distributed import world_size
from highwaygraph.runtime.memory import available_bytes
from highwaygraph.training.estimate import whole_graph_bytes
from highwaygraph.training.workload import step_work

# Multiplications of a whole-graph step, about a quarter of a second, beyond which a mini-batch is several times faster.
MAX_WORK = 2**30


# Part of the available memory that the estimate for the whole graph may take: it is right within a factor of 2.
MEMORY_SHARE = 0.5


# Part of the available memory below which a training on the whole graph needs no announcement.
QUIET_SHARE = 0.1


# Labelled nodes of a mini-batch, and mini-batches of an epoch; between these limits they grow with the labels.
BATCH_SIZES, BATCHES = (64, 256), (1, 8)


# Nodes whose sampled neighbourhoods give the length of averaged features, and the largest factor that follows from it.
SAMPLED_NODES, MAX_FACTOR = 256, 10.0
GIB = 2**30
CHOSEN = ("fit.batch_size", "fit.max_batches", "fit.factor", "highway.draws")
"""Options that the choice may set."""


class SizeChoice(NamedTuple):
    """How a run is trained."""

    changes: dict[str, int | float]
    """Options by dotted name that replace those of the config; none where nothing was left to choose."""
    sentence: str
    """The choice, its reason and how to override it."""
    announced: bool = True
    """Whether a training prints the sentence: not for a graph that takes little of the memory."""


def choose_size(model: nn.Module, graph: Graph, config: Config) -> SizeChoice:
    """Choose whole-graph training or mini-batches where fit.batch_size=auto.

    A training on the whole graph is chosen where its step is small and its estimated memory is available. Mini-batches
    come with one optimisation step per epoch, as on the whole graph, with a single graph of highways per round, and,
    where features are standardised, with a factor that gives averages over sampled neighbours their usual length;
    such an option keeps a value that is not the default.

    Args:
        model: The model.
        graph: The graph with its split and, where fit.features=auto, the scaling of its features.
        config: All options.

    Returns:
        The choice; without changes where the batch size is given.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), seed=0)
        >>> choose_size(hg.models.build("gcn", data), data, hg.PRESETS["plus"]).changes
        {'fit.batch_size': 0}
    """
    if config.fit.batch_size != "auto":
        return SizeChoice({}, "")
    reason = _reason_for_batches(model, graph, config)
    if reason and (obstacle := _obstacle(model, graph, config)):
        return SizeChoice({"fit.batch_size": 0}, f"Training on the whole graph, although {reason}, because {obstacle}.")
    if reason:
        changes = _minibatch_options(model, graph, config)
        size = changes["fit.batch_size"]
        return SizeChoice(
            changes,
            f"Training in mini-batches of {size} labelled nodes with neighbour sampling, because {reason} "
            f"(fit.batch_size=0 trains on the whole graph){_others(changes)}.",
        )
    return _whole_graph(model, graph, config)


def _others(changes: dict[str, int | float]) -> str:
    """Return the other options that the choice sets."""
    others = [f"{name}={value}" for name, value in changes.items() if name != "fit.batch_size"]
    return f", with {', '.join(others)}" if others else ""


def _whole_graph(model: nn.Module, graph: Graph, config: Config) -> SizeChoice:
    needed, available = whole_graph_bytes(model, graph, config), available_bytes(config.fit.device)
    rest = f" of {_gib(available)} available memory" if math.isfinite(available) else ""
    sentence = (
        f"Training on the whole graph, which takes about {_gib(needed)}{rest} "
        f"(fit.batch_size={BATCH_SIZES[0]} trains in mini-batches)."
    )
    return SizeChoice({"fit.batch_size": 0}, sentence, announced=needed >= QUIET_SHARE * available)


def _reason_for_batches(model: nn.Module, graph: Graph, config: Config) -> str:
    """Return why mini-batches are better, empty where they are not."""
    if world_size() > 1:
        return f"{world_size()} processes share the labelled nodes"
    needed, available = whole_graph_bytes(model, graph, config), available_bytes(config.fit.device)
    if needed > MEMORY_SHARE * available:
        return f"the whole graph takes about {_gib(needed)}, more than half of {_gib(available)} available memory"
    work = step_work(model, graph, override(config, {"fit.batch_size": 0}))
    if work > MAX_WORK:
        return f"a step on the whole graph takes about {work / 1e9:.1f} billion multiplications"
    return ""


def _obstacle(model: nn.Module, graph: Graph, config: Config) -> str:
    """Return why the model or the options need the whole graph in every step, empty where they do not."""
    if graph.hetero is not None:
        return "mini-batches are not supported for several node types"
    if not is_built_in(model):
        return "the hops of your own module are not known: set fit.batch_size and fit.num_neighbors for mini-batches"
    if has_training_loss(model):
        return f"{type(model).__name__} has a loss of its own on all nodes"
    if config.highway.control == "pseudo-labels":
        return "highway.control=pseudo-labels needs it"
    if isinstance(model, GNN) and model.undirected_minibatches and graph.csr is None and is_directed(graph):
        return f"{model.network.model} trains in mini-batches on undirected graphs only"
    return ""


def _minibatch_options(model: nn.Module, graph: Graph, config: Config) -> dict[str, int | float]:
    labels, default = int(graph.train_mask.sum()), type(config)()
    size = min(max(labels // 4, BATCH_SIZES[0]), BATCH_SIZES[1])
    changes: dict[str, int | float] = {"fit.batch_size": size}
    if config.fit.max_batches == default.fit.max_batches:
        # As many steps as epochs, unless most labels would never be seen.
        changes["fit.max_batches"] = min(max(labels // (BATCH_SIZES[0] * size), BATCHES[0]), BATCHES[1])
    if config.highway.draws == default.highway.draws:
        # A mini-batch samples few of the highways; ten graphs of them would be most of the memory.
        changes["highway.draws"] = 1
    scaling = graph.scaling
    if config.fit.factor == default.fit.factor and scaling is not None and scaling.shift is not None:
        changes["fit.factor"] = _average_factor(model, graph, config, scaling)
    return changes


def _average_factor(model: nn.Module, graph: Graph, config: Config, scaling: FeatureScaling) -> float:
    """Return the length of a row of features over that of an average over sampled neighbours.

    Standardised features of low signal cancel out in averages over many neighbours. Adam's steps have a given length,
    so that a network with short inputs needs many more of them.
    """
    parts = adjacencies(graph) if graph.csr is not None else [from_edge_index(graph.edge_index, graph.num_nodes)]
    hops = num_neighbors(model, config.fit)
    seeds = torch.arange(0, graph.num_nodes, max(graph.num_nodes // SAMPLED_NODES, 1))
    sampled = NeighborSampler(parts, hops, config.seed).draw(seeds)
    x = scaling.apply(graph.x[sampled.n_id].double())
    sender, receiver = sampled.edge_index
    count = 1 + torch.bincount(receiver, minlength=len(x))
    average = x
    for _ in hops:
        average = average.index_add(0, receiver, average[sender]) / count[:, None]
    own, mean = (table[: len(seeds)].square().sum(dim=1).mean().sqrt() for table in (x, average))
    return round(min(float(own / mean), MAX_FACTOR), 2) if mean > 0 else 1.0


def _gib(size: int | float) -> str:
    return f"{size / GIB:.1f} GiB"
