"""What a network that trains in its own way is told, so that it needs no loop of its own."""

import inspect
from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor, nn

from highwaygraph.errors import ModelError
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.spmm import Sparse


class TrainingBatch(NamedTuple):
    """The labels of one round, and access to any nodes of its graph, for a module's own training loss."""

    train: Int[Tensor, "m"]
    """The labelled nodes."""
    labels: Int[Tensor, "m"]
    """Their classes."""
    unlabelled: Int[Tensor, "u"]
    """All other nodes."""
    features: Callable[[Int[Tensor, "t"]], Tensor | Sparse]
    """Return the features of some nodes."""
    logits: Callable[[Int[Tensor, "t"], int], Float[Tensor, "p t c"]]
    """Return the logits of some nodes in several passes of the current model, with dropout while it trains."""


@runtime_checkable
class HasTrainingLoss(Protocol):
    """A module with a training loss of its own in some epochs."""

    def training_loss(self, batch: TrainingBatch, epoch: int) -> Float[Tensor, ""] | None:
        """Return the loss to minimise in this epoch, or None for the default loss (Eq. 6)."""


def num_classes(data: Graph) -> int:
    """Return how many classes the data names, or its labels reach."""
    return int(data.y.max()) + 1 if data.classes is None else len(data.classes)


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
