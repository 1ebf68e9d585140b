"""The default strategy: medoids of propagated features, weighted by what the present model does not predict well."""

from jaxtyping import Float
from torch import Tensor

from highwaygraph.labelling.clustering import SAMPLED_POINTS, Medoids, medoids
from highwaygraph.labelling.reasons import count_nodes
from highwaygraph.labelling.task import Choice, Task

# Weight of a node whose prediction is certain, relative to one that is not; and of a node on which two models disagree.
CERTAIN, DISAGREEMENT = 0.1, 1.0


def auto(task: Task, count: int) -> Choice:
    """Return medoids of whitened propagated features, weighted by uncertainty where there are predictions.

    Labelled nodes are centres already, so that every node counts by its distance from the nearest label. Without any
    label, the medoids are representative of the whole graph; small groups of nodes are among them because whitening
    evens out the spread of the principal components.

    Args:
        task: The task.
        count: Number of nodes.

    Returns:
        The nodes; the score of each is the share of the total weight that its cluster has.
    """
    generator = task.generator("suggest auto")
    found = medoids(task.embedding, count, task.labelled, task.allowed, generator, weights=node_weights(task))
    return Choice(found.nodes, found.weights, group_reasons(found, task.num_nodes))


def node_weights(task: Task) -> Float[Tensor, "n"] | None:
    """Return how much each node counts: by its uncertainty, and more where two models disagree; None without any."""
    if task.probs is None:
        return None
    weights = 1 - task.probs.max(dim=1).values + CERTAIN
    if task.other_probs is not None:
        weights = weights + DISAGREEMENT * (task.probs.argmax(dim=1) != task.other_probs.argmax(dim=1))
    return weights.float()


def group_reasons(found: Medoids, nodes: int) -> list[str]:
    """Return a phrase per medoid on the nodes that it represents; their number is an estimate on a large graph."""
    about = "about " if nodes > SAMPLED_POINTS else ""
    return [
        f"represents {count_nodes(size, about)} with similar features and neighbours" if size > 1 else ""
        for size in found.sizes.tolist()
    ]
