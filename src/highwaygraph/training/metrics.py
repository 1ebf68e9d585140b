"""Numbers that say how good a prediction is, and where."""

import math
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from highwaygraph.graph.bfs import UNREACHABLE
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import hops_to_own_class
from highwaygraph.runtime.environment import require_extra


class HopAccuracy(NamedTuple):
    """Accuracy of the nodes at one distance from the nearest label of their class."""

    hops: str
    nodes: int
    accuracy: float


class CalibrationBin(NamedTuple):
    """Nodes of similar confidence: how sure the model was and how often it was right."""

    confidence: float
    accuracy: float
    nodes: int


def accuracy(classes: Int[Tensor, "n"], labels: Int[Tensor, "n"], mask: Bool[Tensor, "n"]) -> float:
    """Return the share of masked nodes classified right, NaN where the mask is empty."""
    return _mean(classes[mask] == labels[mask])


def macro_f1(classes: Int[Tensor, "n"], labels: Int[Tensor, "n"], mask: Bool[Tensor, "n"]) -> float:
    """Return the mean over the classes present of their F1 score, NaN where the mask is empty."""
    said, true = classes[mask], labels[mask]
    scores = [
        2 * float(((said == c) & (true == c)).sum()) / float((said == c).sum() + (true == c).sum())
        for c in torch.cat([said, true]).unique()
    ]
    return sum(scores) / len(scores) if scores else math.nan


def accuracy_by_hop(
    right: Bool[Tensor, "n"], hops: Int[Tensor, "n"], mask: Bool[Tensor, "n"], most: int = 5
) -> list[HopAccuracy]:
    """Return accuracy per hop distance; `most` and beyond share a bucket, nodes without a path have their own."""
    buckets = [(str(h), hops == h) for h in range(1, most)]
    buckets += [(f"{most}+", hops >= most), ("unreachable", hops == UNREACHABLE)]
    return [HopAccuracy(name, int((at & mask).sum()), _mean(right[at & mask])) for name, at in buckets]


def edge_precision(edges: Int[Tensor, "2 k"], labels: Int[Tensor, "n"], held_out: Bool[Tensor, "n"]) -> float:
    """Return the share of edges to held-out nodes that join one true class, NaN where there is none."""
    judged = edges[:, held_out[edges[1]] & (labels[edges] >= 0).all(dim=0)]
    return _mean(labels[judged[0]] == labels[judged[1]])


def separation(values: Float[Tensor, "n d"], labels: Int[Tensor, "n"]) -> float:
    """Return the share of the labelled nodes' variance that lies between classes: 1 where each class is one point."""
    values, labels = values[labels >= 0].double(), labels[labels >= 0]
    total = (values - values.mean(dim=0)).square().sum()
    within = sum((values[labels == c] - values[labels == c].mean(dim=0)).square().sum() for c in labels.unique())
    return float(1 - within / total) if total > 0 else math.nan


def calibration(confidence: Float[Tensor, "k"], right: Bool[Tensor, "k"], bins: int = 10) -> list[CalibrationBin]:
    """Return the reliability diagram: nodes in equal ranges of confidence, empty ranges left out."""
    place = (confidence * bins).long().clamp(max=bins - 1)
    groups = [place == b for b in range(bins)]
    return [CalibrationBin(_mean(confidence[g]), _mean(right[g]), int(g.sum())) for g in groups if g.any()]


def calibration_error(bins: list[CalibrationBin]) -> float:
    """Return the expected calibration error: the mean gap between confidence and accuracy over the nodes."""
    nodes = sum(b.nodes for b in bins)
    return sum(abs(b.confidence - b.accuracy) * b.nodes for b in bins) / nodes if nodes else math.nan


def _mean(values: Tensor) -> float:
    return float(values.double().mean()) if len(values) else math.nan


def embed(logits: Tensor) -> list[list[float]]:
    """Return the nodes' places in two dimensions (t-SNE, Figure 4)."""
    maker = require_extra("sklearn.manifold", "t-SNE", "report").TSNE
    places = maker(init="pca", random_state=0).fit_transform(logits.numpy())
    return [[round(float(x), 2), round(float(y), 2)] for x, y in places]


def accuracy_by_distance(data: Graph, logits: Tensor) -> list[HopAccuracy]:
    """Return the test accuracy by hops on the original graph, and that of all test nodes."""
    hops = hops_to_own_class(data)
    right = logits.argmax(dim=1) == data.y
    everything = HopAccuracy("all", int(data.test_mask.sum()), accuracy(logits.argmax(dim=1), data.y, data.test_mask))
    return [*accuracy_by_hop(right, hops, data.test_mask), everything]
