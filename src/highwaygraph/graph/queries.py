"""Queries on the edges of a graph, whether they are an edge_index or a CSR adjacency."""

import copy
import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from highwaygraph.graph import augment, bfs, csr
from highwaygraph.graph.csr import CSR, from_edge_index, to_edge_index
from highwaygraph.graph.edge_values import values_by_name
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.hetero import num_all_nodes, whole_edge_index


class Homophily(NamedTuple):
    """How far edges join nodes of one class; NaN where it is not defined."""

    edge: float
    """Fraction of the edges between labelled nodes whose ends have the same class."""
    adjusted: float
    """The same adjusted for class sizes: 0 for edges at random, 1 where all edges join nodes of one class."""


def adjacencies(graph: Graph) -> list[CSR]:
    """Return the CSR adjacency of a graph, and that of its highways where it has any."""
    assert graph.csr is not None
    return [graph.csr, *([graph.highway_csr] if graph.highway_csr else [])]


def degrees(graph: Graph) -> Int[Tensor, "n"]:
    """Return the number of neighbours of each node, of all types where there are several."""
    if graph.hetero is not None:
        return csr.degrees(undirected_adjacencies(graph)[0])[: graph.num_nodes]
    if graph.has_edge_index:
        return torch.bincount(graph.edge_index[0], minlength=graph.num_nodes)
    return torch.stack([csr.degrees(part) for part in adjacencies(graph)]).sum(dim=0)


def is_directed(graph: Graph) -> bool:
    """Return whether some edge lacks its reverse; a CSR adjacency holds both directions of every edge."""
    if not graph.has_edge_index:
        return False
    forth, back = (graph.edge_index[i] * graph.num_nodes + graph.edge_index[1 - i] for i in (0, 1))
    return not bool(torch.isin(forth, back).all())


def is_weighted(graph: Graph) -> bool:
    """Return whether the edges have weights."""
    if graph.has_edge_index:
        return graph.edge_weight is not None
    return adjacencies(graph)[0].weight is not None


def without_weights(graph: Graph) -> Graph:
    """Return the graph without the weights of its edges."""
    plain = copy.copy(graph)
    if "edge_weight" in plain:
        del plain.edge_weight
    if plain.csr is not None:
        plain.csr = plain.csr._replace(weight=None)
    return plain


def is_new(graph: Graph, edges: Int[Tensor, "2 k"]) -> Bool[Tensor, "k"]:
    """Return which undirected edges the graph does not have yet in both directions."""
    if graph.has_edge_index:
        return augment.is_new(graph.edge_index, edges, graph.num_nodes)
    found = torch.stack(
        [csr.has_edges(part, edges) & csr.has_edges(part, edges.flip(0)) for part in adjacencies(graph)]
    )
    return ~found.any(dim=0) & (edges[0] != edges[1])


def homophily(graph: Graph) -> float:
    """Return the fraction of edges between labelled nodes whose ends have the same class."""
    return homophily_measures(graph).edge


def adjusted_homophily(graph: Graph) -> float:
    """Return the edge homophily adjusted for class sizes (Platonov et al. 2023, "Characterizing graph datasets").

    With h the edge homophily and e = sum_k (D_k / 2m)^2 its expected value for edges at random, where D_k is the
    number of ends of the m edges that are of class k, it is (h - e) / (1 - e).

    Args:
        graph: The graph; edges with an unlabelled end do not count.

    Returns:
        1 where all edges join nodes of one class, 0 for edges at random; NaN without edges or with a single class.

    Example:
        >>> path = Graph(edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]), y=torch.tensor([0, 0, 1, 1]), num_nodes=4)
        >>> round(homophily(path), 2), round(adjusted_homophily(path), 2)
        (0.67, 0.33)
    """
    return homophily_measures(graph).adjusted


def homophily_measures(graph: Graph) -> Homophily:
    """Return both measures from one pass over the edges, in chunks where they are mapped."""
    same, edges = 0, 0
    ends = torch.zeros(max(int(graph.y.max()) + 1, 1), dtype=torch.long)
    for known in _edge_classes(graph):
        same, edges = same + int((known[0] == known[1]).sum()), edges + known.size(1)
        ends += torch.bincount(known.flatten(), minlength=len(ends))
    if not edges:
        return Homophily(math.nan, math.nan)
    expected = float((ends.double() / (2 * edges)).square().sum())
    # With all ends in one class, every edge joins nodes of one class: there is nothing to adjust.
    single = int(ends.max()) == 2 * edges
    return Homophily(same / edges, math.nan if single else (same / edges - expected) / (1 - expected))


def _edge_classes(graph: Graph) -> Iterator[Int[Tensor, "2 k"]]:
    """Yield the classes of both ends of the edges between labelled nodes, in chunks."""
    if graph.has_edge_index:
        both = graph.y[graph.edge_index]
        yield both[:, (both >= 0).all(dim=0)]
        return
    adjacency, nodes = adjacencies(graph)[0], torch.arange(graph.num_nodes)
    for chunk in (nodes[some] for some in csr.node_chunks(adjacency, nodes)):
        entries, owner = csr.neighbor_entries(adjacency, chunk)
        both = torch.stack([graph.y[chunk[owner]], graph.y[adjacency.col[entries].long()]])
        yield both[:, (both >= 0).all(dim=0)]


def undirected_adjacencies(graph: Graph) -> list[CSR]:
    """Return adjacencies with both directions of every edge and highway, as a breadth-first search needs them.

    Where there are several node types, these are the edges of all relations; the graph's own nodes come first.
    """
    if graph.hetero is not None:
        return [csr.undirected_csr(whole_edge_index(graph), num_all_nodes(graph))]
    if graph.has_edge_index:
        return [csr.undirected_csr(graph.edge_index, graph.num_nodes)]
    return adjacencies(graph)


def hops_from(graph: Graph, sources: Int[Tensor, "s"]) -> Int[Tensor, "n"]:
    """Return each node's hops to the nearest source."""
    return bfs.hops_from(undirected_adjacencies(graph), sources)[: graph.num_nodes]


def hops_to_own_class(graph: Graph) -> Int[Tensor, "n"]:
    """Return each node's hops to the nearest training node of its own class (the x-axis of Figure 1)."""
    parts, y, labelled = undirected_adjacencies(graph), graph.y, graph.train_mask
    if graph.hetero is not None:
        more = num_all_nodes(graph) - graph.num_nodes
        y, labelled = torch.cat([y, y.new_full((more,), -1)]), torch.cat([labelled, labelled.new_zeros(more)])
    return bfs.hops_to_own_class(parts, y, labelled)[: graph.num_nodes]


def hops_between(graph: Graph, nodes: Int[Tensor, "m"]) -> Int[Tensor, "m m"]:
    """Return the hops between all pairs of the given nodes."""
    return bfs.hops_between(undirected_adjacencies(graph), nodes)


def with_csr(data: Graph) -> Graph:
    """Return the graph with a CSR adjacency beside its edge_index, without self-loops, for mini-batches."""
    if data.csr is not None:
        return data
    changed = copy.copy(data)
    kept = data.edge_index[0] != data.edge_index[1]
    values = values_by_name(data)
    weight = values["edge_weight"][kept].float() if "edge_weight" in values else None
    others = (values[name][kept] if name in values else None for name in ("edge_attr", "edge_type"))
    changed.csr = from_edge_index(data.edge_index[:, kept], data.num_nodes, weight, *others)
    return changed


def _values_of(highways: CSR, name: str) -> Tensor:
    """Return the values of highways, whose weights are 1."""
    return torch.ones(len(highways.col)) if name == "edge_weight" else highways.values[name]


def with_edge_index(data: Graph) -> Graph:
    """Return the graph with an edge_index in place of its CSR adjacency, for training on the whole graph."""
    if data.has_edge_index:
        return data
    changed = copy.copy(data)
    parts = adjacencies(data)
    changed.edge_index = torch.cat([to_edge_index(part) for part in parts], dim=1)
    for name, value in parts[0].values.items():
        added = [_values_of(part, name) for part in parts[1:]]
        changed[name] = torch.cat([value.long() if name == "edge_type" else value, *added])
    changed.ids = None if data.ids is None else list(data.ids)
    for name in ("csr", "highway_csr", "folder"):
        if name in changed:
            del changed[name]
    return changed
