"""The losses of several labels per node, with gradients in closed form as those of one class."""

from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from highwaygraph.training.consistency import TINY, ConsistencyLoss
from highwaygraph.training.labelled_loss import PartLoss
from highwaygraph.training.pairs import PairTargets, weigh_pairs


def label_part(
    logits: Float[Tensor, "m l"], labels: Int[Tensor, "m l"], weights: Float[Tensor, "m l"] | None
) -> PartLoss:
    """Return the binary cross-entropy, summed over the labels and averaged over the nodes, with its gradient.

    As for one class, the gradient is (probability - label) / m, here with sigmoid in place of softmax.

    Args:
        logits: The logits of the training nodes.
        labels: 1 for each label of a node, 0 for the others.
        weights: Weight per node and label.

    Returns:
        The loss and its gradient with respect to the logits.

    Example:
        >>> loss = label_part(torch.zeros(1, 2), torch.tensor([[1, 0]]), None)
        >>> round(loss.value, 4), loss.gradient.tolist()
        (1.3863, [[-0.5, 0.5]])
    """
    logits, true = logits.detach(), labels.to(logits)
    scale = 1 / len(labels) if weights is None else weights / len(labels)
    value = (F.binary_cross_entropy_with_logits(logits, true, reduction="none") * scale).sum().item()
    return PartLoss(value, logits.sigmoid().sub_(true).mul_(scale))


def label_weights(labels: Int[Tensor, "m l"]) -> Float[Tensor, "m l"]:
    """Return a weight per node and label that gives the nodes with and without each label the same total weight.

    Args:
        labels: The labels of the training nodes.

    Returns:
        Weights with a mean of 1 per label; 1 for a label that all nodes or none of them have.

    Example:
        >>> label_weights(torch.tensor([[1], [0], [0], [0]])).T.tolist()
        [[2.0, 0.6666666865348816, 0.6666666865348816, 0.6666666865348816]]
    """
    count, positives = len(labels), labels.sum(dim=0)
    negatives = count - positives
    weights = torch.where(labels > 0, count / (2 * positives.clamp(min=1)), count / (2 * negatives.clamp(min=1)))
    return weights.where((positives > 0) & (negatives > 0), 1.0)


def shared_label_targets(
    labels: Int[Tensor, "m l"], pairs: Int[Tensor, "2 k"], positive_weight: float | Literal["balanced"] = "balanced"
) -> PairTargets:
    """Return the targets r_ij = [i and j have a label in common] and weights of the pair loss (Eq. 5).

    Args:
        labels: The labels of the labelled nodes.
        pairs: Positions (i, j).
        positive_weight: Weight of pairs that share a label; "balanced" is other pairs / such pairs.

    Returns:
        The targets, as an m x m matrix where the pairs fill a good part of it, else as a list.

    Example:
        >>> shared_label_targets(torch.tensor([[1, 1], [0, 1], [0, 0]]), torch.tensor([[0], [1]])).sign
        tensor([1.])
    """
    rows = labels.float()
    shared = (labels[pairs[0]] * labels[pairs[1]]).sum(dim=1) > 0
    return weigh_pairs(pairs, shared, lambda: rows @ rows.T > 0, rows, positive_weight)


def label_consistency_loss(logits: Float[Tensor, "v u l"], temperature: float) -> ConsistencyLoss:
    """Return the mean over the passes v of sum_l KL(q_l || p_vl), with targets q = sharpen(mean_v p_v, temperature).

    Every label has a Bernoulli distribution, sharpened away from the label's frequency f, its mean probability over
    the passes and nodes: logit(q) = logit(f) + (logit(p) - logit(f)) / T. Sharpened away from 1/2, rare labels would
    vanish. The targets carry no gradient, so that the gradient is (p_v - q) / (v u).

    Args:
        logits: The logits of the same unlabelled nodes in every augmented pass; p_v = sigmoid(logits_v).
        temperature: The temperature of the targets; lower is sharper.

    Returns:
        The loss, averaged over the nodes, and its gradient.

    Example:
        >>> certain = torch.tensor([[20.0, -20.0]])
        >>> round(label_consistency_loss(torch.stack([certain, -certain]), 0.5).value, 1)
        18.6
    """
    logits = logits.detach()
    p = logits.sigmoid()
    # In double precision, probabilities close to 1 keep their distance to 1.
    mean = p.double().mean(dim=0)
    probability, frequency = (one.clamp(TINY, 1 - TINY).logit() for one in (mean, mean.mean(dim=0)))
    q = (frequency + (probability - frequency) / temperature).sigmoid().to(p)
    count = max(p[..., 0].numel(), 1)
    cross = F.binary_cross_entropy_with_logits(logits, q.expand_as(logits), reduction="sum")
    entropy = torch.special.entr(q).sum() + torch.special.entr(1 - q).sum()
    return ConsistencyLoss(((cross - len(p) * entropy) / count).item(), p.sub_(q).div_(count))
