"""Consistency regularisation between augmented passes, and the class prior that its targets are aligned with."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

# Steps of expectation maximisation: run to convergence, the estimate is ill-conditioned.
STEPS = 3


# The least probability that is divided by, or whose logarithm is taken.
TINY = 1e-12


class ConsistencyLoss(NamedTuple):
    """The consistency loss, and its gradient with respect to the logits."""

    value: float
    gradient: Float[Tensor, "v u c"]


def consistency_loss(
    logits: Float[Tensor, "v u c"],
    temperature: float,
    prior: Float[Tensor, "c"] | None,
    votes: Float[Tensor, "u c"] | None = None,
) -> ConsistencyLoss:
    """Return the mean over the passes v of KL(q || p_v), with targets q = sharpen(align(mean_v p_v), temperature).

    The targets carry no gradient, so that the gradient is (p_v - q) / (v u).

    Args:
        logits: The logits of the same unlabelled nodes in every augmented pass; p_v = softmax(logits_v).
        temperature: The temperature of the targets; lower is sharper.
        prior: The class prior that the targets are aligned with; None leaves them as they are.
        votes: Logits that are added to those of the targets before they are sharpened.

    Returns:
        The loss, averaged over the nodes, and its gradient.

    Example:
        >>> certain = torch.tensor([[20.0, 0.0], [0.0, 20.0]])
        >>> consistency_loss(torch.stack([certain, certain.flip(0)]), 0.5, None).value > 9
        True
    """
    # Classes first: sums over a few classes are then sums of long contiguous rows.
    log_p = log_softmax(logits.detach().permute(2, 0, 1).contiguous())
    p = log_p.exp()
    mean = p.mean(dim=1)
    log_mean = (mean if prior is None else _align(mean, prior)).clamp_(min=TINY).log_()
    log_q = log_softmax((log_mean if votes is None else log_mean.add_(votes.T)).div_(temperature))
    q = log_q.exp()
    count = max(log_p[0].numel(), 1)
    value = (torch.dot(q.view(-1), log_q.view(-1)) * log_p.size(1) - torch.einsum("cvu,cu->", log_p, q)) / count
    gradient = p.sub_(q[:, None]).div_(count).permute(1, 2, 0)
    return ConsistencyLoss(value.item(), gradient)


def log_softmax(columns: Float[Tensor, "c ..."]) -> Float[Tensor, "c ..."]:
    """Return the logarithm of the softmax over the first dimension."""
    shifted = columns - columns.amax(dim=0)
    return shifted.sub_(shifted.exp().sum(dim=0).log_())


def align_prior(probs: Float[Tensor, "u c"], prior: Float[Tensor, "c"]) -> Float[Tensor, "u c"]:
    """Return the distributions reweighted towards a class prior: p_c * prior_c / mean(p)_c, normalised.

    Args:
        probs: Class probabilities, one row per node.
        prior: The class prior.

    Returns:
        Probabilities of the same shape, whose mean is closer to the prior.

    Example:
        >>> align_prior(torch.tensor([[0.5, 0.5]]), torch.tensor([0.9, 0.1]))
        tensor([[0.9000, 0.1000]])
    """
    return _align(probs.T, prior).T


def _align(columns: Tensor, prior: Tensor) -> Tensor:
    """Return the same for probabilities with a column per node."""
    weighted = columns * (prior / columns.mean(dim=1).clamp(min=TINY))[:, None]
    return weighted.div_(weighted.sum(dim=0))


def estimate_prior(
    probs: Float[Tensor, "n c"], val_probs: Float[Tensor, "v c"], val_labels: Int[Tensor, "v"]
) -> Float[Tensor, "c"]:
    """Estimate the class prior of all nodes from predictions, corrected by their confusion on validation nodes.

    With C[:, k] the mean prediction on validation nodes of class k and p the mean prediction on all nodes, a few steps
    prior <- prior * C^T (p / (C prior)), normalised, of expectation maximisation start from prior = p.

    Args:
        probs: Class probabilities of all nodes.
        val_probs: Class probabilities of the validation nodes.
        val_labels: Classes of the validation nodes; a class without any counts as never confused.

    Returns:
        The class prior, which sums to 1.

    Example:
        >>> probs = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
        >>> estimate_prior(probs, probs[1:3], torch.tensor([0, 1]))
        tensor([0.5000, 0.5000])
    """
    predicted = probs.mean(dim=0)
    confusion = torch.eye(len(predicted))
    for label in val_labels.unique():
        confusion[:, label] = val_probs[val_labels == label].mean(dim=0)
    prior = predicted
    for _ in range(STEPS):
        prior = prior * (confusion.T @ (predicted / (confusion @ prior).clamp(min=TINY)))
        prior = prior / prior.sum()
    return prior


def class_weights(prior: Float[Tensor, "c"], labels: Int[Tensor, "v"]) -> Float[Tensor, "v"]:
    """Return a weight per node, prior_c / frequency_c for its class c, normalised to a mean of 1.

    Args:
        prior: The class prior that the weighted nodes shall have.
        labels: The class of every node.

    Returns:
        A weight per node.

    Example:
        >>> class_weights(torch.tensor([0.5, 0.5]), torch.tensor([0, 0, 0, 1]))
        tensor([0.6667, 0.6667, 0.6667, 2.0000])
    """
    frequency = torch.bincount(labels, minlength=len(prior)).to(prior) / len(labels)
    weight = (prior / frequency.clamp(min=TINY))[labels]
    return weight / weight.mean()
