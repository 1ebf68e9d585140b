"""Implicit modelling: predicting whether two labelled nodes share a class from the logits alone (Eq. 4-6, 9, 11)."""

from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn import functional as F

from highwaygraph.config import Strategy

BY_DISTANCE = ("close", "middle", "remote")
# A pair at the far end of the preference is still drawn now and then, so that no relation is never seen.
LEAST = 0.05


def sample_pairs(
    count: int,
    strategy: Strategy,
    limit: int,
    generator: Generator,
    distance: Int[Tensor, "m m"] | None = None,
) -> Int[Tensor, "2 k"]:
    """Return positions (i, j), i != j, of the labelled-node pairs that enter the loss (Eq. 4, Table 4)."""
    total = count * (count - 1)
    if strategy == "all" or not total:
        # The relation is symmetric: each pair once gives the same mean as both orders.
        return torch.triu_indices(count, count, offset=1)
    draws = limit or total
    if strategy == "lead":
        return _ordered(torch.arange(draws) % total, count)
    if strategy == "random":
        return _ordered(torch.randint(total, (draws,), generator=generator), count)
    if distance is None:
        raise ValueError(f"strategy {strategy!r} needs the distances between the labelled nodes")
    return _ordered(_draw(_preference(_off_diagonal(distance), strategy), draws, generator), count)


def pair_logits(logits: Float[Tensor, "m c"], pairs: Int[Tensor, "2 k"]) -> Float[Tensor, "k"]:
    """Return y_i . y_j for each pair, whose sigmoid is the probability of one class (Eq. 9)."""
    return (logits[pairs[0]] * logits[pairs[1]]).sum(dim=1)


def pair_loss(
    logits: Float[Tensor, "m c"],
    labels: Int[Tensor, "m"],
    pairs: Int[Tensor, "2 k"],
    positive_weight: float | Literal["balanced"] = "balanced",
) -> Float[Tensor, ""]:
    """Return the mean binary cross-entropy over the pairs, same-class pairs weighted up (Eq. 11)."""
    if not pairs.numel():
        return logits.sum() * 0.0
    same = (labels[pairs[0]] == labels[pairs[1]]).to(logits.dtype)
    weight = _balance(same) if isinstance(positive_weight, str) else same.new_tensor(positive_weight)
    return F.binary_cross_entropy_with_logits(pair_logits(logits, pairs), same, pos_weight=weight)


def _balance(same: Tensor) -> Tensor:
    """Return negatives / positives, or 1 where one of them is missing."""
    positives = same.sum()
    negatives = len(same) - positives
    return torch.where((positives > 0) & (negatives > 0), negatives / positives.clamp(min=1), 1.0)


def _ordered(rank: Tensor, count: int) -> Tensor:
    """Turn ranks in the row-major list of ordered pairs without the diagonal into (i, j)."""
    i, j = rank // (count - 1), rank % (count - 1)
    return torch.stack([i, j + (j >= i)])


def _off_diagonal(matrix: Tensor) -> Tensor:
    return matrix[~torch.eye(len(matrix), dtype=torch.bool)]


def _preference(distance: Tensor, strategy: Strategy) -> Tensor:
    """Return sampling weights from the distance's quantile; pairs without a path count as the most remote."""
    far = torch.where(distance < 0, distance.max() + 1, distance)
    _, place, counts = far.unique(return_inverse=True, return_counts=True)
    # Mid-rank: hop counts have few values, so pairs of one distance share the middle of their quantile range.
    quantile = ((counts.cumsum(0) - counts / 2) / counts.sum())[place]
    weight: Tensor
    match strategy:
        case "close":
            weight = 1 - quantile
        case "remote":
            weight = quantile
        case _:
            weight = 1 - (2 * quantile - 1).abs()
    return weight.double() + LEAST


def _draw(weight: Tensor, draws: int, generator: Generator) -> Tensor:
    """Draw ranks with replacement by inverting the cumulative weight, which has no limit on the number of pairs."""
    cumulative = weight.cumsum(0)
    points = torch.rand(draws, generator=generator, dtype=torch.double) * cumulative[-1]
    return torch.searchsorted(cumulative, points).clamp(max=len(weight) - 1)
