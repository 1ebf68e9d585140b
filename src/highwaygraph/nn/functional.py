"""Consistency between noisy passes, and the class shares that keep it from drifting."""

from jaxtyping import Float
from torch import Tensor


def sharpen(chances: Float[Tensor, "u c"], temperature: float) -> Float[Tensor, "u c"]:
    """Return the distributions with every chance raised to 1 / temperature, summing to 1 again."""
    return (chances.log() / temperature).softmax(dim=1)
