"""Implicit modelling: predicting whether two labelled nodes share a class from the logits alone (Eq. 4-6, 9, 11)."""

import math
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn import functional as F

from highwaygraph.config import Strategy

BY_DISTANCE = ("close", "middle", "remote")


# A pair at the far end of the preference is still drawn now and then, so that no relation is never seen.
LEAST = 0.05


# From this share of all m x m pairs on, the whole table costs less than gathering pair by pair.
DENSE_FROM = 0.25


LOG_TINY = math.log(torch.finfo(torch.float32).tiny)


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


class PairTargets(NamedTuple):
    """How much each pair counts, and whether its ends share a class (+1) or not (-1); as a list or a table."""

    pairs: Int[Tensor, "2 k"]
    weight: Float[Tensor, "..."]
    sign: Float[Tensor, "..."]
    signed: Float[Tensor, "..."]
    known: Float[Tensor, "m k"]
    """The classes themselves, 1 in the column of each node's."""

    def to(self, device: torch.device) -> "PairTargets":
        """Return the targets on the device."""
        return PairTargets(*(part.to(device) for part in self))


class JointLoss(NamedTuple):
    """The loss of Eq. 6, the pair loss within it, and its gradient with respect to the logits."""

    value: float
    pair: float
    gradient: Float[Tensor, "m c"]


def pair_targets(
    labels: Int[Tensor, "m"], pairs: Int[Tensor, "2 k"], positive_weight: float | Literal["balanced"] = "balanced"
) -> PairTargets:
    """Return what the loss needs to know of the pairs, as a table over all m x m where they fill a good part of it."""
    same = labels[pairs[0]] == labels[pairs[1]]
    positive = _balance(same) if isinstance(positive_weight, str) else positive_weight
    weight = torch.where(same, positive, 1.0) / max(len(same), 1)
    known = F.one_hot(labels).float()
    if len(same) < DENSE_FROM * len(labels) ** 2:
        sign = torch.where(same, 1.0, -1.0)
        return PairTargets(pairs, weight, sign, weight * sign, known)
    table = torch.zeros(len(labels), len(labels)).index_put_((pairs[0], pairs[1]), weight, accumulate=True)
    # (i, j) says the same as (j, i); half each makes the table symmetric, and its gradient one product.
    table = (table + table.T) / 2
    sign = torch.where(labels[:, None] == labels[None, :], 1.0, -1.0)
    return PairTargets(pairs[:, :0], table, sign, table * sign, known)


def pair_loss(logits: Float[Tensor, "m c"], targets: PairTargets) -> Float[Tensor, ""]:
    """Return the weighted mean binary cross-entropy over the pairs (Eq. 11)."""
    if targets.weight.dim() == 2:
        gold = logits[: len(targets.weight)]
        scores = gold @ gold.T
    else:
        scores = pair_logits(logits, targets.pairs)
    # -log sigmoid(s) where the class is shared and -log(1 - sigmoid(s)) = -log sigmoid(-s) where it is not.
    return -(targets.weight * F.logsigmoid(scores * targets.sign)).sum()


def joint_loss(
    logits: Float[Tensor, "m c"], labels: Int[Tensor, "m"], targets: PairTargets, weight: float
) -> JointLoss:
    """Return node loss + weight x pair loss (Eq. 6) with its gradient."""
    if targets.weight.dim() == 2:
        return _table_loss(logits.detach(), labels, targets, weight)
    leaf = logits.detach().requires_grad_()
    pair = pair_loss(leaf, targets)
    loss = F.cross_entropy(leaf, labels) + weight * pair
    (gradient,) = torch.autograd.grad(loss, leaf)
    return JointLoss(loss.item(), pair.item(), gradient)


def _table_loss(logits: Tensor, labels: Tensor, targets: PairTargets, weight: float) -> JointLoss:
    """Return the joint loss in closed form: on so few numbers, autograd's bookkeeping costs more."""
    count, pairs = len(labels), len(targets.weight)
    # Where labels were lent, the pairs are those of the gold ones, which come first.
    gold = logits if pairs == count else logits[:pairs]
    right = (gold @ gold.T).mul_(targets.sign).sigmoid_()
    slope = torch.addcmul(targets.signed, targets.signed, right, value=-1)
    # Over the table itself: a fresh one would have to come through the cache.
    logs = right.log_()
    pair = -torch.dot(targets.weight.view(-1), logs.view(-1)).item()
    if not math.isfinite(pair):
        # Below the smallest float the log is cut off; the gradient, 1 - right, is not.
        pair = -torch.dot(targets.weight.view(-1), logs.clamp_(min=LOG_TINY).view(-1)).item()
    # A table of ones costs less than looking up and scattering by label.
    known = targets.known if pairs == count else F.one_hot(labels).float()
    log_p = logits.log_softmax(dim=1)
    said = log_p if known.size(1) == log_p.size(1) else log_p[:, : known.size(1)]
    node = -torch.dot(known.view(-1), said.reshape(-1)).item() / count
    surplus = log_p.exp_()
    said.sub_(known)
    if pairs == count:
        return JointLoss(
            node + weight * pair, pair, torch.addmm(surplus, slope, gold, beta=1 / count, alpha=-2 * weight)
        )
    surplus.div_(count)[:pairs].addmm_(slope, gold, alpha=-2 * weight)
    return JointLoss(node + weight * pair, pair, surplus)


def _balance(same: Tensor) -> float:
    """Return negatives / positives, or 1 where one of them is missing."""
    positives = int(same.sum())
    negatives = len(same) - positives
    return negatives / positives if positives and negatives else 1.0


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
