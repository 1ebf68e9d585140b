"""New nodes attached to a graph that was read from tables before."""

from typing import Any

import pandas as pd
import torch
from torch import Tensor

from highwaygraph.data.tables.build import read_nodes
from highwaygraph.data.tables.edge_rows import EdgeList
from highwaygraph.data.tables.edges import read_edges
from highwaygraph.data.tables.nodes import encode_features
from highwaygraph.data.tables.read_log import FIRST, ReadLog
from highwaygraph.data.tables.schema import ColumnRoles, Schema
from highwaygraph.errors import DataError
from highwaygraph.graph.edge_values import values_by_name
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.validate import MASKS


def attach(graph: Graph, nodes: pd.DataFrame, edges: pd.DataFrame, names: ColumnRoles, schema: Schema) -> Graph:
    """Return the graph followed by the new nodes, unlabelled, with the edges that lead to them."""
    log = ReadLog()
    nodes, roles = read_nodes(nodes, edges, names, schema, log)
    old = list(graph.ids or range(graph.num_nodes))
    nodes = _without(nodes, roles.id, old, log)
    ids = _one_kind([*old, *nodes[roles.id]])
    new_edges = _new_only(read_edges(edges, ids, log, roles, schema.relations), len(old), log)
    joined = Graph(edge_index=torch.cat([graph.edge_index, new_edges.edge_index], dim=1), num_nodes=len(ids), ids=ids)
    x = encode_features(nodes, schema.encoders, log)
    joined.x = torch.cat([graph.x, _mean_of_neighbors(graph.x, new_edges, len(nodes)) if x is None else x])
    joined.y = _longer(graph.y, len(nodes), -1)
    joined.update({name: _longer(graph[name], len(nodes), 0) for name in MASKS if name in graph})
    joined.update(_joined_values(graph, new_edges))
    if graph.relations is not None:
        joined.relations = graph.relations
    joined.classes, joined.read_log, joined.num_attached = schema.classes, log, len(nodes)
    return joined


def _mean_of_neighbors(x: Tensor, new_edges: EdgeList, count: int) -> Tensor:
    """Return features of nodes without feature columns: the mean of the neighbours that the graph had before."""
    old, new = new_edges.edge_index
    kept = (old < len(x)) & (new >= len(x))
    old, new = old[kept], new[kept] - len(x)
    count_old = torch.bincount(new, minlength=count).clamp(min=1)[:, None]
    return x.new_zeros(count, x.size(1)).index_add_(0, new, x[old]) / count_old


def _without(nodes: pd.DataFrame, column: str, old: list[Any], log: ReadLog) -> pd.DataFrame:
    """Return the nodes that are new."""
    known = nodes[column].astype(str).isin({str(node) for node in old})
    log.find(
        "nodes that the graph has already", nodes[column][known].head(FIRST), int(known.sum()), "left as they were"
    )
    if known.all():
        raise DataError("All of these nodes are in the graph already: leave out --attach, or give nodes that are new.")
    return nodes[~known].reset_index(drop=True)


def _new_only(new_edges: EdgeList, old: int, log: ReadLog) -> EdgeList:
    """Return the edges that lead to a new node; the graph's own stay as they were."""
    new = (new_edges.edge_index >= old).any(dim=0)
    log.find("edges between nodes that the graph has already", (), int((~new).sum()) // 2, "left out")
    return new_edges.select(new)


def _joined_values(graph: Graph, new_edges: EdgeList) -> dict[str, Tensor]:
    """Return the values of the old edges, then those of the new ones; a new edge without weight has weight 1."""
    found = {"edge_weight": torch.ones(new_edges.edge_index.size(1))} | new_edges.values
    joined = {}
    for name, value in values_by_name(graph).items():
        if name not in found or found[name].shape[1:] != value.shape[1:]:
            option = {"edge_type": "--edge-type", "edge_attr": "--edge-features"}[name]
            raise DataError(f"The run's graph has {name}, which the new edges lack: name their columns with {option}.")
        joined[name] = torch.cat([value, found[name].to(value)])
    return joined


def _one_kind(ids: list[Any]) -> list[Any]:
    return ids if len({type(node) for node in ids}) == 1 else [str(node) for node in ids]


def _longer(values: Tensor, more: int, fill: int) -> Tensor:
    return torch.cat([values, values.new_full((more, *values.shape[1:]), fill)])
