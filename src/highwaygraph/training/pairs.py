"""Implicit modelling: predicting whether two labelled nodes share a class from the logits alone (Eq. 4-6, 9, 11)."""

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn import functional as F

from highwaygraph.config import Strategy

BY_DISTANCE = ("close", "middle", "remote")

# Least sampling weight: every pair can be sampled, also at the least preferred distance.
LEAST_WEIGHT = 0.05

# From this fraction of all m x m pairs on, a dense matrix is faster than gathering pair by pair.
DENSE_FROM = 0.25

LOG_TINY = math.log(torch.finfo(torch.float32).tiny)


def sample_pairs(
    count: int, strategy: Strategy, limit: int, generator: Generator, distance: Int[Tensor, "m m"] | None = None
) -> Int[Tensor, "2 k"]:
    """Return the pairs (i, j), i != j, of labelled nodes that enter the pair loss (Eq. 4, Table 4).

    Args:
        count: The number m of labelled nodes.
        strategy: All pairs, the first ones in order, or a sample: uniform, or with a preference for a distance.
        limit: Number of pairs to sample; 0 means m (m - 1).
        generator: The source of randomness.
        distance: Hops between the labelled nodes, for the strategies close, middle and remote; -1 without a path.

    Returns:
        Positions among the labelled nodes.

    Example:
        >>> sample_pairs(3, "all", 0, torch.Generator()).tolist()
        [[0, 0, 1], [1, 2, 2]]
    """
    total = count * (count - 1)
    if strategy == "all" or not total:
        # The relation is symmetric: each pair once gives the same mean as both orders.
        return torch.triu_indices(count, count, offset=1)
    size = limit or total
    if strategy == "lead":
        return _ordered(torch.arange(size) % total, count)
    if strategy == "random":
        return _ordered(torch.randint(total, (size,), generator=generator), count)
    if distance is None:
        raise ValueError(f"strategy {strategy!r} needs the distances between the labelled nodes")
    off_diagonal = distance[~torch.eye(count, dtype=torch.bool)]
    return _ordered(_sample(_preference(off_diagonal, strategy), size, generator), count)


def pair_logits(logits: Float[Tensor, "m c"], pairs: Int[Tensor, "2 k"]) -> Float[Tensor, "k"]:
    """Return y_i . y_j for each pair; its sigmoid is the probability of sharing a class (Eq. 9).

    Args:
        logits: The logits y of the labelled nodes.
        pairs: Positions (i, j).

    Returns:
        A logit per pair.

    Example:
        >>> pair_logits(torch.tensor([[1.0, 2.0], [3.0, -1.0]]), torch.tensor([[0], [1]]))
        tensor([1.])
    """
    return (logits[pairs[0]] * logits[pairs[1]]).sum(dim=1)


class PairTargets(NamedTuple):
    """The weight of each pair, and whether its ends share a class (+1) or not (-1); as a list or an m x m matrix."""

    pairs: Int[Tensor, "2 k"]
    weight: Float[Tensor, "..."]
    sign: Float[Tensor, "..."]
    signed: Float[Tensor, "..."]
    """weight * sign."""
    one_hot: Float[Tensor, "m k"]
    """The classes of the labelled nodes, one-hot."""

    def to(self, device: torch.device) -> "PairTargets":
        """Return the targets on the device."""
        return PairTargets(*(part.to(device) for part in self))


class JointLoss(NamedTuple):
    """The loss of Eq. 6, the pair loss within it, and its gradient with respect to the logits."""

    value: float
    pair: float
    gradient: Float[Tensor, "... m c"]


def pair_targets(
    labels: Int[Tensor, "m"], pairs: Int[Tensor, "2 k"], positive_weight: float | Literal["balanced"] = "balanced"
) -> PairTargets:
    """Return the targets r_ij = [label_i = label_j] and weights of the pair loss (Eq. 5).

    Args:
        labels: The classes of the labelled nodes.
        pairs: Positions (i, j).
        positive_weight: Weight of same-class pairs; "balanced" is different-class pairs / same-class pairs.

    Returns:
        The targets, as an m x m matrix where the pairs fill a good part of it, else as a list.

    Example:
        >>> pair_targets(torch.tensor([0, 0, 1]), torch.tensor([[0, 0], [1, 2]])).sign
        tensor([ 1., -1.])
    """
    same = labels[pairs[0]] == labels[pairs[1]]
    return weigh_pairs(pairs, same, lambda: labels[:, None] == labels, F.one_hot(labels).float(), positive_weight)


def weigh_pairs(
    pairs: Tensor, same: Tensor, all_same: Callable[[], Tensor], rows: Tensor, positive_weight: float | str
) -> PairTargets:
    """Return pair targets from the relation of every pair, of all m x m nodes, and the labels as rows of 0 and 1."""
    positive = _balance(same) if isinstance(positive_weight, str) else positive_weight
    weight = torch.where(same, positive, 1.0) / max(len(same), 1)
    if len(same) < DENSE_FROM * len(rows) ** 2:
        sign = torch.where(same, 1.0, -1.0)
        return PairTargets(pairs, weight, sign, weight * sign, rows)
    matrix = torch.zeros(len(rows), len(rows)).index_put_((pairs[0], pairs[1]), weight, accumulate=True)
    # The relation is symmetric; half the weight on (i, j) and (j, i) each makes the gradient a single product.
    matrix = (matrix + matrix.T) / 2
    sign = torch.where(all_same(), 1.0, -1.0)
    return PairTargets(pairs[:, :0], matrix, sign, matrix * sign, rows)


def pair_loss(logits: Float[Tensor, "m c"], targets: PairTargets) -> Float[Tensor, ""]:
    """Return the weighted mean binary cross-entropy over the pairs (Eq. 11).

    L_p = -mean_ij [w r_ij log sigmoid(y_i . y_j) + (1 - r_ij) log(1 - sigmoid(y_i . y_j))].

    Args:
        logits: The logits y; those of the labelled nodes come first.
        targets: The targets r and weights of the pairs.

    Returns:
        The loss.

    Example:
        >>> targets = pair_targets(torch.tensor([0, 1]), torch.tensor([[0], [1]]))
        >>> pair_loss(torch.zeros(2, 2), targets)
        tensor(0.6931)
    """
    if targets.weight.dim() == 2:
        labelled = logits[: len(targets.weight)]
        scores = labelled @ labelled.T
    else:
        scores = pair_logits(logits, targets.pairs)
    # -log sigmoid(s) where the class is shared and -log(1 - sigmoid(s)) = -log sigmoid(-s) where it is not.
    return -(targets.weight * F.logsigmoid(scores * targets.sign)).sum()


def joint_loss(
    logits: Float[Tensor, "m c"], labels: Int[Tensor, "m"], targets: PairTargets, weight: float
) -> JointLoss:
    """Return L = L_n + weight * L_p (Eq. 6) with its gradient with respect to the logits.

    Args:
        logits: The logits of the training nodes; those with a label of their own come first.
        labels: The classes of the training nodes.
        targets: The targets of the pair loss.
        weight: The weight lambda of the pair loss.

    Returns:
        The loss, the pair loss and the gradient.

    Example:
        >>> labels = torch.tensor([0, 1])
        >>> joint = joint_loss(torch.zeros(2, 2), labels, pair_targets(labels, torch.tensor([[0], [1]])), weight=1.0)
        >>> round(joint.value, 4), round(joint.pair, 4)
        (1.3863, 0.6931)
    """
    if targets.weight.dim() == 2:
        return _matrix_loss(logits.detach(), labels, targets, weight)
    leaf = logits.detach().requires_grad_()
    pair = pair_loss(leaf, targets)
    loss = F.cross_entropy(leaf, labels) + weight * pair
    (gradient,) = torch.autograd.grad(loss, leaf)
    return JointLoss(loss.item(), pair.item(), gradient)


def _matrix_loss(logits: Tensor, labels: Tensor, targets: PairTargets, weight: float) -> JointLoss:
    """Return the joint loss in closed form: on so few numbers, the overhead of autograd costs more."""
    count, pairs = len(labels), len(targets.weight)
    # With pseudo-labels, the pairs are those of the nodes with a label of their own, which come first.
    labelled = logits if pairs == count else logits[:pairs]
    correct = (labelled @ labelled.T).mul_(targets.sign).sigmoid_()
    slope = torch.addcmul(targets.signed, targets.signed, correct, value=-1)
    # In place: a new matrix would not be in the processor's cache.
    logs = correct.log_()
    pair = -torch.dot(targets.weight.view(-1), logs.view(-1)).item()
    if not math.isfinite(pair):
        # The log of a probability below the smallest float is clamped; the gradient, 1 - probability, is not.
        pair = -torch.dot(targets.weight.view(-1), logs.clamp_(min=LOG_TINY).view(-1)).item()
    # A product with one-hot rows costs less than a gather and a scatter by label.
    one_hot = targets.one_hot if pairs == count else F.one_hot(labels).float()
    log_p = logits.log_softmax(dim=1)
    columns = log_p if one_hot.size(1) == log_p.size(1) else log_p[:, : one_hot.size(1)]
    node = -torch.dot(one_hot.view(-1), columns.reshape(-1)).item() / count
    # The gradient of the node loss is (softmax - one-hot) / m; `columns` is a view of it.
    gradient = log_p.exp_()
    columns.sub_(one_hot)
    value = node + weight * pair
    if pairs == count:
        return JointLoss(value, pair, torch.addmm(gradient, slope, labelled, beta=1 / count, alpha=-2 * weight))
    gradient.div_(count)[:pairs].addmm_(slope, labelled, alpha=-2 * weight)
    return JointLoss(value, pair, gradient)


def _balance(same: Tensor) -> float:
    """Return negatives / positives, or 1 where one of them is missing."""
    positives = int(same.sum())
    negatives = len(same) - positives
    return negatives / positives if positives and negatives else 1.0


def _ordered(rank: Tensor, count: int) -> Tensor:
    """Turn ranks in the row-major list of ordered pairs without the diagonal into (i, j)."""
    i, j = rank // (count - 1), rank % (count - 1)
    return torch.stack([i, j + (j >= i)])


def _preference(distance: Tensor, strategy: Strategy) -> Tensor:
    """Return sampling weights from the distance's quantile; pairs without a path count as the most remote."""
    far = torch.where(distance < 0, distance.max() + 1, distance)
    _, place, counts = far.unique(return_inverse=True, return_counts=True)
    # Mid-rank: hop counts have few values, so pairs of one distance share the middle of their quantile range.
    quantile = ((counts.cumsum(0) - counts / 2) / counts.sum())[place]
    middle = 1 - (2 * quantile - 1).abs()
    weight: Tensor = {"close": 1 - quantile, "remote": quantile}.get(strategy, middle)
    return weight.double() + LEAST_WEIGHT


def _sample(weight: Tensor, size: int, generator: Generator) -> Tensor:
    """Sample ranks with replacement by inverting the cumulative weight; torch.multinomial limits their number."""
    cumulative = weight.cumsum(0)
    points = torch.rand(size, generator=generator, dtype=torch.double) * cumulative[-1]
    return torch.searchsorted(cumulative, points).clamp(max=len(weight) - 1)
