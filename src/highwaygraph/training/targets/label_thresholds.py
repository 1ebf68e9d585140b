"""The decision threshold of every label, tuned on validation."""

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from highwaygraph.training.threshold import TOLERANCE

# Validation nodes with a label, and without it, below which its threshold stays at DEFAULT.
LEAST_NODES, DEFAULT = 5, 0.5


def label_thresholds(logits: Float[Tensor, "v l"], labels: Int[Tensor, "v l"]) -> tuple[float, ...]:
    """Return the least probability of each label at which it is predicted, by its F1 on validation nodes.

    Thresholds lie halfway between neighbouring validation nodes, or at the least probability of them. Those within half
    a standard error of the best F1 count as equally good, and of these the one closest to 0.5 is used. A label keeps
    0.5 where fewer than 5 validation nodes have it, or fewer than 5 do not.

    Args:
        logits: The logits of the validation nodes.
        labels: Their labels.

    Returns:
        A probability per label.

    Example:
        >>> logits = torch.tensor([[-4.0]] * 5 + [[-2.0]] * 5)
        >>> label_thresholds(logits, (logits > -3).long())[0] < 0.12
        True
    """
    return tuple(_threshold(*column) for column in zip(logits.double().sigmoid().T, labels.T > 0, strict=True))


def _threshold(probs: Float[Tensor, "v"], positive: Bool[Tensor, "v"]) -> float:
    count = int(positive.sum())
    if min(count, len(positive) - count) < LEAST_NODES:
        return DEFAULT
    ordered = probs.unique()
    # The default is first: of equally good thresholds as close to it, it is used.
    thresholds = torch.cat([torch.tensor([DEFAULT]).double(), ordered[:1], (ordered[1:] + ordered[:-1]) / 2])
    scores = _f1(thresholds, probs, positive)
    best = float(scores.max())
    good = thresholds[scores >= best - TOLERANCE * math.sqrt(best * (1 - best) / count)]
    return float(good[(good - DEFAULT).abs().argmin()])


def _f1(thresholds: Tensor, probs: Tensor, positive: Tensor) -> Float[Tensor, "t"]:
    """Return the F1 of every threshold: a node at or above it is predicted to have the label."""
    ordered, order = probs.sort()
    below = torch.cat([torch.zeros(1).double(), positive[order].double().cumsum(0)])
    place = torch.searchsorted(ordered, thresholds)
    hits, predicted = below[-1] - below[place], len(probs) - place
    return 2 * hits / (predicted + below[-1])
