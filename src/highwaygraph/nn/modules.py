"""The interface of any module: its training loss, its outputs, its classes and its initial weights."""

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor, nn

from highwaygraph.errors import ModelError, warn_renamed
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.spmm import Sparse

FORMER_NAME = "own_loss"  # glossary: name of version 0.1


# Attribute of a module that ends in log_softmax.
LOG_PROBS = "_returns_log_probs"


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

    # Names of version 0.1, accepted until version 0.3.

    @property
    def others(self) -> Int[Tensor, "u"]:  # glossary: name of version 0.1
        """Deprecated: `unlabelled`."""
        warn_renamed("TrainingBatch.others", "TrainingBatch.unlabelled")  # glossary: name of version 0.1
        return self.unlabelled

    @property
    def rows(self) -> Callable[[Int[Tensor, "t"]], Tensor | Sparse]:  # glossary: name of version 0.1
        """Deprecated: `features`."""
        warn_renamed("TrainingBatch.rows", "TrainingBatch.features")  # glossary: name of version 0.1
        return self.features

    @property
    def ask(self) -> Callable[[Int[Tensor, "t"], int], Float[Tensor, "p t c"]]:  # glossary: name of version 0.1
        """Deprecated: `logits`."""
        warn_renamed("TrainingBatch.ask", "TrainingBatch.logits")  # glossary: name of version 0.1
        return self.logits


@runtime_checkable
class HasTrainingLoss(Protocol):
    """A module with a training loss of its own in some epochs."""

    def training_loss(self, batch: TrainingBatch, epoch: int) -> Float[Tensor, ""] | None:
        """Return the loss to minimise in this epoch, or None for the default loss (Eq. 6)."""


def has_training_loss(model: nn.Module) -> bool:
    """Return whether the module has a training loss of its own, under its present or its former name."""
    return isinstance(model, HasTrainingLoss) or has_former_loss(model)


def has_former_loss(model: nn.Module) -> bool:
    """Return whether the module has the training loss under its name of version 0.1, and no `training_loss`."""
    return not isinstance(model, HasTrainingLoss) and callable(getattr(model, FORMER_NAME, None))


def module_loss(model: nn.Module, batch: TrainingBatch, epoch: int) -> Float[Tensor, ""] | None:
    """Return the module's own training loss in this epoch, None where it has none."""
    if isinstance(model, HasTrainingLoss):
        return model.training_loss(batch, epoch)
    return getattr(model, FORMER_NAME)(batch, epoch) if has_former_loss(model) else None


def num_classes(data: Graph) -> int:
    """Return the number of class names, or without names the largest label plus 1; of several labels, their number."""
    if data.is_multilabel:
        return data.y.size(1)
    return int(data.y.max()) + 1 if data.classes is None else len(data.classes)


def mark_log_probs(model: nn.Module) -> None:
    """Note on a module that its forward returns log-probabilities; its copies have the note too."""
    setattr(model, LOG_PROBS, True)


def returns_log_probs(model: nn.Module) -> bool:
    """Return whether the module is known to end in log_softmax."""
    return getattr(model, LOG_PROBS, False) is True


def centre_log_probs(model: nn.Module, output: Float[Tensor, "n c"]) -> Float[Tensor, "n c"]:
    """Return the output as logits: log-probabilities minus their mean, which are the module's logits minus theirs.

    Softmax ignores a constant per row, so that all losses and probabilities stay the same. The pair prediction, a dot
    product, does not: log-probabilities are all negative, and any two nodes would share a class.

    Args:
        model: The module.
        output: The output of its forward.
    """
    return output - output.mean(dim=1, keepdim=True) if returns_log_probs(model) else output


def refuse_cached(model: nn.Module) -> None:
    """Refuse layers that cache the normalised adjacency: they would silently ignore every highway."""
    for name, module in model.named_modules():
        if getattr(module, "cached", False) is True:
            place = f"{type(module).__name__} at {name!r}" if name else type(module).__name__
            raise ModelError(
                f"{place} was built with cached=True and would ignore added edges: build it with cached=False."
            )


def reset_parameters(model: nn.Module) -> None:
    """Initialise the weights again through the outermost reset_parameters methods."""
    reset = getattr(model, "reset_parameters", None)
    if callable(reset):
        reset()
        return
    for child in model.children():
        reset_parameters(child)
    # The name of torch's attention layers, which does not initialise their children.
    private = getattr(model, "_reset_parameters", None)
    if callable(private):
        private()
