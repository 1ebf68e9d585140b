"""Influence of training labels on a margin: the influence function at the trained weights."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from highwaygraph.explanation.network import NetworkView, batched_graph
from highwaygraph.nn.batches import ModelBatch, batch_builder, compute_logits, evaluate, own_inputs
from highwaygraph.nn.features import prepare_features
from highwaygraph.training.consistency import class_weights

# Training labels that are compared; an even sample of more.
MOST_LABELS = 2048


# Length of the step of a central difference, relative to the length of the weights.
STEP = 1e-3


# The least damping of the Gauss-Newton matrix. Of 0.0005, 0.01 and 0.1, it agreed best with retraining by all presets.
LEAST_DAMPING = 1e-2


# Most iterations of conjugate gradients, and the residual at which they end, relative to the right-hand side.
ITERATIONS, ACCURACY = 20, 1e-2


class TrainingLabels(NamedTuple):
    """The training labels of a run, with the slope of each node's loss."""

    nodes: Int[Tensor, "m"]
    classes: Int[Tensor, "m"]
    """Their classes; pseudo-labels where the run was trained with them."""
    batch: ModelBatch
    """The model batch of these nodes."""
    slope: Float[Tensor, "m c"]
    """Gradient of each node's cross-entropy with respect to its logits: probabilities minus one-hot label."""
    total: int
    """Number of all training labels."""


def training_labels(view: NetworkView) -> TrainingLabels:
    """Return the training labels of a run at the trained weights.

    Args:
        view: The network.

    Returns:
        The labels, for any number of explanations.
    """
    graph = batched_graph(view)
    nodes = graph.train_mask.nonzero().flatten()
    step = -(-len(nodes) // MOST_LABELS)
    inputs = own_inputs(view.model, prepare_features(view.model, graph, view.fit), graph)
    batch = batch_builder(view.model, *inputs)(nodes[::step])
    logits, labels = evaluate(view.model, batch), graph.y[nodes[::step]]
    classes = logits.size(1)
    slope = logits.softmax(dim=1) - F.one_hot(labels, classes)
    if view.fit.class_weights == "balanced":
        slope = slope * class_weights(torch.full((classes,), 1 / classes), labels)[:, None]
    return TrainingLabels(nodes[::step], labels, batch, slope, len(nodes))


def label_effects(
    model: nn.Module, labels: TrainingLabels, gradient: list[Tensor], weight_decay: float
) -> Float[Tensor, "m"]:
    """Return by how much a margin would drop if each label were left out of the training, to first order.

    This is the influence function (Koh and Liang, 2017) with the Gauss-Newton matrix of the node loss:
    -grad(margin)' (G + d I)^-1 grad(loss_i) / m. The linear system is solved by conjugate gradients. The
    derivative of all logits in a direction of the weights is a central difference, so that any module is supported.

    Args:
        model: The network; its weights are the same afterwards.
        labels: The training labels.
        gradient: The gradient of the margin with respect to every parameter that requires one.
        weight_decay: Weight decay of the training; the damping d is at least LEAST_DAMPING.

    Returns:
        A number per label, above 0 where the label supports the predicted class.
    """
    problem = _Problem(model, labels, max(weight_decay, LEAST_DAMPING))
    flat = _flat(gradient)
    if not bool(flat.any()):
        return torch.zeros(len(labels.nodes))
    change = problem.logit_change(_solve(problem.times, flat))
    return -(labels.slope * change).sum(dim=1) / labels.total


class _Problem:
    """The Gauss-Newton matrix of the node loss at the trained weights, as a product with vectors."""

    def __init__(self, model: nn.Module, labels: TrainingLabels, damping: float) -> None:
        self._model, self._labels, self._damping = model, labels, damping
        self._weights = [one for one in model.parameters() if one.requires_grad]
        self._probs = evaluate(model, labels.batch).softmax(dim=1)
        self._size = float(_flat([one.detach() for one in self._weights]).norm())

    def logit_change(self, direction: Float[Tensor, "p"]) -> Float[Tensor, "m c"]:
        """Return the derivative of the logits of all labels in a direction of the weights."""
        step = STEP * self._size / max(float(direction.norm()), 1e-30)
        ahead, behind = (self._moved_logits(direction, sign * step) for sign in (1, -1))
        return (ahead - behind) / (2 * step)

    def times(self, direction: Float[Tensor, "p"]) -> Float[Tensor, "p"]:
        """Return the product of the damped matrix and a direction."""
        change, probs = self.logit_change(direction), self._probs
        curved = probs * (change - (probs * change).sum(dim=1, keepdim=True)) / len(probs)
        with torch.enable_grad():
            logits = compute_logits(self._model, self._labels.batch)
            # The gradient of a sum, since torch imports sympy, in half a second, to check `grad_outputs`.
            found = torch.autograd.grad((logits * curved).sum(), self._weights, allow_unused=True)
        filled = [torch.zeros_like(w) if g is None else g for w, g in zip(self._weights, found, strict=True)]
        return _flat(filled) + self._damping * direction

    def _moved_logits(self, direction: Tensor, step: float) -> Tensor:
        before = [one.detach().clone() for one in self._weights]
        parts = direction.split([one.numel() for one in self._weights])
        with torch.no_grad():
            for one, part in zip(self._weights, parts, strict=True):
                one.add_(part.view_as(one).to(one.dtype), alpha=step)
        try:
            return evaluate(self._model, self._labels.batch)
        finally:
            with torch.no_grad():
                for one, old in zip(self._weights, before, strict=True):
                    one.copy_(old)


def _flat(tensors: list[Tensor]) -> Float[Tensor, "p"]:
    return torch.cat([one.flatten().float() for one in tensors])


def _solve(times: Callable[[Tensor], Tensor], right: Float[Tensor, "p"]) -> Float[Tensor, "p"]:
    """Return an approximate solution of a linear system by conjugate gradients."""
    found, residual = torch.zeros_like(right), right.clone()
    direction, square = residual.clone(), residual.dot(residual)
    limit = ACCURACY**2 * square
    for _ in range(ITERATIONS):
        product = times(direction)
        length = square / direction.dot(product)
        found += length * direction
        residual -= length * product
        before, square = square, residual.dot(residual)
        if square <= limit:
            break
        direction = residual + square / before * direction
    return found
