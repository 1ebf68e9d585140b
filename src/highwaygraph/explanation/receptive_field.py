"""The receptive field of one node: a subgraph on which the network gives the same logits as on the whole graph."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from highwaygraph.graph.csr import CSR, neighbor_entries
from highwaygraph.graph.edge_values import values_by_name
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.neighbor_sampler import sample_neighbors
from highwaygraph.graph.queries import adjacencies
from highwaygraph.runtime.rng import generator

# Neighbours sampled per node, where all neighbours of a hop would be more edges than the limit.
FANOUT = 10


class Ball(NamedTuple):
    """The nodes within some hops of a node, which comes first."""

    nodes: Int[Tensor, "m"]
    hops: Int[Tensor, "m"]
    is_complete: bool
    """Whether all neighbours were followed; some are sampled where they are too many."""


class Field(NamedTuple):
    """A subgraph around a node."""

    graph: Graph
    """The induced subgraph with its edges' values; its features are scaled."""
    nodes: Int[Tensor, "m"]
    """The node of the whole graph that every node is."""
    hops: Int[Tensor, "m"]
    """Hops from the explained node, -1 where they were not computed."""
    target: int
    """Position of the explained node."""
    is_whole: bool
    """Whether it is the whole graph."""
    is_exact: bool
    """Whether it gives the same logits as the whole graph."""


def ball(parts: Sequence[CSR], node: int, radius: int, most_edges: int | None) -> Ball:
    """Return the nodes within some hops of a node.

    Args:
        parts: Adjacencies of the same nodes, with both directions of every edge.
        node: The node.
        radius: The number of hops.
        most_edges: Edges of a hop beyond which FANOUT neighbours of each node are sampled; None follows all.

    Returns:
        The nodes in order of their hops.

    Example:
        >>> from highwaygraph.graph.csr import undirected_csr
        >>> path = undirected_csr(torch.tensor([[0, 1, 2], [1, 2, 3]]), 4)
        >>> ball([path], 0, 2, None).nodes
        tensor([0, 1, 2])
    """
    layers, found, complete = [torch.tensor([node])], torch.tensor([node]), True
    for _ in range(radius):
        edges = sum(int((part.rowptr[layers[-1] + 1] - part.rowptr[layers[-1]]).sum()) for part in parts)
        if most_edges is not None and edges > most_edges:
            complete = False
            neighbors = sample_neighbors(parts, layers[-1], FANOUT, generator(0, f"explain {node}")).sender
        else:
            neighbors = torch.cat([part.col[neighbor_entries(part, layers[-1])[0]].long() for part in parts])
        new = neighbors.unique()
        new = new[~torch.isin(new, found)]
        if not len(new):
            break
        layers.append(new)
        found = torch.cat([found, new])
    hops = torch.arange(len(layers)).repeat_interleave(torch.tensor([len(layer) for layer in layers]))
    return Ball(found, hops, complete)


def induced_subgraph(graph: Graph, nodes: Int[Tensor, "m"]) -> Graph:
    """Return the edges between some nodes, with their values, and the nodes' features.

    Args:
        graph: A graph in memory or on disk.
        nodes: Distinct nodes; their order is kept.

    Returns:
        A graph of these nodes.

    Example:
        >>> path = Graph(x=torch.eye(3), edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
        >>> induced_subgraph(path, torch.tensor([2, 1])).edge_index.tolist()
        [[1], [0]]
    """
    order = nodes.argsort()
    if graph.has_edge_index:
        ends = _positions(nodes, order, graph.edge_index)
        kept = (ends >= 0).all(dim=0)
        found = Graph(x=graph.x[nodes], edge_index=ends[:, kept], num_nodes=len(nodes))
        found.update({name: value[kept] for name, value in values_by_name(graph).items()})
        return found
    sources, targets, values = [], [], list[dict[str, Tensor]]()
    for part in adjacencies(graph):
        entries, owner = neighbor_entries(part, nodes)
        source = _positions(nodes, order, part.col[entries].long())
        inside = source >= 0
        sources.append(source[inside])
        targets.append(owner[inside])
        values.append(_entry_values(graph, part, entries[inside]))
    found = Graph(x=graph.x[nodes], edge_index=torch.stack([torch.cat(sources), torch.cat(targets)]))
    found.num_nodes = len(nodes)
    found.update({name: torch.cat([one[name] for one in values]) for name in values[0]})
    return found


def _positions(nodes: Tensor, order: Tensor, ends: Tensor) -> Tensor:
    """Return the position of each node among the given ones, -1 where it is none of them."""
    place = torch.searchsorted(nodes[order], ends).clamp(max=len(nodes) - 1)
    found: Tensor = order[place]
    return found.where(nodes[found] == ends, -1)


def _entry_values(graph: Graph, part: CSR, entries: Tensor) -> dict[str, Tensor]:
    """Return the values of some entries; highways, which list no weights, have weight 1."""
    found = {}
    for name in values_by_name(graph):
        value = part.values.get(name)
        chosen = torch.ones(len(entries)) if value is None else value[entries]
        found[name] = chosen.long() if name == "edge_type" else chosen
    return found
