"""Several labels per node: `y` has a column per label, 1 where a node has it and 0 where not; -1 in unlabelled rows."""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Int
from torch import Generator, Tensor

from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.quantities import NO_REGRESSION


def labelled_mask(labels: Int[Tensor, "n *l"]) -> Bool[Tensor, "n"]:
    """Return which nodes are labelled.

    Args:
        labels: A class per node, or a row of labels per node; -1 where unknown.

    Returns:
        A mask of the nodes.

    Example:
        >>> labelled_mask(torch.tensor([[1, 0], [-1, -1], [0, 0]])).tolist()
        [True, False, True]
    """
    return labels >= 0 if labels.dim() == 1 else (labels >= 0).all(dim=1)


def class_counts(labels: Int[Tensor, "n *l"]) -> dict[int, int]:
    """Return the number of nodes of every class or label that occurs.

    Args:
        labels: A class per node, or a row of labels per node; -1 where unknown.

    Returns:
        The numbers by class or label.

    Example:
        >>> class_counts(torch.tensor([0, 2, 2, -1])), class_counts(torch.tensor([[1, 0], [1, 1]]))
        ({0: 1, 2: 2}, {0: 2, 1: 1})
    """
    found = labels[labels >= 0] if labels.dim() == 1 else (labels > 0).nonzero()[:, 1]
    classes, counts = found.unique(return_counts=True)
    return dict(zip(classes.tolist(), counts.tolist(), strict=True))


def validate_label_rows(y: Tensor) -> Int[Tensor, "n l"]:
    """Return a row of 0 and 1 per node, -1 in the rows of unlabelled nodes; refuse any other value.

    Args:
        y: A number per node and label; NaN counts as -1.

    Returns:
        The labels as integers.

    Example:
        >>> validate_label_rows(torch.tensor([[1.0, 0.0], [float("nan"), float("nan")]])).tolist()
        [[1, 0], [-1, -1]]
    """
    y = torch.where(y.isnan(), -1.0, y.double()) if y.is_floating_point() else y.double()
    strange = ~((y == 0) | (y == 1) | (y == -1)).all(dim=1)
    _refuse(strange, "a label other than 0 and 1", f"give 1 for each label of a node and 0 for the others; "
            f"{NO_REGRESSION}")  # fmt: skip
    _refuse((y < 0).any(dim=1) & (y >= 0).any(dim=1), "a row in which only some labels are known",
            "give 0 or 1 for every label, or -1 for the whole row")  # fmt: skip
    return y.long()


def _refuse(bad: Tensor, fault: str, remedy: str) -> None:
    if bool(bad.any()):
        place = f"at {int(bad.sum())} of {len(bad)} nodes (first: node {int(bad.nonzero()[0])})"
        raise DataError(f"There is {fault} in data.y {place}: {remedy}.")


def per_label(
    labels: Int[Tensor, "n l"], ends: Callable[[int], list[int]], generator: Generator
) -> list[Bool[Tensor, "n"]]:
    """Return masks of training, validation and test nodes by iterative stratification (Sechidis et al. 2011).

    Labels take nodes in turn, the rarest first: random nodes of the label that no other has taken join the training
    nodes until there are enough of this label, then the validation nodes. Labelled nodes that no label takes are test
    nodes. Labelled nodes without any label count as those of one further label.

    Args:
        labels: The labels of every node.
        ends: Returns the number of training nodes, and that of training and validation nodes together, of a label with
            so many nodes.
        generator: The source of randomness.

    Returns:
        The masks; nodes whose labels are unknown are in none.

    Example:
        >>> masks = per_label(torch.tensor([[1, 0], [1, 1], [0, 1]]), lambda _: [1, 2], torch.Generator())
        >>> int(masks[0].sum() + masks[1].sum() + masks[2].sum())
        3
    """
    known = labelled_mask(labels)
    columns = [*(labels > 0).T, known & (labels == 0).all(dim=1)]
    part = torch.where(known, 2, -1)
    for column in sorted(columns, key=lambda one: int(one.sum())):
        first, both = ends(int(column.sum()))
        for number, wanted in enumerate((first, both - first)):
            free = (column & (part == 2)).nonzero().flatten()
            missing = max(wanted - int((column & (part == number)).sum()), 0)
            part[free[torch.randperm(len(free), generator=generator)[:missing]]] = number
    return [part == number for number in range(3)]


def refuse_several_labels(data: Graph, subject: str, instead: str) -> None:
    """Refuse a graph with several labels per node.

    Args:
        data: The graph.
        subject: The function that does not accept it, first in the sentence.
        instead: The alternative.

    Example:
        >>> refuse_several_labels(Graph(y=torch.tensor([0, 1])), "A report", "...")
    """
    if data.is_multilabel:
        raise DataError(f"{subject} is not supported for several labels per node: {instead}.")
