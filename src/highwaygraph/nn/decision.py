"""From logits to predictions and probabilities: one class per node, or several labels by a threshold each."""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def decide_labels(logits: Float[Tensor, "n c"], thresholds: tuple[float, ...] = ()) -> Int[Tensor, "n *l"]:
    """Return the predictions.

    Args:
        logits: A row per node.
        thresholds: The least probability of each label; none where a node has one class.

    Returns:
        The class of the largest logit; or 1 for each label whose probability reaches its threshold, 0 for the others.

    Example:
        >>> logits = torch.tensor([[1.0, 0.5], [-1.0, 0.5]])
        >>> decide_labels(logits).tolist(), decide_labels(logits, (0.5, 0.5)).tolist()
        ([0, 1], [[1, 1], [0, 1]])
    """
    if not thresholds:
        return logits.argmax(dim=1)
    return (logits.double().sigmoid() >= torch.tensor(thresholds, dtype=torch.double)).long()


def probabilities(logits: Float[Tensor, "n c"], *, several: bool = False) -> Float[Tensor, "n c"]:
    """Return the probability of every class, or with several labels per node that of every label.

    Args:
        logits: A row per node.
        several: Whether a node may have several labels.

    Returns:
        Softmax or sigmoid of the logits.

    Example:
        >>> probabilities(torch.zeros(1, 4)).tolist(), probabilities(torch.zeros(1, 2), several=True).tolist()
        ([[0.25, 0.25, 0.25, 0.25]], [[0.5, 0.5]])
    """
    return logits.sigmoid() if several else logits.softmax(dim=1)
