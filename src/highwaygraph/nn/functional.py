"""Small functions on features and probabilities that several networks and losses share."""

from collections.abc import Mapping

import torch
from jaxtyping import Float
from torch import Tensor

from highwaygraph.nn.spmm import Sparse, product


def linear(x: Tensor | Sparse, weight: Float[Tensor, "o i"]) -> Float[Tensor, "n o"]:
    """Return x @ weight.T for dense or sparse x."""
    return product(x, weight.T) if isinstance(x, Sparse) else x @ weight.T


def scale_rows(x: Float[Tensor, "n o"], factors: Float[Tensor, "n"] | None) -> Float[Tensor, "n o"]:
    """Return x with every row multiplied by its factor, or x itself without factors."""
    return x if factors is None else x * factors[:, None]


def add_bias_(x: Float[Tensor, "n o"], bias: Float[Tensor, "o"] | None) -> Float[Tensor, "n o"]:
    """Return x, which is overwritten, with the bias added if there is one."""
    # In place: on a large graph, allocating another matrix costs as much as the sum.
    return x if bias is None else x.add_(bias)


def shift_logits(logits: Float[Tensor, "n c"], shift: float) -> Float[Tensor, "n c"]:
    """Return the logits of two classes with the shift added to those of the second, or the logits themselves for 0.

    Args:
        logits: The logits, with two columns unless the shift is 0.
        shift: The shift; above 0 more nodes are predicted to be of the second class.

    Returns:
        Logits of the same shape.

    Example:
        >>> import torch
        >>> shift_logits(torch.tensor([[1.0, 0.0]]), 1.5)
        tensor([[1.0000, 1.5000]])
    """
    return logits + logits.new_tensor([0.0, shift]) if shift else logits


def weighted_sum(logits: Mapping[str, Float[Tensor, "n c"]], weights: Mapping[str, float]) -> Float[Tensor, "n c"]:
    """Return the sum of several classifiers' logits times their weights.

    Args:
        logits: The logits by name of the classifier.
        weights: A weight by name; those of 0 need no logits.

    Returns:
        Logits of the same shape.

    Example:
        >>> import torch
        >>> weighted_sum({"a": torch.tensor([[1.0, 0.0]])}, {"a": 0.5, "b": 0.0})
        tensor([[0.5000, 0.0000]])
    """
    return torch.stack([weight * logits[name] for name, weight in weights.items() if weight]).sum(dim=0)


def sharpen(probs: Float[Tensor, "u c"], temperature: float) -> Float[Tensor, "u c"]:
    """Return every distribution raised to 1 / temperature and normalised: p_c^(1/T) / sum_k p_k^(1/T).

    Args:
        probs: Class probabilities, one row per node.
        temperature: T; below 1 the largest probability grows, 1 changes nothing.

    Returns:
        Probabilities of the same shape.

    Example:
        >>> import torch
        >>> sharpen(torch.tensor([[0.8, 0.2]]), temperature=0.5)
        tensor([[0.9412, 0.0588]])
    """
    return (probs.log() / temperature).softmax(dim=1)
