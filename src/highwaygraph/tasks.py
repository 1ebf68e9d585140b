"""What one round learns from: the batches, labels and pairs that stay the same through its epochs."""

from typing import NamedTuple

from torch import Tensor, nn
from torch_geometric.data import Data

from highwaygraph.config import Config
from highwaygraph.hops import hops_between
from highwaygraph.inputs import Batch, Features, batch, find_device
from highwaygraph.pairs import BY_DISTANCE, PairTargets, pair_targets, sample_pairs
from highwaygraph.seeds import generator


class Task(NamedTuple):
    """The training and validation nodes of one graph, ready for any number of epochs."""

    train: Batch
    train_labels: Tensor
    pairs: PairTargets | None
    val: Batch
    val_labels: Tensor


def make_task(model: nn.Module, features: Features, graph: Data, config: Config, number: int) -> Task:
    """Return the task of that round on that graph."""
    train, val = (mask.nonzero().flatten() for mask in (graph.train_mask, graph.val_mask))
    device = find_device(config.fit.device)
    return Task(
        train=batch(model, features, graph, train),
        train_labels=graph.y[train].to(device),
        pairs=_pairs(graph, train, config, number).to(device) if config.pairs.weight else None,
        val=batch(model, features, graph, val),
        val_labels=graph.y[val].to(device),
    )


def _pairs(graph: Data, train: Tensor, config: Config, number: int) -> PairTargets:
    options, distance = config.pairs, None
    if options.strategy in BY_DISTANCE:
        # Distances are those of the graph in use: a highway brings its ends closer.
        distance = hops_between(graph.edge_index, graph.num_nodes, train)
    draw = generator(config.seed, f"pairs {number}")
    pairs = sample_pairs(len(train), options.strategy, options.limit, draw, distance)
    return pair_targets(graph.y[train], pairs, options.positive_weight)
