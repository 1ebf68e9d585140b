"""Consistency regularisation between augmented passes, and the class prior that its targets are aligned with."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from highwaygraph.nn.functional import sharpen

# Steps of expectation maximisation: run to convergence, the estimate is ill-conditioned.
STEPS = 3


def consistency_loss(
    logits: Sequence[Float[Tensor, "u c"]], temperature: float, prior: Float[Tensor, "c"] | None
) -> Float[Tensor, ""]:
    """Return the mean over the passes v of KL(q || p_v), with targets q = sharpen(align(mean_v p_v), temperature).

    Args:
        logits: The logits of the same unlabelled nodes in every augmented pass; p_v = softmax(logits_v).
        temperature: The temperature of the targets; lower is sharper.
        prior: The class prior that the targets are aligned with; None leaves them as they are.

    Returns:
        The loss, averaged over the nodes; the targets carry no gradient.

    Example:
        >>> certain = torch.tensor([[20.0, 0.0], [0.0, 20.0]])
        >>> float(consistency_loss([certain, certain.flip(0)], 0.5, None)) > 9
        True
    """
    log_p = [one.log_softmax(dim=1) for one in logits]
    with torch.no_grad():
        mean = torch.stack(log_p).exp().mean(dim=0)
        target = sharpen(mean if prior is None else align_prior(mean, prior), temperature)
    return torch.stack([F.kl_div(one, target, reduction="batchmean") for one in log_p]).mean()


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
    weighted = probs * (prior / probs.mean(dim=0).clamp(min=1e-12))
    return weighted / weighted.sum(dim=1, keepdim=True)


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
        prior = prior * (confusion.T @ (predicted / (confusion @ prior).clamp(min=1e-12)))
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
    weight = (prior / frequency.clamp(min=1e-12))[labels]
    return weight / weight.mean()
