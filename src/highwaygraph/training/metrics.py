"""Metrics of predictions: accuracy, F1, accuracy by distance, calibration, edge precision."""

import math
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from highwaygraph.graph.bfs import UNREACHABLE
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import hops_to_own_class
from highwaygraph.runtime.environment import require_extra

# That of t-SNE, unless there are fewer nodes than thrice as many.
PERPLEXITY = 30.0


class HopAccuracy(NamedTuple):
    """Accuracy of the nodes at one distance from the nearest label of their class."""

    hops: str
    nodes: int
    accuracy: float


class CalibrationBin(NamedTuple):
    """The mean confidence and the accuracy of nodes of similar confidence."""

    confidence: float
    accuracy: float
    nodes: int


def accuracy(classes: Int[Tensor, "n"], labels: Int[Tensor, "n"], mask: Bool[Tensor, "n"]) -> float:
    """Return the accuracy on the masked nodes.

    Args:
        classes: The predicted classes.
        labels: The true classes.
        mask: The nodes to evaluate.

    Returns:
        The fraction of correct predictions, NaN where the mask is empty.

    Example:
        >>> accuracy(torch.tensor([0, 1]), torch.tensor([0, 0]), torch.tensor([True, True]))
        0.5
    """
    return _mean(classes[mask] == labels[mask])


def macro_f1(classes: Int[Tensor, "n"], labels: Int[Tensor, "n"], mask: Bool[Tensor, "n"]) -> float:
    """Return the macro F1 on the masked nodes.

    Args:
        classes: The predicted classes.
        labels: The true classes.
        mask: The nodes to evaluate.

    Returns:
        The mean F1 score of the classes that occur, NaN where the mask is empty.

    Example:
        >>> macro_f1(torch.tensor([0, 1]), torch.tensor([0, 1]), torch.tensor([True, True]))
        1.0
    """
    predicted, true = classes[mask], labels[mask]
    scores = [
        2 * float(((predicted == c) & (true == c)).sum()) / float((predicted == c).sum() + (true == c).sum())
        for c in torch.cat([predicted, true]).unique()
    ]
    return sum(scores) / len(scores) if scores else math.nan


def accuracy_by_hop(
    correct: Bool[Tensor, "n"], hops: Int[Tensor, "n"], mask: Bool[Tensor, "n"], max_hops: int = 5
) -> list[HopAccuracy]:
    """Return the accuracy by distance to the nearest label.

    Args:
        correct: Whether each prediction is correct.
        hops: The distance of each node; UNREACHABLE without a path.
        mask: The nodes to evaluate.
        max_hops: Distances from this one on are one bucket.

    Returns:
        A row per distance, the last one for nodes without a path.
    """
    names = [*map(str, range(1, max_hops)), f"{max_hops}+", "unreachable"]
    buckets = [(name, in_hops(hops, name)) for name in names]
    return [HopAccuracy(name, int((at & mask).sum()), _mean(correct[at & mask])) for name, at in buckets]


def in_hops(hops: Int[Tensor, "n"], name: str) -> Bool[Tensor, "n"]:
    """Return which nodes belong to a row of `accuracy_by_hop`.

    Args:
        hops: The distance of each node; UNREACHABLE without a path.
        name: The row's `hops`: a distance, a distance followed by "+", or "unreachable".

    Returns:
        A mask of the nodes.

    Example:
        >>> in_hops(torch.tensor([1, 5, 9, UNREACHABLE]), "5+").tolist()
        [False, True, True, False]
    """
    if name == "unreachable":
        return hops == UNREACHABLE
    return hops >= int(name[:-1]) if name.endswith("+") else hops == int(name)


def edge_precision(edges: Int[Tensor, "2 k"], labels: Int[Tensor, "n"], held_out: Bool[Tensor, "n"]) -> float:
    """Return the precision of added edges on held-out nodes.

    Args:
        edges: The added edges, from anchor to node.
        labels: The true classes, -1 where unknown.
        held_out: Nodes whose label was not used for training.

    Returns:
        The fraction of the edges to held-out nodes whose ends share a true class, NaN without such edges.
    """
    evaluated = edges[:, held_out[edges[1]] & (labels[edges] >= 0).all(dim=0)]
    return _mean(labels[evaluated[0]] == labels[evaluated[1]])


def separation(values: Float[Tensor, "n d"], labels: Int[Tensor, "n"]) -> float:
    """Return the fraction of the labelled nodes' variance between classes: 1 where each class is one point."""
    values, labels = values[labels >= 0].double(), labels[labels >= 0]
    total = (values - values.mean(dim=0)).square().sum()
    within = sum((values[labels == c] - values[labels == c].mean(dim=0)).square().sum() for c in labels.unique())
    return float(1 - within / total) if total > 0 else math.nan


def calibration(confidence: Float[Tensor, "k"], correct: Bool[Tensor, "k"], bins: int = 10) -> list[CalibrationBin]:
    """Return the reliability diagram: nodes in equal ranges of confidence, without empty ranges."""
    index = (confidence * bins).long().clamp(max=bins - 1)
    groups = [index == b for b in range(bins)]
    return [CalibrationBin(_mean(confidence[g]), _mean(correct[g]), int(g.sum())) for g in groups if g.any()]


def calibration_error(bins: list[CalibrationBin]) -> float:
    """Return the expected calibration error: the mean gap between confidence and accuracy over the nodes."""
    nodes = sum(b.nodes for b in bins)
    return sum(abs(b.confidence - b.accuracy) * b.nodes for b in bins) / nodes if nodes else math.nan


def _mean(values: Tensor) -> float:
    return float(values.double().mean()) if len(values) else math.nan


def embed(logits: Tensor, iterations: int = 1_000) -> list[list[float]]:
    """Return two-dimensional positions of the nodes (t-SNE, Figure 4).

    Args:
        logits: A row per node.
        iterations: Steps of gradient descent, at least 250; classes are apart after 300, the rest spreads them.
    """
    manifold = require_extra("sklearn.manifold", "t-SNE", "report")
    # The perplexity, about a number of neighbours, has to be below the number of nodes.
    perplexity = min(PERPLEXITY, max(1.0, (len(logits) - 1) / 3))
    tsne = manifold.TSNE(init="pca", random_state=0, max_iter=iterations, perplexity=perplexity)
    return [[round(float(x), 2), round(float(y), 2)] for x, y in tsne.fit_transform(logits.numpy())]


def accuracy_by_distance(data: Graph, logits: Tensor, hops: Tensor | None = None) -> list[HopAccuracy]:
    """Return the test accuracy by hops on the original graph, computed unless given, and that of all test nodes."""
    hops = hops_to_own_class(data) if hops is None else hops
    correct = logits.argmax(dim=1) == data.y
    overall = HopAccuracy("all", int(data.test_mask.sum()), accuracy(logits.argmax(dim=1), data.y, data.test_mask))
    return [*accuracy_by_hop(correct, hops, data.test_mask), overall]
