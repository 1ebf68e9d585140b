"""Node loss plus pair loss with their gradients in closed form, the pair loss at a limited strength.

The gradient of Eq. 11 is a sum of logits, that of the node loss is not: the larger the logits, the more the pair loss
outweighs the node loss, without a bound.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from highwaygraph.config import Pairs
from highwaygraph.training.pairs import JointLoss, PairTargets, pair_loss


class PartLoss(NamedTuple):
    """A part of the loss, and its gradient with respect to the logits."""

    value: float
    gradient: Float[Tensor, "m c"]


NodePart = Callable[[Tensor, Tensor, Tensor | None], PartLoss]
"""The node loss, from logits, labels and weights."""


def node_part(logits: Float[Tensor, "m c"], labels: Int[Tensor, "m"], weights: Float[Tensor, "m"] | None) -> PartLoss:
    """Return the mean cross-entropy (Eq. 10); its gradient is (softmax - one-hot) / m, with a weight per row."""
    log_p = logits.detach().log_softmax(dim=1)
    one_hot = F.one_hot(labels, logits.size(1)).to(log_p)
    rows = one_hot / len(labels) if weights is None else one_hot * (weights / len(labels))[:, None]
    value = -torch.dot(rows.view(-1), log_p.view(-1)).item()
    gradient = log_p.exp_().sub_(one_hot).div_(len(labels))
    return PartLoss(value, gradient if weights is None else gradient.mul_(weights[:, None]))


def labelled_loss(
    logits: Float[Tensor, "m c"],
    labels: Int[Tensor, "m *l"],
    weights: Float[Tensor, "m *l"] | None,
    targets: PairTargets | None,
    options: Pairs,
    *,
    node_loss: NodePart = node_part,
) -> JointLoss:
    """Return L = L_n + weight * L_p (Eq. 6) with its gradient with respect to the logits.

    Args:
        logits: The logits of the training nodes; those with a label of their own come first.
        labels: The classes of the training nodes, or their labels.
        weights: Weights in the node loss.
        targets: The targets of the pair loss; None without it.
        options: Weight and scale of the pair loss.
        node_loss: The node loss: cross-entropy unless given.

    Returns:
        The loss, the pair loss before its weight, and the gradient.

    Example:
        >>> loss = labelled_loss(torch.zeros(2, 2), torch.tensor([0, 1]), None, None, Pairs())
        >>> round(loss.value, 4), loss.gradient.tolist()
        (0.6931, [[-0.25, 0.25], [0.25, -0.25]])
    """
    node = node_loss(logits, labels, weights)
    if targets is None:
        return JointLoss(node.value, 0.0, node.gradient)
    pair = pair_part(logits, targets)
    weight = options.weight * (pair_scale(node.gradient, pair.gradient) if options.scale == "node" else 1.0)
    return JointLoss(node.value + weight * pair.value, pair.value, node.gradient.add_(pair.gradient, alpha=weight))


def pair_scale(node: Float[Tensor, "m c"], pair: Float[Tensor, "m c"]) -> float:
    """Return the factor, at most 1, with which the pair loss pulls the logits no harder than the node loss.

    Args:
        node: The gradient of the node loss with respect to the logits.
        pair: The gradient of the pair loss.

    Returns:
        The ratio of their norms, at most 1.

    Example:
        >>> pair_scale(torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 10.0]]))
        0.5
    """
    small, large = node.norm().item(), pair.norm().item()
    return 1.0 if large <= small else small / large


def pair_part(logits: Float[Tensor, "m c"], targets: PairTargets) -> PartLoss:
    """Return the pair loss (Eq. 11) with its gradient."""
    logits = logits.detach()
    if targets.weight.dim() == 2:
        labelled = logits[: len(targets.weight)]
        log_correct = F.logsigmoid((labelled @ labelled.T).mul_(targets.sign))
        value = -torch.dot(targets.weight.view(-1), log_correct.view(-1)).item()
        # The derivative of -log sigmoid(s) is sigmoid(s) - 1; the relation is symmetric, so each row counts twice.
        slope = log_correct.expm1_().mul_(targets.signed)
        gradient = torch.zeros_like(logits)
        gradient[: len(targets.weight)] = (slope @ labelled).mul_(2)
        return PartLoss(value, gradient)
    with torch.enable_grad():
        leaf = logits.clone().requires_grad_()
        loss = pair_loss(leaf, targets)
        (gradient,) = torch.autograd.grad(loss, leaf)
    return PartLoss(loss.item(), gradient)
