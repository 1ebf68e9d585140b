"""From a graph to logits: what a model is called with, made once per run (features) and once per graph (batches)."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from highwaygraph.config import Fit
from highwaygraph.errors import ModelError
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.neighbor_sampler import NeighborSampler
from highwaygraph.graph.queries import adjacencies
from highwaygraph.nn.features import (
    Features,
    MappedFeatures,
    _can_prepare,
    parameter_dtype,
    prepare_features,
    scale_features,
    uses_kernels,
)
from highwaygraph.nn.gnn import GNN, PreparedBatch
from highwaygraph.nn.layerwise import all_logits
from highwaygraph.nn.modules import takes_edge_weight


class ModuleBatch(NamedTuple):
    """The arguments of any module's forward, and the nodes whose logits are wanted."""

    x: Float[Tensor, "n f"]
    edge_index: Int[Tensor, "2 e"]
    edge_weight: Float[Tensor, "e"] | None
    targets: Int[Tensor, "t"] | None


Batch: TypeAlias = ModuleBatch | PreparedBatch


def full_batch(model: nn.Module, features: Features, graph: Graph) -> Batch:
    """Return what the logits of all nodes are computed from."""
    return batch_builder(model, features, graph)(None)


def batch_builder(model: nn.Module, features: Features, graph: Graph) -> Callable[[Tensor | None], Batch]:
    """Return a function that gives what the logits of some nodes, or of all, are computed from."""
    if isinstance(features, MappedFeatures):
        return _drawn(model, features, graph)
    weight = graph.edge_weight
    if weight is not None and not takes_edge_weight(model):
        raise ModelError(
            f"The data has edge weights, but {type(model).__name__}.forward has no argument edge_weight: "
            "add it, or remove data.edge_weight."
        )
    device = features.device if isinstance(features, Tensor) else torch.device("cpu")
    weight = None if weight is None else weight.to(device, parameter_dtype(model))
    if isinstance(model, GNN) and _can_prepare(model, device):
        return model.prepare(features, graph.edge_index, weight, graph.weighted_degree)
    assert isinstance(features, Tensor)
    edge_index = graph.edge_index.to(device)
    return lambda targets: ModuleBatch(features, edge_index, weight, None if targets is None else targets.to(device))


def subgraph_builder(model: nn.Module, piece: Graph, fit: Fit) -> Callable[[Tensor | None], Batch]:
    """Return such a function for drawn surroundings, a small graph with features of its own."""
    return batch_builder(model, prepare_features(model, piece, fit), piece)


def num_neighbors(model: nn.Module, fit: Fit) -> tuple[int, ...]:
    """Return how many neighbours are drawn at each hop, for a built-in network at all hops that it sees."""
    given = fit.num_neighbors
    return (given + given[-1:] * model.num_hops)[: model.num_hops] if isinstance(model, GNN) else given


def _drawn(model: nn.Module, features: MappedFeatures, graph: Graph) -> Callable[[Tensor | None], Batch]:
    sampler = NeighborSampler(adjacencies(graph), num_neighbors(model, features.fit), seed=0)

    def look(targets: Tensor | None) -> Batch:
        assert targets is not None
        piece = sampler.draw(targets)
        piece.x = features.x[piece.n_id]
        return subgraph_builder(model, piece, features.fit)(torch.arange(len(targets)))

    return look


def compute_logits(model: nn.Module, inputs: Batch, visible: Float[Tensor, "n"] | None = None) -> Float[Tensor, "t c"]:
    """Return the logits of the batch's targets, the nodes' features scaled by `visible` if given."""
    if isinstance(inputs, PreparedBatch):
        return model.run(inputs, visible)  # type: ignore[operator, no-any-return]
    extra = {} if inputs.edge_weight is None else {"edge_weight": inputs.edge_weight}
    x = inputs.x if visible is None else inputs.x * visible[:, None]
    logits = model(x, inputs.edge_index, **extra)
    nodes = inputs.x.size(0)
    if not isinstance(logits, Tensor) or logits.dim() != 2 or logits.size(0) != nodes:
        what = tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__
        raise ModelError(f"The model must return one row of logits per node ({nodes}, classes), not {what}.")
    if not logits.is_floating_point():
        raise ModelError(f"The model must return logits that can be trained on, not {logits.dtype}.")
    if model.training and torch.is_grad_enabled() and not logits.requires_grad:
        raise ModelError("The model's logits do not depend on its weights: return them without detach() or no_grad().")
    return logits if inputs.targets is None else logits[inputs.targets]


def evaluate(model: nn.Module, inputs: Batch) -> Float[Tensor, "t c"]:
    """Return the logits of the batch's targets, without dropout and gradients."""
    model.eval()
    with torch.no_grad():
        return compute_logits(model, inputs)


def predict_logits(model: nn.Module, features: Features, graph: Graph) -> Float[Tensor, "n c"]:
    """Return the logits of all nodes: at once, layer by layer, or for a module of one's own from drawn surroundings."""
    if not isinstance(features, MappedFeatures):
        return evaluate(model, full_batch(model, features, graph))
    x, fit, desk = features
    if isinstance(model, GNN) and uses_kernels(model, fit):
        model.eval()
        return all_logits(model, lambda rows: scale_features(x[rows], fit).float(), adjacencies(graph), desk)
    look = batch_builder(model, features, graph)
    return torch.cat(
        [evaluate(model, look(nodes)).cpu() for nodes in torch.arange(graph.num_nodes).split(fit.batch_size)]
    )
