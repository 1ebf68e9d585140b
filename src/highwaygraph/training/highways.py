"""Explicit modelling: edges between labelled anchors and the nodes predicted to share their class (Eq. 12-16)."""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor


class Proposal(NamedTuple):
    """Edges from anchors to nodes, with what the two predictions said of each."""

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
    """Return per class the labelled nodes whose rows of Mask are 1 (Eq. 15)."""
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
    """Return every node's class and confidence; what is known counts with its gold label and confidence 1."""
    confidence, classes = logits.softmax(dim=1).max(dim=1)
    return torch.where(labelled, labels, classes), torch.where(labelled, 1.0, confidence)


def calibrate(confidence: Float[Tensor, "v"], correct: Bool[Tensor, "v"], precision: float) -> float:
    """Return the smallest threshold above which the given nodes reach the precision, 1 if none does."""
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
    """Return the anchors' rows of R: node decision (Eq. 12) and, if joint, pair decision (Eq. 13-15).

    With `among`, only the columns of these nodes.
    """
    edges, scores = [torch.empty(2, 0, dtype=torch.long)], [logits.new_empty(0)]
    confident = confidence > node_threshold
    # One anchor at a time: n scores in memory instead of anchors x n.
    for anchor in anchors[confident[anchors]]:
        nodes = among.start + (confident[among] & (classes[among] == classes[anchor])).nonzero().flatten()
        nodes = nodes[nodes != anchor]
        score = (logits[nodes] @ logits[anchor]).sigmoid()
        if joint:
            nodes, score = nodes[score >= pair_threshold], score[score >= pair_threshold]
        edges.append(torch.stack([anchor.expand_as(nodes), nodes]))
        scores.append(score)
    found = torch.cat(edges, dim=1)
    return Proposal(found, confidence[found[1]], torch.cat(scores))


def draw_partners(
    classes: Int[Tensor, "n"], confident: Bool[Tensor, "n"], partners: int, generator: Generator
) -> Int[Tensor, "2 k"]:
    """Return edges from each confident node to that many others of its class, drawn with replacement."""
    nodes = confident.nonzero().flatten()
    # Sorted by class, a class's nodes are one stretch, and a partner is a place within it.
    nodes = nodes[classes[nodes].argsort(stable=True)]
    _, sizes = classes[nodes].unique_consecutive(return_counts=True)
    size, first = (x.repeat_interleave(sizes) for x in (sizes, sizes.cumsum(0) - sizes))
    chance = torch.rand(partners, len(nodes), generator=generator, dtype=torch.double)
    other = nodes[(first + (chance * size).long()).flatten()] if len(nodes) else nodes
    edges = torch.stack([other, nodes.repeat(partners)])
    return edges[:, edges[0] != edges[1]]


def pair_scores(logits: Float[Tensor, "n c"], edges: Int[Tensor, "2 k"]) -> Float[Tensor, "k"]:
    """Return the probability that the ends of each edge share a class (Eq. 9)."""
    return (logits[edges[0]] * logits[edges[1]]).sum(dim=1).sigmoid()


def correct(edges: Int[Tensor, "2 k"], anchors: Int[Tensor, "a"], labels: Int[Tensor, "n"]) -> Int[Tensor, "2 k"]:
    """Return the edges from an anchor of each node's true class instead: a ceiling that no prediction can pass."""
    first = labels.new_full((int(labels.max()) + 1,), -1)
    first[labels[anchors].flip(0)] = anchors.flip(0)
    right = torch.where(labels[edges[1]] >= 0, first[labels[edges[1]]], -1)
    # Whose class has no anchor, or is not known, keeps what was proposed.
    return torch.stack([torch.where(right >= 0, right, edges[0]), edges[1]])
