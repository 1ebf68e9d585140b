"""Splits by graph: all labelled nodes of a graph are in the same part."""

import torch
from jaxtyping import Bool, Int
from torch import Generator, Tensor

from highwaygraph.errors import DataError

# Shares of the graphs that train and validate, unless given.
SHARES = 0.6, 0.2


# Training, validation and test need a graph each.
FEWEST = 3


def per_graph(
    graph_id: Int[Tensor, "n"] | None,
    labels: Int[Tensor, "n"],
    sizes: tuple[int | float | None, int | float | None],
    generator: Generator,
) -> list[Bool[Tensor, "n"]]:
    """Return masks in which whole graphs are for training, validation or test.

    Args:
        graph_id: The graph of every node.
        labels: The class of every node; nodes with label -1 are in no mask, graphs without labels in no part.
        sizes: Numbers of graphs for training and validation, or their shares below 1; 0.6 and 0.2 unless given. The
            other graphs are for test, at least one of them.
        generator: The source of randomness.

    Returns:
        The three masks.

    Example:
        >>> graphs, labels = torch.tensor([0, 0, 1, 2]), torch.tensor([0, -1, 1, 0])
        >>> [mask.tolist() for mask in per_graph(graphs, labels, (1, 1), torch.Generator().manual_seed(0))]
        [[False, False, False, True], [True, False, False, False], [False, False, True, False]]
    """
    if graph_id is None:
        raise DataError(
            "A split by graph needs several graphs, but the data has no graph_id: give hg.load a list of graphs, or "
            "name the column of the graph with --graph (graph=...)."
        )
    known = graph_id[labels >= 0].unique()
    if len(known) < FEWEST:
        raise DataError(
            f"A split by graph needs at least {FEWEST} graphs with labels, but there are {len(known)}: split the nodes "
            "instead, by leaving out by='graph' (--split graph)."
        )
    train, val = (share if size is None else size for size, share in zip(sizes, SHARES, strict=True))
    ends = _ends(len(known), train, val)
    order = known[torch.randperm(len(known), generator=generator)]
    return [torch.isin(graph_id, part) & (labels >= 0) for part in order.tensor_split(ends)]


def _ends(count: int, train: int | float, val: int | float) -> list[int]:
    """Return the ends of the training and of the validation graphs in an order of all graphs."""
    sizes = [max(1, round(size * count)) if 0 < size < 1 else size for size in (train, val)]
    if any(size < 1 or size != int(size) for size in sizes):
        raise DataError(
            f"A split by graph takes numbers of graphs, at least 1, or shares between 0 and 1, not {train} and {val}."
        )
    if sum(sizes) >= count:
        raise DataError(
            f"{sizes[0]} graphs for training and {sizes[1]} for validation leave none of {count} for test: lower "
            "train=... and val=... (--train and --val)."
        )
    return [int(sizes[0]), int(sum(sizes))]
