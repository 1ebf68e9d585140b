"""What one round learns from: the batches, labels and pairs that stay the same through its epochs."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from highwaygraph.config import Config
from highwaygraph.gnn import Prepared, select
from highwaygraph.hops import hops_between
from highwaygraph.inputs import Batch, Features, batches, call, find_device
from highwaygraph.lessons import Lesson
from highwaygraph.pairs import BY_DISTANCE, PairTargets, pair_targets, sample_pairs
from highwaygraph.seeds import generator
from highwaygraph.views import class_weights


class Setting(NamedTuple):
    """What a round knows besides its graph: other graphs to train on, and how frequent the classes are."""

    drawn: tuple[Data, ...] = ()
    shares: Tensor | None = None


class Wide(NamedTuple):
    """All nodes of the graph and of the graphs drawn for the round, for steps that look at more than the labels."""

    whole: Batch
    drawn: list[Batch]
    shares: Tensor | None


class Task(NamedTuple):
    """The training and validation nodes of one graph, ready for any number of epochs."""

    train: Batch
    train_labels: Tensor
    train_weights: Tensor | None
    pairs: PairTargets | None
    val: Batch
    val_labels: Tensor
    val_weights: Tensor | None
    judges_f1: bool
    lesson: Lesson
    wide: Wide | None


def make_task(
    model: nn.Module, features: Features, graph: Data, config: Config, number: int, *, setting: Setting | None = None
) -> Task:
    """Return the task of that round on that graph."""
    gold_mask, setting = getattr(graph, "gold_mask", graph.train_mask), setting or Setting()
    gold, lent, val = (m.nonzero().flatten() for m in (gold_mask, graph.train_mask & ~gold_mask, graph.val_mask))
    device, train = find_device(config.fit.device), torch.cat([gold, lent])
    look, labels = batches(model, features, graph), graph.y[train].to(device)
    weights = None if setting.shares is None else class_weights(setting.shares, graph.y[val]).to(device)
    return Task(
        train=look(train),
        train_labels=labels,
        train_weights=_balanced(graph.y[train]).to(device) if config.fit.class_weights == "balanced" else None,
        pairs=_pairs(graph, gold, config, number).to(device) if config.pairs.weight else None,
        val=look(val),
        val_labels=graph.y[val].to(device),
        val_weights=weights,
        judges_f1=config.fit.monitor == "f1",
        lesson=Lesson(
            train=train,
            labels=labels,
            others=(~graph.train_mask).nonzero().flatten(),
            rows=lambda nodes: select(features, nodes.numpy()),
            ask=_asker(model, look),
        ),
        wide=_wide(model, features, look(None), setting, device) if _is_wide(config, setting) else None,
    )


def _balanced(labels: Tensor) -> Tensor:
    """Return a weight per node with which every class counts the same."""
    classes = int(labels.max()) + 1
    return class_weights(torch.full((classes,), 1 / classes), labels)


def _is_wide(config: Config, setting: Setting) -> bool:
    views = config.views
    return bool(views.weight or views.count > 1 or views.drop_nodes or setting.drawn)


def _wide(model: nn.Module, features: Features, whole: Batch, setting: Setting, device: torch.device) -> Wide:
    # The features are prepared once for all graphs.
    ready = whole.x if isinstance(whole, Prepared) else features
    drawn = [batches(model, ready, graph)(None) for graph in setting.drawn]
    return Wide(whole, drawn, None if setting.shares is None else setting.shares.to(device))


def _asker(model: nn.Module, look: Callable[[Tensor | None], Batch]) -> Callable[[Tensor, int], Tensor]:
    def ask(nodes: Tensor, times: int) -> Tensor:
        inputs = look(nodes)
        return torch.stack([call(model, inputs) for _ in range(times)])

    return ask


def _pairs(graph: Data, train: Tensor, config: Config, number: int) -> PairTargets:
    options, distance = config.pairs, None
    if options.strategy in BY_DISTANCE:
        # Distances are those of the graph in use: a highway brings its ends closer.
        distance = hops_between(graph.edge_index, graph.num_nodes, train)
    draw = generator(config.seed, f"pairs {number}")
    pairs = sample_pairs(len(train), options.strategy, options.limit, draw, distance)
    return pair_targets(graph.y[train], pairs, options.positive_weight)
