"""The sizes of a split in words."""

from highwaygraph.graph.graph import Graph
from highwaygraph.graph.validate import MASKS


def split_sizes(data: Graph) -> str:
    """Return the sizes of a graph's split in words.

    Args:
        data: A graph with its three masks.

    Returns:
        The number of training, validation and test nodes.

    Example:
        >>> import highwaygraph as hg
        >>> split_sizes(hg.split(hg.load("cora"), train=5, val=5, seed=0))
        '35 train / 35 val / 2,638 test'
    """
    return " / ".join(f"{int(data[name].sum()):,} {name.removesuffix('_mask')}" for name in MASKS)
