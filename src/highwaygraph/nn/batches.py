"""Model batches: the arguments of a forward pass, built once per graph, and the logits computed from them."""

import copy
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import NamedTuple, TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from highwaygraph.config import Fit
from highwaygraph.errors import ModelError
from highwaygraph.graph.graph import EDGE_VALUES, Graph
from highwaygraph.graph.neighbor_sampler import NeighborSampler
from highwaygraph.graph.queries import adjacencies
from highwaygraph.nn.drop_rows import drop_rows
from highwaygraph.nn.features import (
    Features,
    MappedFeatures,
    _can_prepare,
    parameter_dtype,
    prepare_features,
    scale_features,
    uses_kernels,
)
from highwaygraph.nn.forward_inputs import Kind, call_forward, edge_values
from highwaygraph.nn.gnn import GNN, PreparedBatch
from highwaygraph.nn.hetero import HeteroInputs, call_with_types, hetero_inputs, inputs_for
from highwaygraph.nn.layerwise import all_logits
from highwaygraph.nn.modules import centre_log_probs
from highwaygraph.nn.prepared_layers import PreparedGraph
from highwaygraph.nn.sparse_features import SparseFeatures
from highwaygraph.nn.spmm import Sparse


class ModuleBatch(NamedTuple):
    """The arguments of any module's forward, and its target nodes, whose logits are returned."""

    x: Float[Tensor, "n f"]
    edge_index: Int[Tensor, "2 e"]
    edge_values: Mapping[str, Tensor]
    """Weights, features and types of the edges, as far as the module takes them."""
    targets: Int[Tensor, "t"] | None
    kind: Kind = "edges"
    """The arguments that the module's forward takes."""
    prepared: PreparedGraph | None = None
    """Operators for layers of the module, where its results need not be bit-identical to those of a plain loop."""
    hetero: HeteroInputs | None = None
    """Features and edges by type, where there are several node types."""


ModelBatch: TypeAlias = ModuleBatch | PreparedBatch


def full_batch(model: nn.Module, features: Features, graph: Graph) -> ModelBatch:
    """Return the model batch that gives the logits of all nodes."""
    return batch_builder(model, features, graph)(None)


def batch_builder(model: nn.Module, features: Features, graph: Graph) -> Callable[[Tensor | None], ModelBatch]:
    """Prepare the graph once, for model batches of any of its nodes.

    Args:
        model: A built-in network or any module.
        features: The prepared features of the graph's nodes.
        graph: The graph.

    Returns:
        A function that takes target nodes, or None for all nodes, and returns the model batch for their logits.
    """
    if isinstance(features, MappedFeatures):
        return _sampled_builder(model, features, graph)
    inputs = inputs_for(model, graph)
    device, dtype = features.device if isinstance(features, Tensor) else torch.device("cpu"), parameter_dtype(model)
    values = {name: _convert(value, device, dtype) for name, value in edge_values(model, inputs, graph).items()}
    if isinstance(model, GNN) and _can_prepare(model, device):
        return model.prepare(features, graph.edge_index, values.get("edge_weight"), graph.weighted_degree)
    assert isinstance(features, Tensor)
    edge_index = graph.edge_index.to(device)
    sparse = isinstance(features, SparseFeatures)
    prepared = PreparedGraph(edge_index, values.get("edge_weight"), graph.num_nodes) if sparse else None
    typed = hetero_inputs(graph, device, dtype) if inputs.kind in ("dicts", "hetero data") else None
    batch = ModuleBatch(features, edge_index, values, None, inputs.kind, prepared, typed)
    return lambda targets: batch if targets is None else batch._replace(targets=targets.to(device))


def _convert(value: Tensor, device: torch.device, dtype: torch.dtype) -> Tensor:
    return value.to(device, dtype) if value.is_floating_point() else value.to(device)


def own_inputs(model: nn.Module, features: Features, graph: Graph) -> tuple[Features, Graph]:
    """Return features and edges that the module may change without a change of the caller's graph.

    Args:
        model: The model; built-in networks change none of their inputs.
        features: The prepared features, which may be the graph's own tensor.
        graph: The graph of the caller; mini-batches are copies already.

    Returns:
        The features, and the graph with an edge_index and values per edge of its own.
    """
    if isinstance(model, GNN) or not isinstance(features, Tensor):
        return features, graph
    own = copy.copy(graph)
    own.edge_index = graph.edge_index.clone()
    own.update({name: graph[name].clone() for name in EDGE_VALUES if name in graph})
    return features.clone() if features.data_ptr() == graph.x.data_ptr() else features, own


def subgraph_builder(model: nn.Module, subgraph: Graph, fit: Fit) -> Callable[[Tensor | None], ModelBatch]:
    """Return such a function for a sampled subgraph, whose features are its own."""
    return batch_builder(model, prepare_features(model, subgraph, fit), subgraph)


def num_neighbors(model: nn.Module, fit: Fit) -> tuple[int, ...]:
    """Return the number of neighbours to sample per hop; for a built-in network, over its whole receptive field."""
    given = fit.num_neighbors
    return (given + given[-1:] * model.num_hops)[: model.num_hops] if isinstance(model, GNN) else given


def _sampled_builder(model: nn.Module, features: MappedFeatures, graph: Graph) -> Callable[[Tensor | None], ModelBatch]:
    sampler = NeighborSampler(adjacencies(graph), num_neighbors(model, features.fit), seed=0)

    def build(targets: Tensor | None) -> ModelBatch:
        assert targets is not None
        subgraph = sampler.draw(targets)
        subgraph.x, subgraph.scaling = features.x[subgraph.n_id], features.scaling
        return subgraph_builder(model, subgraph, features.fit)(torch.arange(len(targets)))

    return build


def compute_logits(
    model: nn.Module, inputs: ModelBatch, visible: Float[Tensor, "n"] | None = None
) -> Float[Tensor, "t c"]:
    """Run the forward pass.

    Args:
        model: The model.
        inputs: The model batch.
        visible: Factor of every node's features, 0 for a dropped node.

    Returns:
        The logits of the batch's target nodes.
    """
    if isinstance(inputs, PreparedBatch):
        return model.run(inputs, visible)  # type: ignore[operator, no-any-return]
    x = inputs.x if visible is None else _scale_rows(inputs.x, visible)
    given = _given(x, inputs)
    before = [_version(tensor) for tensor in given.values()]
    if inputs.hetero is None:
        with nullcontext() if inputs.prepared is None else inputs.prepared.used_by(model):
            output = call_forward(model, inputs.kind, x, inputs.edge_index, inputs.edge_values)
    else:
        output = call_with_types(model, inputs.kind, x, inputs.hetero)
    for (name, tensor), version in zip(given.items(), before, strict=True):
        if _version(tensor) != version:
            raise ModelError(
                f"{type(model).__name__}.forward changes {name} in place, so that every epoch would get other data: "
                f"work on a copy ({name} = {name}.clone()), or leave out inplace=True."
            )
    logits = centre_log_probs(model, _check_logits(model, output, inputs.x.size(0)))
    return logits if inputs.targets is None else logits[inputs.targets]


def _given(x: Tensor, inputs: ModuleBatch) -> dict[str, Tensor]:
    """Return the tensors that a module gets, by name."""
    if inputs.hetero is None:
        return {"x": x, "edge_index": inputs.edge_index, **inputs.edge_values}
    others = {f"x_dict[{name!r}]": table for name, table in inputs.hetero.x.items()}
    return {"x": x} | others | {f"edge_index_dict[{name!r}]": edges for name, edges in inputs.hetero.edges.items()}


def _scale_rows(x: Tensor, factors: Tensor) -> Tensor:
    if not isinstance(x, SparseFeatures):
        return x * factors[:, None].to(x.dtype)
    dropped, _ = drop_rows(x.sparse, 0.0, None, factors)
    assert isinstance(dropped, Sparse)
    return SparseFeatures.of(dropped)


def _version(tensor: Tensor) -> int:
    """Return the number of changes of a tensor in place; torch does not count them in its inference mode."""
    return 0 if tensor.is_inference() else tensor._version


def _check_logits(model: nn.Module, logits: object, nodes: int) -> Tensor:
    """Return the output of a module's forward in single precision, or refuse one that cannot be trained on."""
    if not isinstance(logits, Tensor) or logits.dim() != 2 or logits.size(0) != nodes:
        found = tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__
        raise ModelError(f"The model must return one row of logits per node ({nodes}, classes), not {found}.")
    if not logits.is_floating_point():
        raise ModelError(f"The model must return floating-point logits, not {logits.dtype}.")
    if model.training and torch.is_grad_enabled() and not logits.requires_grad:
        raise ModelError("The model's logits do not depend on its weights: return them without detach() or no_grad().")
    # Losses and thresholds are computed in single precision, whatever precision the module computes in.
    return logits.float()


def evaluate(model: nn.Module, inputs: ModelBatch) -> Float[Tensor, "t c"]:
    """Return the logits of the batch's target nodes, without dropout and gradients."""
    model.eval()
    with torch.no_grad():
        return compute_logits(model, inputs)


def predict_logits(model: nn.Module, features: Features, graph: Graph) -> Float[Tensor, "n c"]:
    """Return the logits of all nodes: from the whole graph, layer by layer, or from sampled subgraphs.

    Args:
        model: The model.
        features: The prepared features.
        graph: The graph; with mapped features, a built-in network runs layer by layer and any other module on
            sampled subgraphs.

    Returns:
        The logits, one row per node.
    """
    if not isinstance(features, MappedFeatures):
        return evaluate(model, full_batch(model, features, graph))
    x, fit, buffers, scaling = features
    if isinstance(model, GNN) and uses_kernels(model, fit):
        model.eval()
        return all_logits(
            model, lambda rows: scale_features(x[rows], fit, scaling).float(), adjacencies(graph), buffers
        )
    build = batch_builder(model, features, graph)
    return torch.cat(
        [evaluate(model, build(nodes)).cpu() for nodes in torch.arange(graph.num_nodes).split(fit.labels_per_batch)]
    )
