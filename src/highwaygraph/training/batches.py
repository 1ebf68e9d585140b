"""The data of one round: training and validation batches, prepared once and used in every epoch."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn

from highwaygraph.config import Config
from highwaygraph.graph.augment import disjoint_union
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import hops_between
from highwaygraph.nn.batches import ModelBatch, batch_builder, compute_logits
from highwaygraph.nn.features import Features, MappedFeatures, stack_features, uses_kernels
from highwaygraph.nn.gnn import PreparedBatch, select_rows
from highwaygraph.nn.modules import TrainingBatch, has_training_loss
from highwaygraph.nn.spmm import Sparse
from highwaygraph.runtime.environment import find_device
from highwaygraph.runtime.rng import generator
from highwaygraph.training.consistency import class_weights
from highwaygraph.training.pairs import BY_DISTANCE, PairTargets, sample_pairs
from highwaygraph.training.targets.choose import target_of
from highwaygraph.training.targets.single_label import SINGLE_LABEL
from highwaygraph.training.targets.target import Target

# The name of a random stream decides the results and never changes.
PAIRS = "pairs"  # glossary: stream name


# Two views of more nodes than this do not fit in the processor's cache, and one pass for both saves nothing.
MAX_STACKED_NODES = 2**14


class Views(NamedTuple):
    """The graphs of the consistency step, with the labelled and the unlabelled nodes of the batch."""

    graphs: list[ModelBatch]
    """The original graph, then graphs with highways; where stacked, unions of the original graph with each of them."""
    labelled: Tensor
    """Rows of a view's logits that belong to the labelled nodes."""
    unlabelled: Tensor
    """Rows of a view's logits that the consistency loss is computed on."""
    votes: Tensor | None = None
    """Logits that votes add to the consistency targets of the unlabelled nodes."""
    stacked: bool = False
    """Whether a forward pass gives two views: of the original graph, and of a graph with highways if there is one."""


class Batch(NamedTuple):
    """One optimisation step, or one forward pass on validation nodes."""

    inputs: ModelBatch
    """Arguments of the forward pass that gives the logits of these nodes."""
    labels: Tensor
    weights: Tensor | None = None
    """Weight per node, or per node and label, in the node loss."""
    pairs: PairTargets | None = None
    """Targets of the pair loss; None without it."""
    views: Views | None = None
    """Present where the consistency step replaces the plain step."""


class RoundData(NamedTuple):
    """The training and validation nodes of one round, ready for any number of epochs."""

    batches: Callable[[int], Iterable[Batch]]
    """Return the mini-batches of an epoch; on the whole graph there is one."""
    val_batches: Callable[[], Iterable[Batch]]
    """Return the validation batches."""
    forward: Callable[..., Tensor]
    """Return the logits of a model batch, synchronised between processes."""
    training_batch: TrainingBatch | None = None
    """Argument of the training loss of a model that has one of its own; None in mini-batches."""
    prior: Tensor | None = None
    """Estimated class prior, that consistency targets are aligned with."""
    val_weights: Tensor | None = None
    """Weight per validation node that gives the classes this prior."""
    target: Target = SINGLE_LABEL
    """The losses and scores: of one class per node, or of several labels."""


def full_graph_data(
    model: nn.Module,
    features: Features,
    graph: Graph,
    config: Config,
    number: int,
    *,
    views: Sequence[Graph] = (),
    prior: Tensor | None = None,
    votes: Tensor | None = None,
) -> RoundData:
    """Return the data of a round with one training batch and one validation batch, both on the whole graph.

    Args:
        model: The model of the round.
        features: The prepared features.
        graph: The graph of the round, with masks and labels.
        config: All options.
        number: The round, counted from 1.
        views: Graphs with highways for the consistency step.
        prior: The estimated class prior.
        votes: Logits that votes add to the consistency targets, for every node.
    """
    device, val, target = find_device(config.fit.device), graph.val_mask.nonzero().flatten(), target_of(graph)
    batch = _training_batch(model, features, graph, build := batch_builder(model, features, graph), device)
    weights = target.node_weights(graph.y[batch.train], config, device)
    pairs = _pairs(graph, config, number).to(device) if config.pairs.weight else None
    passes = _views(model, features, [graph, *views], batch, config, votes=votes)
    only = Batch(build(batch.train), batch.labels, weights, pairs, passes)
    # A graph without validation nodes is never validated.
    validation = (Batch(build(val), graph.y[val].to(device)),) if len(val) else ()
    return RoundData(
        batches=lambda _: (only,),
        val_batches=lambda: validation,
        forward=partial(compute_logits, model),
        training_batch=batch if has_training_loss(model) else None,
        prior=None if prior is None else prior.to(device),
        val_weights=val_weights(graph.y[val], prior, device),
        target=target,
    )


def val_weights(labels: Tensor, prior: Tensor | None, device: torch.device) -> Tensor | None:
    """Return a weight per validation node that gives the classes the prior, None without a prior."""
    return None if prior is None or not len(labels) else class_weights(prior, labels).to(device)


def uses_consistency(config: Config, views: Sequence[Graph]) -> bool:
    """Return whether the consistency step replaces the plain step."""
    options = config.consistency
    return bool(options.weight or options.num_views > 1 or options.drop_nodes or views)


def labelled_nodes(graph: Graph) -> Tensor:
    """Return the training nodes with a label of their own, without pseudo-labelled nodes."""
    mask = graph.train_mask if graph.true_label_mask is None else graph.true_label_mask
    return mask.nonzero().flatten()


def _training_batch(
    model: nn.Module,
    features: Features,
    graph: Graph,
    build: Callable[[Tensor | None], ModelBatch],
    device: torch.device,
) -> TrainingBatch:
    labelled, pseudo_labelled = labelled_nodes(graph), graph.train_mask.clone()
    pseudo_labelled[labelled] = False
    # Pseudo-labelled nodes come last: the pair targets refer to the first rows only.
    train = torch.cat([labelled, pseudo_labelled.nonzero().flatten()])

    def logits(nodes: Tensor, passes: int) -> Tensor:
        inputs = build(nodes)
        return torch.stack([compute_logits(model, inputs) for _ in range(passes)])

    return TrainingBatch(
        train=train,
        labels=graph.y[train].to(device),
        unlabelled=(~graph.train_mask).nonzero().flatten(),
        features=lambda nodes: select_rows(features, nodes.numpy()),
        logits=logits,
    )


def _views(
    model: nn.Module,
    features: Features,
    graphs: list[Graph],
    batch: TrainingBatch,
    config: Config,
    *,
    votes: Tensor | None,
) -> Views | None:
    """Return the views of the original graph, which comes first, and of those with highways; None for a plain step."""
    original, *augmented = graphs
    if not uses_consistency(config, augmented):
        return None
    stacked = _stacks_views(model, original, config)
    if stacked:
        assert not isinstance(features, Sparse | MappedFeatures)
        features = stack_features(features)
        graphs = [disjoint_union(original, other) for other in augmented or (original,)]
    first = batch_builder(model, features, graphs[0])(None)
    # The features are prepared once for all graphs.
    prepared = first.x if isinstance(first, PreparedBatch) else features
    others = [batch_builder(model, prepared, other)(None) for other in graphs[1:]]
    added = None if votes is None else votes[batch.unlabelled].to(find_device(config.fit.device))
    return Views([first, *others], batch.train, batch.unlabelled, added, stacked)


def _stacks_views(model: nn.Module, graph: Graph, config: Config) -> bool:
    """Return whether two views are computed in one pass; batch norm and other modules would mix the views."""
    even = config.consistency.num_views % 2 == 0
    return even and uses_kernels(model, config.fit) and graph.num_nodes <= MAX_STACKED_NODES


def _pairs(graph: Graph, config: Config, number: int) -> PairTargets:
    options, train, distance = config.pairs, labelled_nodes(graph), None
    if options.strategy in BY_DISTANCE:
        # Distances are those of the present graph: a highway brings its ends closer.
        distance = hops_between(graph, train)
    rng = generator(config.seed, f"{PAIRS} {number}")
    pairs = sample_pairs(len(train), options.strategy, options.limit, rng, distance)
    return target_of(graph).pair_targets(graph.y[train], pairs, options.positive_weight)
