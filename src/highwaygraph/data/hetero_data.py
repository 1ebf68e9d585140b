"""PyG's HeteroData as a graph of the target type with the other types beside it."""

import warnings
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import HeteroData

from highwaygraph.errors import DataError, HighwayWarning
from highwaygraph.graph.csr import undirected_csr
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.hetero import (
    OtherTypes,
    Relation,
    num_all_nodes,
    own_relations,
    whole_edge_index,
    with_other_types,
)
from highwaygraph.graph.structural import structural_features
from highwaygraph.graph.validate import MASKS, validate, validate_features


def from_hetero_data(data: HeteroData, target: str = "", *, labels: bool = True) -> Graph:
    """Return the graph of the target type with the other types beside it.

    Args:
        data: Features, edges and labels by type; a type without features gets structural ones.
        target: The type whose nodes are classified; the only one with labels `y` unless given.
        labels: Whether the target type must have labels.

    Returns:
        The validated graph.
    """
    target = target or only_target([name for name in data.node_types if data[name].get("y") is not None])
    if target not in data.node_types:
        raise DataError(f"There is no node type {target!r}: the types are {', '.join(data.node_types)}.")
    if any(set(store.keys()) - {"edge_index"} for store in data.edge_stores):
        message = "Weights and features of the edges between several node types are not supported: they are left out."
        warnings.warn(message, HighwayWarning, stacklevel=4)
    store = data[target]
    names = ("y", *MASKS, "ids", "classes")
    attributes = {name: store[name] for name in names if store.get(name) is not None}
    edges = {relation: data[relation].get("edge_index") for relation in data.edge_types}
    features = {name: _features(data, name) for name in data.node_types}
    if not labels:
        attributes.setdefault("y", torch.full((int(store.num_nodes or 0),), -1))
    return join_types(target, features, edges, attributes)


def only_target(labelled: list[str], missing: str = "no node type has labels: set data[TYPE].y") -> str:
    """Return the one node type with labels; refuse none and several.

    Args:
        labelled: The types with labels.
        missing: The cause and the remedy where there are none.
    """
    if len(labelled) > 1:
        missing = f"several node types have labels ({', '.join(labelled)}): name one with target=... (--target)"
    if len(labelled) != 1:
        raise DataError(f"Which nodes are to be classified? Here {missing}.")
    return labelled[0]


def join_types(
    target: str,
    features: Mapping[str, Tensor | int],
    edges: Mapping[Relation, Any],
    attributes: Mapping[str, Any],
    encoders: Mapping[str, Any] | None = None,
) -> Graph:
    """Return the validated graph of several node types.

    Args:
        target: The type whose nodes are classified.
        features: Features of every type; the number of its nodes where it has none, for structural features.
        edges: Edges of every relation.
        attributes: Labels, masks, ids and names of classes of the target type.
        encoders: Encoders of the other types, where they were read from tables.
    """
    counts = {name: x if isinstance(x, int) else len(x) for name, x in features.items()}
    if "y" not in attributes:
        raise DataError(f"The node type {target!r} has no labels: set data[{target!r}].y, -1 where a label is unknown.")
    checked = {relation: _edges(relation, index, counts) for relation, index in edges.items()}
    tables = _with_structure(target, features, counts, checked)
    x = {name: validate_features(table, f"data[{name!r}].x") for name, table in tables.items()}
    own = own_relations(target, checked)
    within = [checked[relation] for relation in own[:-1]]
    edge_index = torch.cat([torch.empty(2, 0, dtype=torch.long), *within], dim=1)
    types = torch.arange(len(within)).repeat_interleave(torch.tensor([one.size(1) for one in within], dtype=torch.long))
    graph = validate(Graph(x=x.pop(target), edge_index=edge_index, edge_type=types, **attributes))
    outside = {relation: index for relation, index in checked.items() if relation not in own}
    return with_other_types(graph, OtherTypes(target, x, outside, own, encoders or {}))


def _features(data: HeteroData, name: str) -> Tensor | int:
    x = data[name].get("x")
    if x is None:
        count = data[name].num_nodes
        if not count:
            raise DataError(f"The node type {name!r} has neither features nor num_nodes: set data[{name!r}].x.")
        return int(count)
    if not isinstance(x, Tensor) or x.layout is not torch.strided or x.dim() != 2:
        raise DataError(f"data[{name!r}].x must be a dense torch tensor with a row of features per node.")
    return x


def _edges(relation: Relation, edge_index: Any, counts: Mapping[str, int]) -> Tensor:
    """Return the edges of a relation; refuse those to nodes that do not exist."""
    shown = "-".join(relation)
    if not isinstance(edge_index, Tensor) or edge_index.dim() != 2 or edge_index.size(0) != 2:
        raise DataError(f"The edges {shown} must be an edge_index of two rows: set data[{relation}].edge_index.")
    if edge_index.is_floating_point() or edge_index.dtype == torch.bool:
        raise DataError(f"The edges {shown} must hold integers, not {edge_index.dtype}: use .long().")
    checked: Tensor = edge_index.long()
    for row, name in zip(checked, (relation[0], relation[2]), strict=True):
        bad = (row < 0) | (row >= counts[name])
        if bool(bad.any()):
            raise DataError(
                f"{int(bad.sum())} of {len(row)} edges {shown} refer to nodes that do not exist: the nodes of type "
                f"{name} are 0 to {counts[name] - 1}."
            )
    return checked


def _with_structure(
    target: str, features: Mapping[str, Tensor | int], counts: Mapping[str, int], edges: Mapping[Relation, Tensor]
) -> dict[str, Tensor]:
    """Return the features of every type; a type without any gets its rows of the structural features of all nodes."""
    given = {name: table for name, table in features.items() if isinstance(table, Tensor)}
    if len(given) == len(features):
        return given
    order = [target, *(name for name in counts if name != target)]
    empty = {name: torch.empty(counts[name], 0) for name in order[1:]}
    shape = Graph(edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=counts[target])
    shape.hetero = OtherTypes(target, empty, edges, ())
    table = structural_features(undirected_csr(whole_edge_index(shape), num_all_nodes(shape)))
    rows = dict(zip(order, table.split([counts[name] for name in order]), strict=True))
    return {name: given.get(name, rows[name]) for name in features}
