"""The strength of the pair loss beside the node loss, whatever the number of classes and the size of the logits.

The gradient of Eq. 11 is a sum of logits, that of the node loss is not: the larger the logits, the more the pair loss
outweighs the node loss, without a bound.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from highwaygraph.training.pairs import PairTargets, pair_loss


def pair_scale(
    logits: Float[Tensor, "m c"],
    labels: Int[Tensor, "m"],
    targets: PairTargets,
    weights: Float[Tensor, "m"] | None = None,
) -> float:
    """Return the factor, at most 1, with which the pair loss pulls the logits no harder than the node loss.

    Args:
        logits: The logits of the training nodes; those with a label of their own come first.
        labels: The classes of the training nodes.
        targets: The targets of the pair loss.
        weights: Weight per node in the node loss.

    Returns:
        The norm of the node loss's gradient with respect to the logits, divided by that of the pair loss's, at most 1.

    Example:
        >>> from highwaygraph.training.pairs import pair_targets
        >>> labels, logits = torch.tensor([0, 1]), torch.tensor([[1.0, 2.0], [2.0, 1.0]])
        >>> targets = pair_targets(labels, torch.tensor([[0], [1]]))
        >>> round(pair_scale(logits, labels, targets), 2), pair_scale(0.1 * logits, labels, targets)
        (0.24, 1.0)
    """
    logits = logits.detach()
    node, pair = _node_gradient(logits, labels, weights).norm(), _pair_gradient(logits, targets).norm()
    return 1.0 if pair <= node else (node / pair).item()


def _node_gradient(logits: Tensor, labels: Tensor, weights: Tensor | None) -> Tensor:
    """Return (softmax - one-hot) / m, with a weight per row where given."""
    gradient = (logits.softmax(dim=1) - F.one_hot(labels, logits.size(1))).div_(len(labels))
    return gradient if weights is None else gradient.mul_(weights[:, None])


def _pair_gradient(logits: Tensor, targets: PairTargets) -> Tensor:
    if targets.weight.dim() == 2:
        labelled = logits[: len(targets.weight)]
        # The derivative of -log sigmoid(s) is sigmoid(s) - 1; the relation is symmetric, so each row counts twice.
        wrong = (labelled @ labelled.T).mul_(targets.sign).neg_().sigmoid_()
        return -2 * (wrong.mul_(targets.signed) @ labelled)
    with torch.enable_grad():
        leaf = logits.clone().requires_grad_()
        (gradient,) = torch.autograd.grad(pair_loss(leaf, targets), leaf)
    return gradient
