"""The default strategy: experimental design and medoids of propagated features, weighted by uncertainty."""

import torch
from jaxtyping import Float
from torch import Tensor

from highwaygraph.labelling.clustering import medoids
from highwaygraph.labelling.design import design
from highwaygraph.labelling.representation import representatives
from highwaygraph.labelling.task import Choice, Task

# Weight of a node whose prediction is certain, and of one on which two models disagree; an uncertain one has about 1.
CERTAIN, DISAGREEMENT = 0.1, 1.0


def auto(task: Task, count: int) -> Choice:
    """Return nodes by experimental design, the first half, and medoids that represent the rest, the second half.

    Both halves count a node by its distance from the labels, and by its uncertainty where there are predictions. Design
    finds the nodes that distinguish large groups; medoids find groups without a label that a linear model overlooks.
    With as many labels as dimensions, the linear model is determined, and all nodes are medoids. Unlike those of
    FeatProp, the features have length 1, so that they do not depend on the degree.

    Args:
        task: The task.
        count: Number of nodes.

    Returns:
        The nodes; the score of each is the share of the total weight that it represents.
    """
    weights, points = node_weights(task), task.embedding
    half = max(1, round(count / 2)) if len(task.labelled) < points.size(1) else 0
    first = design(points, half, task.labelled, task.allowed, weights)
    allowed, known = task.allowed.clone(), torch.cat([task.labelled, first])
    allowed[first] = False
    generator = task.generator("suggest auto")
    second = medoids(points, count - len(first), known, allowed, generator, weights=weights)
    return representatives(task, points, torch.cat([first, second]), weights)


def node_weights(task: Task) -> Float[Tensor, "n"] | None:
    """Return how much each node counts: by its uncertainty, and more where two models disagree; None without any."""
    if task.probs is None:
        return None
    weights = 1 - task.probs.max(dim=1).values + CERTAIN
    if task.other_probs is not None:
        weights = weights + DISAGREEMENT * (task.probs.argmax(dim=1) != task.other_probs.argmax(dim=1))
    return weights.float()
