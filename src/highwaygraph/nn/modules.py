"""What a network that trains in its own way is told, so that it needs no loop of its own."""

import inspect
from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch_geometric.data import Data

from highwaygraph.errors import ModelError
from highwaygraph.nn.spmm import Sparse


class TrainingBatch(NamedTuple):
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
class HasTrainingLoss(Protocol):
    """A module with a training step of its own for some epochs."""

    def own_loss(self, lesson: TrainingBatch, epoch: int) -> Float[Tensor, ""] | None:
        """Return the loss to descend in this epoch, or None for the ordinary one (Eq. 6)."""


def num_classes(data: Data) -> int:
    """Return how many classes the data names, or its labels reach."""
    names = getattr(data, "classes", None)
    return int(data.y.max()) + 1 if names is None else len(names)


def takes_edge_weight(model: nn.Module) -> bool:
    """Tell whether the module's forward has an argument edge_weight, and does not ignore it as some of PyG's do."""
    uses = getattr(model, "supports_edge_weight", True) is not False
    return uses and "edge_weight" in inspect.signature(model.forward).parameters


def refuse_cached(model: nn.Module) -> None:
    """Refuse layers that keep the first graph they saw: they would silently ignore every highway."""
    for name, module in model.named_modules():
        if getattr(module, "cached", False) is True:
            place = f"{type(module).__name__} at {name!r}" if name else type(module).__name__
            raise ModelError(
                f"{place} was built with cached=True and would ignore added edges: build it with cached=False."
            )


def reset_parameters(model: nn.Module) -> None:
    """Draw the weights anew through the outermost reset_parameters methods."""
    reset = getattr(model, "reset_parameters", None)
    if callable(reset):
        reset()
        return
    for child in model.children():
        reset_parameters(child)
    # torch's attention layers call it so, and leave their children to themselves.
    private = getattr(model, "_reset_parameters", None)
    if callable(private):
        private()
