"""Explicit modelling: edges between labelled anchors and the nodes predicted to share their class (Eq. 12-15)."""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor


class Proposal(NamedTuple):
    """Edges from anchors to nodes, with the confidence of the node and the pair score of each."""

    edges: Int[Tensor, "2 k"]
    confidence: Float[Tensor, "k"]
    pair_score: Float[Tensor, "k"]


def choose_anchors(
    labels: Int[Tensor, "n"],
    labelled: Bool[Tensor, "n"],
    per_class: int,
    generator: Generator,
    *,
    rule: Literal["random", "degree"] = "random",
    degree: Int[Tensor, "n"] | None = None,
) -> Int[Tensor, "a"]:
    """Choose the anchors of every class, the labelled nodes with Mask = 1 (Eq. 15).

    Args:
        labels: The class of every node.
        labelled: Which nodes are labelled for training.
        per_class: Anchors per class; a class with fewer labelled nodes has fewer.
        generator: The source of randomness.
        rule: Choose at random, or the nodes of highest degree.
        degree: The degree of every node, for rule="degree".

    Returns:
        The anchors, class by class.

    Example:
        >>> y, labelled = torch.tensor([0, 0, 1, 1]), torch.tensor([True, False, True, False])
        >>> choose_anchors(y, labelled, 1, torch.Generator().manual_seed(0))
        tensor([0, 2])
    """
    chosen = []
    for label in labels[labelled].unique():
        nodes = ((labels == label) & labelled).nonzero().flatten()
        nodes = nodes[torch.randperm(len(nodes), generator=generator)]
        if rule == "degree" and degree is not None:
            nodes = nodes[degree[nodes].argsort(descending=True, stable=True)]
        chosen.append(nodes[:per_class])
    return torch.cat(chosen) if chosen else torch.empty(0, dtype=torch.long)


def decide(
    logits: Float[Tensor, "n c"], labels: Int[Tensor, "n"], labelled: Bool[Tensor, "n"]
) -> tuple[Int[Tensor, "n"], Float[Tensor, "n"]]:
    """Return every node's class and confidence: its label and 1 where it is labelled, else the prediction (Eq. 8).

    Args:
        logits: The logits of all nodes.
        labels: The class of every node.
        labelled: Which nodes are labelled for training.

    Returns:
        The classes argmax_c p_ic, and the confidences max_c p_ic, where p_i = softmax(logits_i).

    Example:
        >>> classes, confidence = decide(torch.zeros(2, 2), torch.tensor([1, -1]), torch.tensor([True, False]))
        >>> classes, confidence
        (tensor([1, 0]), tensor([1.0000, 0.5000]))
    """
    confidence, classes = logits.softmax(dim=1).max(dim=1)
    return torch.where(labelled, labels, classes), torch.where(labelled, 1.0, confidence)


def calibrate(confidence: Float[Tensor, "v"], correct: Bool[Tensor, "v"], precision: float) -> float:
    """Return the smallest threshold t such that the nodes with confidence > t reach the precision.

    Args:
        confidence: The confidence of validation nodes.
        correct: Whether their predictions are correct.
        precision: The precision to reach.

    Returns:
        The threshold, 1 if no threshold reaches the precision.

    Example:
        >>> calibrate(torch.tensor([0.75, 0.5, 0.25]), torch.tensor([True, False, False]), precision=1.0)
        0.5
    """
    order = confidence.argsort(descending=True)
    ranked, hits = confidence[order], correct[order].double().cumsum(0)
    reached = hits / torch.arange(1, len(order) + 1) >= precision
    # Nodes of equal confidence pass or fail together, so only the last of each group is a possible cut.
    last = torch.ones(len(order), dtype=torch.bool)
    last[:-1] = ranked[:-1] > ranked[1:]
    cuts = (reached & last).nonzero().flatten()
    if not len(cuts):
        return 1.0
    below = int(cuts[-1]) + 1
    return float(ranked[below]) if below < len(ranked) else 0.0


def propose(
    logits: Float[Tensor, "n c"],
    classes: Int[Tensor, "n"],
    confidence: Float[Tensor, "n"],
    anchors: Int[Tensor, "a"],
    *,
    node_threshold: float,
    pair_threshold: float,
    joint: bool,
    among: slice = slice(0, None),
) -> Proposal:
    """Return the edges from anchor to node, anchor by anchor: the rows of R' that belong to anchors (Eq. 15).

    The node decision is R_n[i, j] = [c_i = c_j, p_i > t_n, p_j > t_n] (Eq. 12), the pair decision is
    R_p[i, j] = [sigmoid(y_i . y_j) >= t_p] (Eq. 13), the joint decision is R = R_n and R_p (Eq. 14).

    Args:
        logits: The logits y of all nodes; `classes` their classes c, `confidence` their confidence p.
        anchors: The nodes that highways start from.
        node_threshold: t_n; `pair_threshold` is t_p.
        joint: Use R; else R_n alone.
        among: Propose edges to these nodes only.

    Example:
        >>> y, options = torch.tensor([[4.0, 0.0], [3.0, 0.0]]), {"node_threshold": 0.5, "pair_threshold": 0.9}
        >>> propose(y, torch.tensor([0, 0]), torch.ones(2), torch.tensor([0]), joint=True, **options).edges.tolist()
        [[0], [1]]
    """
    edges, scores = [torch.empty(2, 0, dtype=torch.long)], [logits.new_empty(0)]
    confident = confidence > node_threshold
    # One anchor at a time: n scores in memory instead of anchors x n.
    for anchor in anchors[confident[anchors]]:
        nodes, score = _same_class(logits, classes, confident, anchor, among)
        if joint:
            nodes, score = nodes[score >= pair_threshold], score[score >= pair_threshold]
        edges.append(torch.stack([anchor.expand_as(nodes), nodes]))
        scores.append(score)
    found = torch.cat(edges, dim=1)
    return Proposal(found, confidence[found[1]], torch.cat(scores))


def _same_class(
    logits: Tensor, classes: Tensor, confident: Tensor, anchor: Tensor, among: slice
) -> tuple[Tensor, Tensor]:
    """Return the other confident nodes of the anchor's class (Eq. 12), and their pair probability (Eq. 9)."""
    nodes = among.start + (confident[among] & (classes[among] == classes[anchor])).nonzero().flatten()
    nodes = nodes[nodes != anchor]
    return nodes, (logits[nodes] @ logits[anchor]).sigmoid()


def sample_partners(
    classes: Int[Tensor, "n"], confident: Bool[Tensor, "n"], partners: int, generator: Generator
) -> Int[Tensor, "2 k"]:
    """Sample partners of every confident node among the confident nodes of its class, with replacement.

    Args:
        classes: The class of every node.
        confident: Which nodes are confident enough.
        partners: Partners per node.
        generator: The source of randomness.

    Returns:
        The edges from partner to node, without self-loops.

    Example:
        >>> classes, confident = torch.tensor([0, 0, 1]), torch.tensor([True, True, True])
        >>> edges = sample_partners(classes, confident, 8, torch.Generator().manual_seed(0))
        >>> edges.unique(dim=1).tolist()
        [[0, 1], [1, 0]]
    """
    nodes = confident.nonzero().flatten()
    # Sorted by class, the nodes of a class are contiguous, and a partner is an offset among them.
    nodes = nodes[classes[nodes].argsort(stable=True)]
    _, sizes = classes[nodes].unique_consecutive(return_counts=True)
    size, first = (x.repeat_interleave(sizes) for x in (sizes, sizes.cumsum(0) - sizes))
    uniform = torch.rand(partners, len(nodes), generator=generator, dtype=torch.double)
    other = nodes[(first + (uniform * size).long()).flatten()] if len(nodes) else nodes
    edges = torch.stack([other, nodes.repeat(partners)])
    return edges[:, edges[0] != edges[1]]


def pair_scores(logits: Float[Tensor, "n c"], edges: Int[Tensor, "2 k"]) -> Float[Tensor, "k"]:
    """Return the probability sigmoid(y_i . y_j) that the ends of each edge share a class (Eq. 9).

    Args:
        logits: The logits y of all nodes.
        edges: Pairs of nodes.

    Returns:
        A probability per edge.

    Example:
        >>> pair_scores(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[0], [1]]))
        tensor([0.5000])
    """
    return (logits[edges[0]] * logits[edges[1]]).sum(dim=1).sigmoid()


def true_class_edges(
    edges: Int[Tensor, "2 k"], anchors: Int[Tensor, "a"], labels: Int[Tensor, "n"]
) -> Int[Tensor, "2 k"]:
    """Return the edges with every source replaced by an anchor of the target's true class: an upper bound.

    Args:
        edges: Edges from anchor to node.
        anchors: All anchors.
        labels: The true class of every node, -1 where it is unknown.

    Returns:
        As many edges; a target of unknown class, or whose class has no anchor, keeps its source.

    Example:
        >>> true_class_edges(torch.tensor([[0], [2]]), torch.tensor([0, 1]), torch.tensor([0, 1, 1])).tolist()
        [[1], [2]]
    """
    first = labels.new_full((int(labels.max()) + 1,), -1)
    first[labels[anchors].flip(0)] = anchors.flip(0)
    anchor = torch.where(labels[edges[1]] >= 0, first[labels[edges[1]]], -1)
    return torch.stack([torch.where(anchor >= 0, anchor, edges[0]), edges[1]])
