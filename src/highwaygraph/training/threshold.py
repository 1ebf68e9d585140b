"""The decision threshold of two classes, tuned on validation and applied as a shift of the second class's logits."""

import math
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from highwaygraph.config import Config
from highwaygraph.graph.graph import Graph
from highwaygraph.training.consistency import class_weights

Score = Literal["f1", "balanced_accuracy"]


# Standard errors of the mean prediction beyond which the validation nodes are no random sample of all nodes.
NOT_RANDOM = 2.0


# Standard errors within which thresholds count as equally good; of these the one closest to 0.5 is used.
TOLERANCE = 0.5


# Least estimated frequency of a class.
LEAST_FREQUENCY = 0.01


def tuned_shift(logits: Float[Tensor, "n c"], data: Graph, config: Config) -> float:
    """Return the shift that fit.threshold requires, 0 for argmax.

    Args:
        logits: The logits of all nodes.
        data: The graph with its split.
        config: All options.

    Returns:
        The number to add to the logits of the second class.
    """
    if config.fit.threshold == "argmax":
        return 0.0
    return threshold_shift(logits, data.y, data.val_mask, config.fit.threshold)


def threshold_shift(
    logits: Float[Tensor, "n 2"], labels: Int[Tensor, "n"], val: Bool[Tensor, "n"], score: Score
) -> float:
    """Return the shift of the second class's logits with the best score on validation.

    A shift s moves the threshold on the probability of the second class from 1/2 to 1 / (1 + exp(s)), so that arg max,
    softmax and confidence agree. Shifts lie halfway between neighbouring validation nodes. Those within half a
    standard error of the best score count as equally good, and the smallest of them is used.

    F1 depends on how frequent the classes are. Validation nodes that were drawn per class are therefore weighted by
    the estimated class frequencies of all nodes; those that look like a random sample of them are not.

    Args:
        logits: The logits of all nodes.
        labels: The true classes, of which only those of validation nodes are read.
        val: The validation nodes.
        score: Macro F1 or balanced accuracy.

    Returns:
        The shift; 0 where the validation nodes are of one class, or where no shift is better than 0.

    Example:
        >>> logits = torch.tensor([[0.0, -3.0], [0.0, -2.0], [0.0, -1.0], [0.0, -0.5]])
        >>> threshold_shift(logits, torch.tensor([0, 0, 1, 1]), torch.ones(4, dtype=torch.bool), "f1")
        1.5
    """
    margin, true = logits[val, 1].double() - logits[val, 0].double(), labels[val]
    if len(true.unique()) < 2:
        return 0.0
    weight = _weights(logits, val, true) if score == "f1" else torch.ones(len(true))
    ordered = margin.unique()
    # 0 is first: of equally good shifts of the same size, it is used.
    thresholds = torch.cat([torch.zeros(1).double(), (ordered[1:] + ordered[:-1]) / 2])
    values = _values(thresholds, margin, true, weight.double(), score)
    best = float(values.max())
    smaller_class = int(torch.bincount(true, minlength=2).min())
    tolerance = TOLERANCE * math.sqrt(best * (1 - best) / (2 * smaller_class))
    good = thresholds[values >= best - tolerance]
    return 0.0 - float(good[good.abs().argmin()])


def _weights(logits: Float[Tensor, "n 2"], val: Bool[Tensor, "n"], true: Int[Tensor, "v"]) -> Float[Tensor, "v"]:
    """Return a weight per validation node that gives the classes their frequency among all nodes."""
    probs = logits.double().softmax(dim=1)[:, 1]
    error = float(probs.std(unbiased=False)) / math.sqrt(len(true))
    if abs(float(probs[val].mean() - probs.mean())) <= NOT_RANDOM * error:
        return torch.ones(len(true))
    second = _frequency(probs, probs[val], true)
    return class_weights(torch.tensor([1 - second, second]), true)


def _frequency(probs: Float[Tensor, "n"], val_probs: Float[Tensor, "v"], true: Int[Tensor, "v"]) -> float:
    """Return the frequency of the second class among all nodes: (p - c_0) / (c_1 - c_0), limited to 1 to 99 %.

    p is the mean probability of all nodes, c_k that of the validation nodes of class k (probabilistic adjusted count,
    Bella et al. 2010). The few steps of `estimate_prior` stay near p, which is far off where a class is rare.
    """
    first, second = (float(val_probs[true == c].mean()) for c in (0, 1))
    if second <= first:
        # The model does not separate the classes: there is nothing to correct.
        return float((true == 1).double().mean())
    return min(max((float(probs.mean()) - first) / (second - first), LEAST_FREQUENCY), 1 - LEAST_FREQUENCY)


def _values(thresholds: Tensor, margin: Tensor, true: Tensor, weight: Tensor, score: Score) -> Float[Tensor, "t"]:
    """Return the score of every threshold: a node above it is predicted to be of the second class."""
    missed, second = _weight_below(thresholds, margin, weight * (true == 1))
    kept, first = _weight_below(thresholds, margin, weight * (true == 0))
    found, wrong = second - missed, first - kept
    if score == "balanced_accuracy":
        return (found / second + kept / first) / 2
    return found / (2 * found + wrong + missed) + kept / (2 * kept + wrong + missed)


def _weight_below(thresholds: Tensor, margin: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """Return the total weight of the nodes at or below every threshold, and that of all nodes."""
    ordered, order = margin.sort()
    total = torch.cat([torch.zeros(1).double(), weight[order].cumsum(0)])
    return total[torch.searchsorted(ordered, thresholds, right=True)], total[-1]
