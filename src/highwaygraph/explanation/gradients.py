"""Gradients of a node's margin: with respect to the features, to choose candidates, and to the weights."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from highwaygraph.explanation.network import NetworkView
from highwaygraph.explanation.receptive_field import Field
from highwaygraph.nn.batches import ModuleBatch, compute_logits
from highwaygraph.nn.features import parameter_dtype
from highwaygraph.nn.forward_inputs import edge_values, forward_inputs


class Classes(NamedTuple):
    """The two classes of a margin."""

    predicted: int
    runner_up: int

    def margin(self, logits: Float[Tensor, "... c"]) -> Float[Tensor, "..."]:
        """Return the logits of the predicted class minus those of the runner-up."""
        return logits[..., self.predicted] - logits[..., self.runner_up]


class Gradients(NamedTuple):
    """The margin of a node, with its gradients."""

    margin: float
    nodes: Float[Tensor, "m"]
    """Gradient times input, summed over the features of every node of the receptive field."""
    columns: Float[Tensor, "f"]
    """Gradient times input, summed over the nodes."""
    weights: list[Tensor]
    """Gradient with respect to every parameter of the model."""


def margin_gradients(view: NetworkView, field: Field, classes: Classes) -> Gradients:
    """Return the margin of the explained node with its gradients, in one pass through the network's forward.

    Args:
        view: The network.
        field: The receptive field of the node.
        classes: The classes of the margin.

    Returns:
        The gradients at the trained weights, without dropout.
    """
    dtype, inputs, graph = parameter_dtype(view.model), forward_inputs(view.model), field.graph
    values = edge_values(view.model, inputs, graph)
    values = {k: v.to(dtype) if v.is_floating_point() else v.clone() for k, v in values.items()}
    x = graph.x.to(dtype).clone().requires_grad_()
    weights = [one for one in view.model.parameters() if one.requires_grad]
    # A module may change no input in place, but a leaf that requires gradients would refuse even a view.
    batch = ModuleBatch(x * 1.0, graph.edge_index.clone(), values, torch.tensor([field.target]), inputs.kind)
    with torch.enable_grad():
        margin = classes.margin(compute_logits(view.model, batch))[0]
        found = torch.autograd.grad(margin, [x, *weights], allow_unused=True)
    filled = [torch.zeros_like(one) if g is None else g for one, g in zip([x, *weights], found, strict=True)]
    parts = filled[0] * x.detach()
    return Gradients(float(margin.detach()), parts.sum(dim=1).float(), parts.sum(dim=0).float(), filled[1:])
