"""New nodes joined to a graph that was read from tables before."""

from typing import Any

import pandas as pd
import torch
from torch import Tensor

from highwaygraph.data.tables.build import features, read_nodes
from highwaygraph.data.tables.edges import Links, read_links
from highwaygraph.data.tables.read_log import FIRST, ReadLog
from highwaygraph.data.tables.schema import ColumnRoles, Schema
from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.validate import MASKS


def attach(graph: Graph, nodes: pd.DataFrame, edges: pd.DataFrame, names: ColumnRoles, known: Schema) -> Graph:
    """Return the graph followed by the new nodes, unlabelled, with the edges that lead to them."""
    reading = ReadLog()
    nodes, roles = read_nodes(nodes, names, reading)
    old = list(graph.ids or range(graph.num_nodes))
    nodes = _without(nodes, roles.id, old, reading)
    ids = _one_kind([*old, *nodes[roles.id]])
    links = _new_only(read_links(edges, ids, reading), len(old), reading)
    joined = Graph(edge_index=torch.cat([graph.edge_index, links.edge_index], dim=1), num_nodes=len(ids), ids=ids)
    x = features(nodes, known.encoders)
    joined.x = torch.cat([graph.x, _between(graph.x, links, len(nodes)) if x is None else x])
    joined.y = _longer(graph.y, len(nodes), -1)
    joined.update({name: _longer(graph[name], len(nodes), 0) for name in MASKS if name in graph})
    if graph.edge_weight is not None:
        weight = torch.ones(links.edge_index.size(1)) if links.weight is None else links.weight
        joined.edge_weight = torch.cat([graph.edge_weight, weight.to(graph.edge_weight)])
    joined.classes, joined.read_log, joined.num_attached = known.classes, reading, len(nodes)
    return joined


def _between(x: Tensor, links: Links, count: int) -> Tensor:
    """Return, for nodes known by their edges alone, the mean of the old neighbours: places as the graph had them."""
    old, new = links.edge_index
    kept = (old < len(x)) & (new >= len(x))
    old, new = old[kept], new[kept] - len(x)
    heard = torch.bincount(new, minlength=count).clamp(min=1)[:, None]
    return x.new_zeros(count, x.size(1)).index_add_(0, new, x[old]) / heard


def _without(nodes: pd.DataFrame, column: str, old: list[Any], reading: ReadLog) -> pd.DataFrame:
    """Return the nodes that are new."""
    known = nodes[column].astype(str).isin({str(node) for node in old})
    reading.find(
        "nodes that the graph has already", nodes[column][known].head(FIRST), int(known.sum()), "left as they were"
    )
    if known.all():
        raise DataError("All of these nodes are in the graph already: leave out --attach, or give nodes that are new.")
    return nodes[~known].reset_index(drop=True)


def _new_only(links: Links, old: int, reading: ReadLog) -> Links:
    """Return the edges that lead to a new node; the graph's own stay as they were."""
    new = (links.edge_index >= old).any(dim=0)
    reading.find("edges between nodes that the graph has already", (), int((~new).sum()) // 2, "left out")
    return Links(links.edge_index[:, new], None if links.weight is None else links.weight[new])


def _one_kind(ids: list[Any]) -> list[Any]:
    return ids if len({type(node) for node in ids}) == 1 else [str(node) for node in ids]


def _longer(values: Tensor, more: int, fill: int) -> Tensor:
    return torch.cat([values, values.new_full((more,), fill)])
