"""Stratified folds of the labelled nodes, and the graph that each fold is trained on."""

import copy
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from highwaygraph.errors import ConfigError, DataError
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.multilabel import refuse_several_labels
from highwaygraph.graph.splits import SmallClasses, class_name, classes_below
from highwaygraph.graph.validate import MASKS
from highwaygraph.runtime.rng import generator

# The names of random streams decide the results and never change.
FOLDS, INNER = "folds", "inner split"


class Division(NamedTuple):
    """The labelled nodes of a graph, divided into folds."""

    nodes: Int[Tensor, "k"]
    """The labelled nodes, in ascending order."""
    number: Int[Tensor, "k"]
    """The fold of each, counted from 0."""
    folds: int
    """The number of folds."""


def labelled_nodes(data: Graph) -> Int[Tensor, "k"]:
    """Return the training and validation nodes of a graph; without masks, all labelled nodes.

    Args:
        data: A graph; test nodes of its split are left out, so that they still test the model.

    Returns:
        The nodes, in ascending order.
    """
    refuse_several_labels(data, "Training by folds", "draw validation nodes with hg.split(data) or --val 30")
    given = [data[name] for name in MASKS[:2] if name in data]
    if any(mask.dim() == 2 for mask in given):
        raise DataError("The masks hold several splits: choose one with hg.use_split(data, column=0).")
    known = data.y >= 0
    if given:
        known = known & torch.stack(given).any(dim=0)
    return known.nonzero().flatten()


def possible_folds(data: Graph, most: int) -> int:
    """Return the number of folds that the labels allow: as many as the largest class has labels, at most `most`.

    Args:
        data: The graph.
        most: Number of folds where there are labels enough.

    Returns:
        The number of folds; 0 where a fold would be left without two classes to train or a node to validate.

    Example:
        >>> import highwaygraph as hg
        >>> possible_folds(hg.split(hg.load("cora"), train=2, val=2), most=5)
        4
    """
    labels = data.y[labelled_nodes(data)]
    largest = int(labels.bincount().max()) if len(labels) else 0
    return next((count for count in range(min(most, largest), 1, -1) if _is_trainable(labels, count)), 0)


def divide(data: Graph, folds: int, seed: int, small_classes: SmallClasses = "refuse") -> Division:
    """Divide the labelled nodes into stratified folds: every class is spread evenly over them.

    Args:
        data: The graph.
        folds: The number of folds.
        seed: The seed.
        small_classes: "share" accepts classes with fewer nodes than folds, which some folds do not hold out.

    Returns:
        The division.

    Example:
        >>> import highwaygraph as hg
        >>> found = divide(hg.split(hg.load("cora"), train=20, val=30), folds=5, seed=0)
        >>> found.number.bincount().tolist()
        [70, 70, 70, 70, 70]
    """
    nodes = labelled_nodes(data)
    labels = data.y[nodes]
    _check(data, labels, folds, small_classes)
    return Division(nodes, _stratified(labels, folds, seed), folds)


def fold_graph(data: Graph, division: Division, fold: int, val_share: float, seed: int) -> Graph:
    """Return the graph of one fold: its nodes are the test nodes, the others train and validate.

    Args:
        data: The graph.
        division: The division of its labelled nodes.
        fold: The fold, counted from 0.
        val_share: Fraction of the other nodes of every class that validates; at least one node trains.
        seed: The seed.

    Returns:
        A shallow copy with the three masks.
    """
    held_out = division.number == fold
    rest = division.nodes[~held_out]
    is_val = _inner_validation(data.y[rest], val_share, generator(seed, f"{INNER} {fold}"))
    if not bool(is_val.any()):
        raise DataError("The folds leave no node for validation: label at least three nodes of a class.")
    return with_masks(data, rest[~is_val], rest[is_val], division.nodes[held_out])


def with_masks(data: Graph, train: Tensor, val: Tensor, test: Tensor) -> Graph:
    """Return the graph with these training, validation and test nodes as its split."""
    changed = copy.copy(data)
    for name, nodes in zip(MASKS, (train, val, test), strict=True):
        mask = torch.zeros(data.num_nodes, dtype=torch.bool)
        mask[nodes] = True
        setattr(changed, name, mask)
    return changed


def all_labels(data: Graph) -> Graph:
    """Return the graph with all training and validation nodes, or without masks all labelled nodes, for training.

    Args:
        data: The graph; its test nodes stay test nodes.

    Returns:
        A shallow copy whose validation mask is empty.
    """
    nodes = labelled_nodes(data)
    test = data.test_mask.nonzero().flatten() if "test_mask" in data else nodes[:0]
    return with_masks(data, nodes, nodes[:0], test)


def refuse_one_class(data: Graph, labels: Int[Tensor, "k"]) -> None:
    """Refuse labels of a single class.

    Args:
        data: The graph, which has the names of its classes.
        labels: Known labels of it; none at all are not refused here.

    Example:
        >>> refuse_one_class(Graph(num_nodes=3), torch.tensor([0, 1, 1]))
    """
    if len(labels.unique()) == 1:
        nodes = "The only labelled node is" if len(labels) == 1 else f"All {len(labels):,} labelled nodes are"
        raise DataError(f"{nodes} of class {class_name(data, int(labels[0]))}: label nodes of another class.")


def _check(data: Graph, labels: Tensor, folds: int, small_classes: SmallClasses) -> None:
    if folds < 2:
        raise ConfigError(f"Cross-validation needs at least 2 folds, not {folds}.")
    if not len(labels):
        raise DataError("No node has a label: there is nothing to divide into folds.")
    refuse_one_class(data, labels)
    small, most = classes_below(labels, folds), possible_folds(data, folds)
    if small and most and small_classes != "share":
        label, count = min(small.items(), key=lambda one: one[1])
        nodes = "1 labelled node" if count == 1 else f"{count} labelled nodes"
        remedy = _remedy(count if count > 1 and _is_trainable(labels, count) else 0, most, folds)
        raise DataError(f"Class {class_name(data, label)} has {nodes} for {folds} folds: {remedy}.")
    if most < folds:
        more = f"lower folds=... to {most}" if most else "label at least three nodes of a class and two of another"
        raise DataError(f"{_label_counts(labels)} are too few for {folds} folds: {more}.")


def _remedy(every: int, most: int, folds: int) -> str:
    """Return what to change, by the number of folds that all hold out every class, and by that of those that do not."""
    share = "accept folds without it with small_classes='share'"
    if every:
        return f"lower folds=... to {every}{f', or {share}' if most == folds else ''}"
    return share if most == folds else f"lower folds=... to {most} and {share}"


def _label_counts(labels: Int[Tensor, "k"]) -> str:
    counts = classes_below(labels, len(labels) + 1)
    return f"{len(labels)} labelled nodes of {len(counts)} classes, at most {max(counts.values())} of a class,"


def _is_trainable(labels: Int[Tensor, "k"], folds: int) -> bool:
    """Return whether the other folds always have nodes of two classes, and two nodes of one to validate and train."""
    places = labels * folds + _stratified(labels, folds, seed=0)
    held_out = places.bincount(minlength=folds * (int(labels.max()) + 1)).view(-1, folds)
    rest = held_out.sum(dim=1, keepdim=True) - held_out
    return bool((((rest > 0).sum(dim=0) > 1) & (rest > 1).any(dim=0)).all())


def _stratified(labels: Int[Tensor, "k"], folds: int, seed: int) -> Int[Tensor, "k"]:
    rng, number, start = generator(seed, FOLDS), torch.empty(len(labels), dtype=torch.long), 0
    for label in labels.unique().tolist():
        places = (labels == label).nonzero().flatten()
        places = places[torch.randperm(len(places), generator=rng)]
        # Each class continues where the one before ended: the folds differ by one node at most.
        number[places] = (torch.arange(len(places)) + start) % folds
        start += len(places)
    return number


def _inner_validation(labels: Int[Tensor, "m"], share: float, rng: torch.Generator) -> Bool[Tensor, "m"]:
    if not 0 < share < 1:
        raise ConfigError(f"val_share must lie between 0 and 1, not {share}.")
    is_val = torch.zeros(len(labels), dtype=torch.bool)
    for label in labels.unique().tolist():
        places = (labels == label).nonzero().flatten()
        places = places[torch.randperm(len(places), generator=rng)]
        count = min(max(round(share * len(places)), 1), len(places) - 1)
        is_val[places[:count]] = True
    return is_val
