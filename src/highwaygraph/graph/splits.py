"""Splits into training, validation and test nodes: random per class, whole graphs, or a column of given masks."""

import copy
import warnings
from collections.abc import Callable
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Int
from torch import Generator, Tensor
from torch_geometric.data import Data

from highwaygraph.errors import DataError, HighwayWarning, warn_renamed
from highwaygraph.graph.graph import Graph, as_graph
from highwaygraph.graph.graph_splits import per_graph
from highwaygraph.graph.multilabel import class_counts, per_label, refuse_several_labels
from highwaygraph.graph.split_sizes import split_sizes
from highwaygraph.graph.validate import MASKS, dense_tensor, validate_graph_ids, validate_labels

SmallClasses = Literal["auto", "refuse", "share"]


# Training and validation nodes per class, unless given.
TRAIN, VAL = 20, 30


def split(
    data: Data,
    train: int | float | None = None,
    val: int | float | None = None,
    seed: int = 0,
    *,
    by: Literal["class", "graph"] = "class",
    small_classes: SmallClasses = "auto",
    few: SmallClasses | None = None,
) -> Graph:
    """Return the graph with a random split: `train` and `val` labelled nodes per class or label, others as test nodes.

    Args:
        data: A graph with labels; -1 is unlabelled and in no mask.
        train, val: Training and validation nodes per class, 20 and 30 unless given; `val=0` is for `cross_validate`.
        seed: Seed of the random generator.
        by: "graph" splits whole graphs: `train` and `val` are numbers of graphs or shares, 0.6 and 0.2 unless given.
        small_classes: For a class with fewer than `train + val` labels: "refuse" raises a DataError, "share" trains on
            at most half of them, "auto" refuses if `train` or `val` is given, else it shares and warns. Earlier `few`.

    Returns:
        A shallow copy with train_mask, val_mask and test_mask.

    Example:
        >>> import highwaygraph as hg
        >>> graph = hg.split(hg.load("cora"), train=20, val=30)
        >>> int(graph.train_mask.sum()), int(graph.val_mask.sum())
        (140, 210)
    """
    labels, graph, generator = validate_labels(data), as_graph(data), torch.Generator().manual_seed(seed)
    if few is not None:
        warn_renamed("few", "small_classes")
        small_classes = few
    if by != "class":
        return _with_masks(graph, per_graph(validate_graph_ids(graph), labels, (train, val), generator))
    rule = small_class_rule(small_classes, sizes_given=train is not None or val is not None)
    train, val = _whole(TRAIN if train is None else train), _whole(VAL if val is None else val)
    small = _small(graph, classes_below(labels, train + val), (train, val), rule)
    found = _with_masks(graph, per_class(labels, train, val, generator))
    return _with_warning(found, small, (train, val)) if small and small_classes == "auto" else found


def _whole(size: int | float) -> int:
    """Return a number of nodes per class; shares are for whole graphs."""
    if size != int(size):
        raise DataError(f"A split per class takes whole numbers of nodes, not {size}: shares are for by='graph'.")
    return int(size)


def split_in_proportion(data: Data, train: int, val: int, seed: int = 0) -> Graph:
    """Return the graph with a stratified random split: classes are as frequent among the labels as in the graph.

    Args:
        data: A graph with labels; -1 is unlabelled and in no mask.
        train, val: Training and validation nodes of all classes together, up to rounding; every class has one of each.
        seed: Seed of the random generator.

    Returns:
        A shallow copy with train_mask, val_mask and test_mask.

    Example:
        >>> import highwaygraph as hg
        >>> graph = split_in_proportion(hg.load("cora"), train=140, val=500)
        >>> graph.y[graph.train_mask].bincount().tolist()
        [18, 11, 22, 42, 22, 15, 9]
    """
    refuse_several_labels(as_graph(data), "A split in proportion", "use hg.split(data)")
    labels, generator = validate_labels(data), torch.Generator().manual_seed(seed)
    known = int((labels >= 0).sum())
    if train < 1 or val < 1 or train + val > known:
        raise DataError(
            f"The graph has {known} labelled nodes: {train} for training and {val} for validation do not fit."
        )

    def sizes(count: int) -> tuple[int, int]:
        return max(1, round(train * count / known)), max(1, round(val * count / known))

    return _with_masks(as_graph(data), _per_class(labels, sizes, generator))


def small_class_rule(small_classes: SmallClasses, *, sizes_given: bool) -> Literal["refuse", "share"]:
    """Return whether classes with too few labels are refused or shared.

    Args:
        small_classes: The choice; "auto" refuses where the user has given a number of nodes per class.
        sizes_given: Whether the number of training or validation nodes per class was given.
    """
    if small_classes not in get_args(SmallClasses):
        choices = ", ".join(get_args(SmallClasses))
        raise DataError(f"small_classes is one of {choices}, not {small_classes!r}.")
    if small_classes == "auto":
        return "refuse" if sizes_given else "share"
    return small_classes


def classes_below(labels: Int[Tensor, "n *l"], needed: int) -> dict[int, int]:
    """Return the classes or labels with fewer labelled nodes than needed, with the number of these nodes."""
    return {c: n for c, n in class_counts(labels).items() if n < needed}


def use_split(data: Data, column: int) -> Graph:
    """Return the graph with one column of its (n, k) masks as its split; a one-dimensional mask serves all columns.

    Args:
        data: A graph whose masks have several columns, as some datasets of PyG do.
        column: Number of the column, from 0.

    Returns:
        A shallow copy with one-dimensional train_mask, val_mask and test_mask.

    Example:
        >>> import highwaygraph as hg
        >>> graph = hg.load("cora")
        >>> graph.train_mask = graph.train_mask[:, None].expand(-1, 10)
        >>> hg.use_split(graph, column=3).train_mask.shape
        torch.Size([2708])
    """
    graph = as_graph(data)
    given = {name: dense_tensor(graph, name) for name in MASKS if graph.get(name) is not None}
    widths = {mask.size(1) for mask in given.values() if mask.dim() == 2}
    if len(widths) != 1:
        raise DataError("The masks have no columns to choose from: draw a split with hg.split(data) instead.")
    if not 0 <= column < min(widths):
        raise DataError(f"The masks have columns 0 to {min(widths) - 1}: there is no column {column}.")
    chosen = {name: mask[:, column] if mask.dim() == 2 else mask for name, mask in given.items()}
    empty = torch.zeros(graph.num_nodes, dtype=torch.bool)
    return _with_masks(graph, [chosen.get(name, empty).bool() for name in MASKS])


def validate_split(data: Graph, *, needs_val: bool = True) -> Graph:
    """Return the graph with its three masks; refuse a split without training or, where needed, validation nodes."""
    given = {name: data[name] for name in MASKS if name in data}
    if "train_mask" not in given or (needs_val and "val_mask" not in given):
        raise DataError("The data has no train_mask and val_mask: draw them with hg.split(data) or --split random.")
    for name, mask in given.items():
        if mask.dim() == 2:
            raise DataError(
                f"{name} holds several splits: choose one with hg.use_split(data, column=0) or --split-column 0."
            )
        if name != "test_mask" and not mask.any() and (needs_val or name == "train_mask"):
            remedy = ", or train on all labels with hg.cross_validate(...).refit()" if name == "val_mask" else ""
            raise DataError(f"{name} is empty: at least one labelled node has to be in it{remedy}.")
    if len(classes := data.y[given["train_mask"]].unique(dim=0)) < 2:
        if data.is_multilabel:
            raise DataError("All training nodes have the same labels: nodes with other labels are needed too.")
        name = class_name(data, int(classes))
        raise DataError(f"All training nodes are of class {name}: at least two classes are needed.")
    empty = torch.zeros_like(given["train_mask"])
    return _with_masks(data, [given.get(name, empty) for name in MASKS])


def per_class(labels: Int[Tensor, "n *l"], train: int, val: int, generator: Generator) -> list[Bool[Tensor, "n"]]:
    """Return masks of `train` and `val` nodes per class and of the rest; nodes with label -1 are in none.

    With several labels per node, there are at least so many of every label, by iterative stratification.
    """
    if train < 1 or val < 0:
        raise DataError(
            f"A split needs at least 1 training node per class and no negative number, not {train} and {val}."
        )
    if labels.dim() == 2:
        return per_label(labels, lambda count: _ends(count, train, val), generator)
    return _per_class(labels, lambda _: (train, val), generator)


def _per_class(labels: Tensor, sizes: Callable[[int], tuple[int, int]], generator: Generator) -> list[Tensor]:
    """Return the three masks; `sizes` gives the training and validation nodes of a class with that many labels."""
    masks = [torch.zeros(len(labels), dtype=torch.bool) for _ in MASKS]
    for label in labels[labels >= 0].unique().tolist():
        nodes = (labels == label).nonzero().flatten()
        nodes = nodes[torch.randperm(len(nodes), generator=generator)]
        for mask, part in zip(masks, nodes.tensor_split(_ends(len(nodes), *sizes(len(nodes)))), strict=True):
            mask[part] = True
    return masks


def _ends(count: int, train: int, val: int) -> list[int]:
    """Return the ends of a class's training and validation nodes; a class that is too small is shared out."""
    if count >= train + val:
        return [train, train + val]
    # A class of one trains, one of two validates too, and one of three is tested as well.
    first = min(train, max(1, count // 2))
    return [first, first + min(val, -(-(count - first) // 2))]


def _small(
    data: Graph, small: dict[int, int], sizes: tuple[int, int], rule: Literal["refuse", "share"]
) -> dict[int, int]:
    """Return the classes with too few labels, or refuse them."""
    if not small or rule == "share":
        return small
    label, count = next(iter(small.items()))
    nodes = "1 labelled node" if count == 1 else f"{count} labelled nodes"
    raise DataError(
        f"Class {class_name(data, label)} has {nodes}, fewer than the {sizes[0]} + {sizes[1]} asked for to train and "
        "validate: lower train=... and val=..., or share them out with small_classes='share' (--small-classes share)."
    )


def _with_warning(data: Graph, small: dict[int, int], sizes: tuple[int, int]) -> Graph:
    names = [f"{class_name(data, label)}: {count}" for label, count in small.items()]
    shown = ", ".join(names[:3] + ["..."] * (len(names) > 3))
    classes = "1 class" if len(small) == 1 else f"{len(small)} classes"
    message = (
        f"Fewer than {sizes[0]} + {sizes[1]} labels in {classes} ({shown}): at most half of each trains, "
        f"{split_sizes(data)}. Give train=... and val=..., or small_classes='share'."
    )
    warnings.warn(message, HighwayWarning, stacklevel=3)
    return data


def class_name(data: Graph, label: int) -> str:
    """Return the name of a class, its number where it has none."""
    names = data.classes
    return names[label] if names else str(label)


def _with_masks(data: Graph, masks: list[Tensor]) -> Graph:
    changed = copy.copy(data)
    for name, mask in zip(MASKS, masks, strict=True):
        setattr(changed, name, mask)
    return changed
