"""Consistency between noisy passes, and the class shares that keep it from drifting."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from highwaygraph.nn.functional import sharpen

STEPS = 3


def consistency_loss(
    logits: Sequence[Float[Tensor, "u c"]], temperature: float, shares: Float[Tensor, "c"] | None
) -> Float[Tensor, ""]:
    """Return how far the passes are from what they say together, sharpened and with the given class shares."""
    log_p = [one.log_softmax(dim=1) for one in logits]
    with torch.no_grad():
        together = torch.stack(log_p).exp().mean(dim=0)
        target = sharpen(together if shares is None else align_prior(together, shares), temperature)
    return torch.stack([F.kl_div(one, target, reduction="batchmean") for one in log_p]).mean()


def align_prior(chances: Float[Tensor, "u c"], shares: Float[Tensor, "c"]) -> Float[Tensor, "u c"]:
    """Return the distributions moved so that classes are about as frequent as the shares say."""
    moved = chances * (shares / chances.mean(dim=0).clamp(min=1e-12))
    return moved / moved.sum(dim=1, keepdim=True)


def estimate_prior(
    chances: Float[Tensor, "n c"], judged: Float[Tensor, "v c"], labels: Int[Tensor, "v"]
) -> Float[Tensor, "c"]:
    """Return how frequent the classes are among all nodes, from predictions whose confusion is known on some.

    A few steps of expectation maximisation from the predicted shares: run to the end, it is ill-conditioned.
    """
    said = chances.mean(dim=0)
    confusion = torch.eye(len(said))
    for label in labels.unique():
        confusion[:, label] = judged[labels == label].mean(dim=0)
    shares = said
    for _ in range(STEPS):
        shares = shares * (confusion.T @ (said / (confusion @ shares).clamp(min=1e-12)))
        shares = shares / shares.sum()
    return shares


def class_weights(shares: Float[Tensor, "c"], labels: Int[Tensor, "v"]) -> Float[Tensor, "v"]:
    """Return a weight per node with which these nodes' classes count as the shares say, 1 on average."""
    present = torch.bincount(labels, minlength=len(shares)).to(shares) / len(labels)
    weight = (shares / present.clamp(min=1e-12))[labels]
    return weight / weight.mean()
