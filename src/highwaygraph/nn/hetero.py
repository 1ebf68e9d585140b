"""Modules on several node types: PyG's forward(x_dict, edge_index_dict), and the relation that highways have for it."""

import copy
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch_geometric.data import HeteroData

from highwaygraph.config import Config
from highwaygraph.errors import HighwayWarning, ModelError
from highwaygraph.graph.edge_values import highway_values
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.hetero import Relation, other_types
from highwaygraph.nn.forward_inputs import ForwardInputs, Kind, forward_inputs
from highwaygraph.nn.gnn import GNN


class HeteroInputs(NamedTuple):
    """The arguments of a forward pass beside the features of the target type."""

    target: str
    x: Mapping[str, Tensor]
    """Features of the other types."""
    edges: Mapping[Relation, Tensor]
    """Edges of all relations, highways included."""


def inputs_for(model: nn.Module, graph: Graph) -> ForwardInputs:
    """Return the arguments that the module's forward takes on this graph.

    Args:
        model: Any module; on several node types, all but the built-in networks for one type take dictionaries.
        graph: The graph.
    """
    found = forward_inputs(model)
    if graph.hetero is None or isinstance(model, GNN) or found.kind == "features":
        return found
    return ForwardInputs("hetero data" if found.kind == "data" else "dicts", ("edge_type",), ("edge_type",))


def hetero_inputs(graph: Graph, device: torch.device, dtype: torch.dtype) -> HeteroInputs:
    """Return features and edges by type, on a device; the edges within the target type are divided by relation."""
    others = other_types(graph)
    assert graph.edge_type is not None
    own = {relation: graph.edge_index[:, graph.edge_type == place] for place, relation in enumerate(others.own)}
    edges = {relation: edges.to(device) for relation, edges in {**own, **others.edges}.items()}
    return HeteroInputs(others.target, {name: x.to(device, dtype) for name, x in others.x.items()}, edges)


def call_with_types(model: nn.Module, kind: Kind, x: Float[Tensor, "n f"], inputs: HeteroInputs) -> Any:
    """Return the output of the module's forward for the target type.

    Args:
        model: The module.
        kind: Whether it takes dictionaries or a HeteroData.
        x: Features of the target type.
        inputs: The other arguments.
    """
    x_dict = {inputs.target: x, **inputs.x}
    if kind == "dicts":
        output = model(x_dict, dict(inputs.edges))
    else:
        data = HeteroData()
        for name, table in x_dict.items():
            data[name].x = table
        for relation, edges in inputs.edges.items():
            data[relation].edge_index = edges
        output = model(data)
    if isinstance(output, Mapping):
        if inputs.target not in output:
            raise ModelError(f"The model returns no logits of the target type {inputs.target!r}: add that entry.")
        return output[inputs.target]
    return output


def needs_highways(config: Config) -> bool:
    """Return whether some round trains with highways."""
    return config.highway.rounds >= max(config.highway.start, 2)


def join_highways(graph: Graph, name: str, *, needed: bool) -> Graph:
    """Return the graph for a module that passes no messages along the relation of highways.

    Args:
        graph: The graph.
        name: Name of the module.
        needed: Whether some round trains with highways.

    Returns:
        The graph without that relation; highways are edges of the largest other relation within the target type.
        Without one they would have no effect, and a training that needs them is refused.
    """
    others = other_types(graph)
    *rest, highway = others.own
    if not rest and needed:
        raise ModelError(
            f"{name} does not use the relation {highway}, and there is no other within {others.target}: build its "
            "layers with hg.hetero_metadata(data), or train without highways (the preset typical)."
        )
    changed = copy.copy(graph)
    changed.hetero = replace(others, own=tuple(rest))
    if rest:
        joined = copy.copy(graph)
        joined.highway_values = None
        changed.highway_values = highway_values(joined)
    if rest and needed:
        relation = rest[int(highway_values(changed)["edge_type"])]
        message = (
            f"{name} does not use the relation {highway}: highways become edges of {relation}. Build its layers with "
            "hg.hetero_metadata(data) for a relation of their own."
        )
        warnings.warn(message, HighwayWarning, stacklevel=5)
    return changed
