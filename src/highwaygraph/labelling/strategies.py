"""Strategies of active learning on graphs, each a pure function from a task to the nodes to label next.

Every function takes the task and the number of nodes, and returns that many different allowed nodes, best first. The
same task gives the same nodes.
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from highwaygraph.data.tables.read_log import counted
from highwaygraph.errors import ConfigError
from highwaygraph.labelling.auto import auto
from highwaygraph.labelling.centrality import pagerank as pagerank_of
from highwaygraph.labelling.centrality import ranks
from highwaygraph.labelling.clustering import SAMPLED_POINTS, fit_centres, nearest
from highwaygraph.labelling.clustering import medoids as medoids_of
from highwaygraph.labelling.coverage import CANDIDATES, REFERENCES, Points, greedy_coverage, influence
from highwaygraph.labelling.representation import representatives
from highwaygraph.labelling.task import Choice, Task

Strategy = Callable[[Task, int], Choice]


# Base of AGE's time-sensitive weight.
AGE_BASE = 0.995


def random(task: Task, count: int) -> Choice:
    """Return nodes drawn uniformly: the reference that every other strategy is compared with."""
    scores = torch.rand(task.num_nodes, generator=task.generator("suggest random"))
    return _highest(task, scores, count, lambda _: "drawn at random")


def degree(task: Task, count: int) -> Choice:
    """Return the nodes with the most neighbours."""
    return _highest(task, task.degrees(), count, lambda score: counted(round(score), "neighbours"))


def pagerank(task: Task, count: int) -> Choice:
    """Return the nodes of highest PageRank, the structural baseline of Cai et al. (2017) and of many others."""
    return _highest(task, pagerank_of(task.adjacency), count, lambda score: f"PageRank {score:.2g}")


def entropy(task: Task, count: int) -> Choice:
    """Return the nodes whose predicted class is least certain (uncertainty sampling, Lewis and Gale 1994)."""
    if task.probs is None:
        raise ConfigError("The strategy entropy needs predictions: give a run in place of the data (result=...).")
    return _highest(
        task, prediction_entropy(task.probs), count, lambda score: f"entropy {100 * score:.0f} % of the largest"
    )


def density(task: Task, count: int) -> Choice:
    """Return the nodes nearest to centres of k-means on propagated features (information density, Cai et al. 2017)."""
    scores = _density(task, task.plain_embedding, _num_clusters(task, count))
    return _highest(task, scores, count, lambda _: "at the centre of a group of similar nodes")


def medoids(task: Task, count: int) -> Choice:
    """Return medoids of propagated features (FeatProp, Wu et al. 2019); labelled nodes are medoids already."""
    generator = task.generator("suggest medoids")
    points = task.plain_embedding
    return representatives(task, points, medoids_of(points, count, task.labelled, task.allowed, generator))


def age(task: Task, count: int) -> Choice:
    """Return the nodes of highest weighted rank in entropy, density and PageRank (AGE, Cai et al. 2017).

    The weight of PageRank is drawn from Beta(1, 1.005 - 0.995^t) with t labels, so that it falls as labels are added;
    entropy and density share the rest. Without predictions, there is no entropy and density is that of the propagated
    features.
    """
    generator = task.generator("suggest age")
    clusters = _num_clusters(task, count)
    central = ranks(pagerank_of(task.adjacency))
    if task.probs is None:
        similar = ranks(_density(task, task.plain_embedding, clusters))
        return _highest(task, (central + similar) / 2, count, lambda _: "high PageRank and density")
    # A Beta(1, b) number by inversion of its distribution function.
    exponent = 1 / (1.005 - AGE_BASE ** len(task.labelled))
    weight = 1 - float(torch.rand(1, generator=generator)) ** exponent
    own = ranks(prediction_entropy(task.probs)) + ranks(_density(task, task.probs.float(), task.probs.size(1)))
    scores = weight * central + (1 - weight) / 2 * own
    return _highest(task, scores, count, lambda _: "high entropy, density and PageRank together")


def coverage(task: Task, count: int) -> Choice:
    """Return nodes that greedily maximise influence coverage and feature diversity (Grain, Zhang et al. 2021)."""
    generator = task.generator("suggest coverage")
    pool = _candidates(task, max(CANDIDATES, 2 * count), generator)
    references = torch.randperm(task.num_nodes, generator=generator)[:REFERENCES]
    points = task.plain_embedding
    chosen, gains = greedy_coverage(
        influence(task.adjacency, pool),
        influence(task.adjacency, task.labelled),
        Points(points[references], points[pool], points[task.labelled]),
        count,
    )
    return Choice(pool[chosen], gains, ["" for _ in range(count)])


def prediction_entropy(probs: Float[Tensor, "n c"]) -> Float[Tensor, "n"]:
    """Return the entropy of every prediction as a part of the largest possible one.

    Example:
        >>> prediction_entropy(torch.tensor([[0.5, 0.5], [1.0, 0.0]]))
        tensor([1., 0.])
    """
    total: Tensor = torch.special.entr(probs).sum(dim=1)
    return total / math.log(max(probs.size(1), 2))


def _highest(task: Task, scores: Tensor, count: int, phrase: Callable[[float], str]) -> Choice:
    """Return the allowed nodes of highest score; ties are broken at random, so that no part of the list is favoured."""
    shuffled = torch.randperm(task.num_nodes, generator=task.generator("suggest ties"))
    shuffled = shuffled[task.allowed[shuffled]]
    order = scores[shuffled].argsort(descending=True, stable=True)[:count]
    highest = scores[shuffled[order]].float()
    return Choice(shuffled[order], highest, [phrase(score) for score in highest.tolist()])


def _density(task: Task, points: Tensor, clusters: int) -> Float[Tensor, "n"]:
    """Return 1 / (1 + distance to the nearest centre)."""
    centres = fit_centres(points, clusters, task.generator("suggest density"))
    return 1 / (1 + nearest(points, centres)[0].sqrt())


def _num_clusters(task: Task, count: int) -> int:
    """Return a number of clusters: that of the labels after this batch, as the number of classes may be unknown."""
    return min(max(count + len(task.labelled), 2), task.num_nodes, SAMPLED_POINTS // 32)


def _candidates(task: Task, most: int, generator: torch.Generator) -> Int[Tensor, "k"]:
    """Return the allowed nodes; of a larger graph the most central ones and as many others at random."""
    allowed = task.allowed.nonzero().flatten()
    if len(allowed) <= most:
        return allowed
    central = allowed[pagerank_of(task.adjacency)[allowed].argsort(descending=True, stable=True)[: most // 2]]
    others = allowed[~torch.isin(allowed, central)]
    sampled = others[torch.randperm(len(others), generator=generator)[: most - len(central)]]
    return torch.cat([central, sampled]).sort().values


STRATEGIES: dict[str, Strategy] = {
    "auto": auto,
    "random": random,
    "degree": degree,
    "pagerank": pagerank,
    "entropy": entropy,
    "density": density,
    "medoids": medoids,
    "age": age,
    "coverage": coverage,
}
"""The strategies by name."""
