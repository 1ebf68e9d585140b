"""What one round learns from: the batches, labels and pairs that stay the same through its epochs."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn

from highwaygraph.config import Config
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import hops_between
from highwaygraph.nn.batches import Batch, batch_builder, compute_logits
from highwaygraph.nn.features import Features
from highwaygraph.nn.gnn import PreparedBatch, select_rows
from highwaygraph.nn.modules import TrainingBatch
from highwaygraph.runtime.environment import find_device
from highwaygraph.runtime.rng import generator
from highwaygraph.training.consistency import class_weights
from highwaygraph.training.pairs import BY_DISTANCE, PairTargets, pair_targets, sample_pairs


class RoundInputs(NamedTuple):
    """What a round knows besides its graph: other graphs to train on, and how frequent the classes are."""

    drawn: tuple[Graph, ...] = ()
    shares: Tensor | None = None


class ConsistencyBatch(NamedTuple):
    """More nodes than the labelled ones, on the graph and on those drawn for the round, and which of them are which."""

    whole: Batch
    drawn: list[Batch]
    shares: Tensor | None
    known: Tensor
    others: Tensor


class TrainingStep(NamedTuple):
    """What one step learns from: labelled nodes, the pairs among them, and more nodes where views look at them."""

    inputs: Batch
    labels: Tensor
    weights: Tensor | None
    pairs: PairTargets | None
    wide: ConsistencyBatch | None


class ValidationBatch(NamedTuple):
    """Validation nodes that are looked at together."""

    inputs: Batch
    labels: Tensor


class BatchModule(nn.Module):
    """A model as a module that takes a batch, which is what torch's own ways of training together wrap."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, inputs: Batch, visible: Tensor | None = None) -> Tensor:
        """Return the logits of the batch's targets."""
        return compute_logits(self.model, inputs, visible)


class RoundData(NamedTuple):
    """The training and validation nodes of one graph, ready for any number of epochs."""

    lots: Callable[[int], Iterable[TrainingStep]]
    """What the steps of an epoch learn from."""
    exams: Callable[[], Iterable[ValidationBatch]]
    val_weights: Tensor | None
    judges_f1: bool
    lesson: TrainingBatch | None
    ask: Callable[..., Tensor]
    """What a training step asks of the model: the logits of a batch."""


def full_graph_data(
    model: nn.Module,
    features: Features,
    graph: Graph,
    config: Config,
    number: int,
    *,
    setting: RoundInputs | None = None,
) -> RoundData:
    """Return the task of that round on that graph, which is looked at as a whole in every step."""
    gold_mask, setting = graph.train_mask, setting or RoundInputs()
    if graph.true_label_mask is not None:
        gold_mask = graph.true_label_mask
    gold, lent, val = (m.nonzero().flatten() for m in (gold_mask, graph.train_mask & ~gold_mask, graph.val_mask))
    device, train = find_device(config.fit.device), torch.cat([gold, lent])
    look, labels = batch_builder(model, features, graph), graph.y[train].to(device)
    lesson = TrainingBatch(
        train=train,
        labels=labels,
        unlabelled=(~graph.train_mask).nonzero().flatten(),
        features=lambda nodes: select_rows(features, nodes.numpy()),
        logits=_asker(model, look),
    )
    lot = TrainingStep(
        inputs=look(train),
        labels=labels,
        weights=node_weights(graph.y[train], config, device),
        pairs=_pairs(graph, gold, config, number).to(device) if config.pairs.weight else None,
        wide=_wide(model, features, look(None), setting, lesson) if uses_consistency(config, setting) else None,
    )
    exam = ValidationBatch(look(val), graph.y[val].to(device))
    weights = val_weights(graph.y[val], setting, device)
    return RoundData(
        lambda _: (lot,), lambda: (exam,), weights, config.fit.monitor == "f1", lesson, partial(compute_logits, model)
    )


def node_weights(labels: Tensor, config: Config, device: torch.device) -> Tensor | None:
    """Return a weight per training node with which every class counts the same, if that is wanted."""
    if config.fit.class_weights == "none":
        return None
    classes = int(labels.max()) + 1
    return class_weights(torch.full((classes,), 1 / classes), labels).to(device)


def val_weights(labels: Tensor, setting: RoundInputs, device: torch.device) -> Tensor | None:
    """Return a weight per validation node with which classes count as the estimated shares say, if there are any."""
    return None if setting.shares is None else class_weights(setting.shares, labels).to(device)


def uses_consistency(config: Config, setting: RoundInputs) -> bool:
    """Tell whether a step looks at more than the labelled nodes."""
    consistency = config.consistency
    return bool(consistency.weight or consistency.num_views > 1 or consistency.drop_nodes or setting.drawn)


def _wide(
    model: nn.Module, features: Features, whole: Batch, setting: RoundInputs, lesson: TrainingBatch
) -> ConsistencyBatch:
    # The features are prepared once for all graphs.
    ready = whole.x if isinstance(whole, PreparedBatch) else features
    drawn = [batch_builder(model, ready, graph)(None) for graph in setting.drawn]
    shares = None if setting.shares is None else setting.shares.to(lesson.labels.device)
    return ConsistencyBatch(whole, drawn, shares, lesson.train, lesson.unlabelled)


def _asker(model: nn.Module, look: Callable[[Tensor | None], Batch]) -> Callable[[Tensor, int], Tensor]:
    def ask(nodes: Tensor, times: int) -> Tensor:
        inputs = look(nodes)
        return torch.stack([compute_logits(model, inputs) for _ in range(times)])

    return ask


def _pairs(graph: Graph, train: Tensor, config: Config, number: int) -> PairTargets:
    options, distance = config.pairs, None
    if options.strategy in BY_DISTANCE:
        # Distances are those of the graph in use: a highway brings its ends closer.
        distance = hops_between(graph, train)
    draw = generator(config.seed, f"pairs {number}")
    pairs = sample_pairs(len(train), options.strategy, options.limit, draw, distance)
    return pair_targets(graph.y[train], pairs, options.positive_weight)
