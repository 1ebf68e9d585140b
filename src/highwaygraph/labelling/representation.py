"""The nodes that each suggestion represents: those nearer to it than to any label and to any other suggestion."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from highwaygraph.labelling.clustering import nearest, sample_points
from highwaygraph.labelling.reasons import count_nodes
from highwaygraph.labelling.task import Choice, Task


def representatives(
    task: Task, points: Float[Tensor, "n d"], nodes: Int[Tensor, "k"], weights: Float[Tensor, "n"] | None = None
) -> Choice:
    """Return suggestions with the nodes that they represent as score and reason.

    Args:
        task: The task.
        points: All nodes in feature space.
        nodes: The suggestions.
        weights: Weight of every node in the scores, 1 unless given.

    Returns:
        The suggestions in the same order; scores are shares of the total weight. Where the graph is large, both are
        estimates from a sample.
    """
    sample = sample_points(len(points), 0, task.generator("suggest representation"))
    owner = nearest(points[sample], points[torch.cat([nodes, task.labelled])])[1]
    mass = torch.ones(len(sample)) if weights is None else weights[sample]
    # Owners beyond the suggestions are labelled nodes.
    sums, counts = (
        torch.zeros(len(nodes) + len(task.labelled)).index_add_(0, owner, values)[: len(nodes)]
        for values in (mass, torch.ones(len(sample)))
    )
    sizes = (counts * (len(points) / len(sample))).round().long().tolist()
    about = "about " if len(sample) < len(points) else ""
    return Choice(nodes, sums / mass.sum(), [_phrase(size, about) for size in sizes])


def _phrase(size: int, about: str) -> str:
    return f"represents {count_nodes(size, about)} with similar features and neighbours" if size > 1 else ""
