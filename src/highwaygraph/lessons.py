"""What a network that trains in its own way is told, so that it needs no loop of its own."""

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor

from highwaygraph.sparse import Sparse


class Lesson(NamedTuple):
    """One round's labels, and the ways to look at any nodes of its graph."""

    train: Int[Tensor, "m"]
    """The labelled nodes."""
    labels: Int[Tensor, "m"]
    """Their classes."""
    others: Int[Tensor, "u"]
    """All other nodes."""
    rows: Callable[[Int[Tensor, "t"]], Tensor | Sparse]
    """The features of some nodes."""
    ask: Callable[[Int[Tensor, "t"], int], Float[Tensor, "p t c"]]
    """The logits of some nodes in so many passes of the model as it is now, dropout included while it trains."""


@runtime_checkable
class TrainsItself(Protocol):
    """A module with a training step of its own for some epochs."""

    def own_loss(self, lesson: Lesson, epoch: int) -> Float[Tensor, ""] | None:
        """Return the loss to descend in this epoch, or None for the ordinary one (Eq. 6)."""
