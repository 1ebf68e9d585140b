"""Functions of probabilities that several modules share."""

from jaxtyping import Float
from torch import Tensor


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
