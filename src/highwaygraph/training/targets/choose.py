"""The choice of the target, from the labels of the graph."""

from highwaygraph.graph.graph import Graph
from highwaygraph.training.targets.multilabel import MULTILABEL
from highwaygraph.training.targets.single_label import SINGLE_LABEL
from highwaygraph.training.targets.target import Target


def target_of(data: Graph) -> Target:
    """Return the target of a graph.

    Args:
        data: A validated graph.

    Returns:
        Several labels where `y` has a column per label, else one class per node.

    Example:
        >>> import torch
        >>> type(target_of(Graph(y=torch.tensor([[1, 1], [0, 1]])))).__name__
        'Multilabel'
    """
    return MULTILABEL if data.is_multilabel else SINGLE_LABEL
