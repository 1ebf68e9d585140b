"""Augmentation of a graph with highways (Eq. 16) or pseudo-labels, and the algebra of edge lists."""

import copy

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from highwaygraph.graph.csr import from_edge_index, to_edge_index
from highwaygraph.graph.edge_values import highway_values, values_by_name
from highwaygraph.graph.graph import EDGE_VALUES, Graph


def add_edges(edge_index: Int[Tensor, "2 e"], new: Int[Tensor, "2 k"], num_nodes: int) -> Int[Tensor, "2 f"]:
    """Return A or R' (Eq. 16): the old edges, then both directions of the new ones that are not among them."""
    both = to_undirected(new, num_nodes)
    return torch.cat([edge_index, both[:, ~torch.isin(_keys(both, num_nodes), _keys(edge_index, num_nodes))]], dim=1)


def to_undirected(edges: Int[Tensor, "2 k"], num_nodes: int) -> Int[Tensor, "2 l"]:
    """Return both directions of each edge, once each and sorted, without self-loops."""
    both = torch.cat([edges, edges.flip(0)], dim=1)
    keys = _keys(both[:, both[0] != both[1]], num_nodes).unique()
    return torch.stack([keys // num_nodes, keys % num_nodes])


def undirected_edges(edge_index: Int[Tensor, "2 e"], num_nodes: int) -> Int[Tensor, "2 k"]:
    """Return every edge once, the smaller node first, without self-loops."""
    ends = edge_index[:, edge_index[0] != edge_index[1]].sort(dim=0).values
    keys = _keys(ends, num_nodes).unique()
    return torch.stack([keys // num_nodes, keys % num_nodes])


def distinct_edges(
    edge_index: Int[Tensor, "2 e"], num_nodes: int, edge_type: Int[Tensor, "e"] | None
) -> tuple[Int[Tensor, "2 k"], Int[Tensor, "k"]]:
    """Return every undirected edge once per type, and the place of one of its directions in edge_index.

    Args:
        edge_index: The edges; self-loops are left out.
        num_nodes: Number of nodes.
        edge_type: Type of every edge; without types, an edge is a pair of nodes.

    Returns:
        The edges, the smaller node first and sorted, and the place of each: of that direction where it is listed.
    """
    place = (edge_index[0] != edge_index[1]).nonzero().flatten()
    # Directions from the smaller node come first, so that they are the first of equal edges.
    place = place[(edge_index[0, place] > edge_index[1, place]).long().argsort(stable=True)]
    keys = _keys(edge_index[:, place].sort(dim=0).values, num_nodes)
    types = 1 if edge_type is None or not len(edge_type) else int(edge_type.max()) + 1
    keys = keys * types + (0 if edge_type is None else edge_type[place])
    first = is_first(keys)
    keys, order = keys[first].sort()
    pairs = keys // types
    return torch.stack([pairs // num_nodes, pairs % num_nodes]), place[first][order]


def is_new(edge_index: Int[Tensor, "2 e"], edges: Int[Tensor, "2 k"], num_nodes: int) -> Bool[Tensor, "k"]:
    """Return which undirected edges the graph does not have yet in both directions."""
    known = _keys(edge_index, num_nodes)
    found = torch.isin(_keys(edges, num_nodes), known) & torch.isin(_keys(edges.flip(0), num_nodes), known)
    return ~found & (edges[0] != edges[1])


def is_first_pair(edges: Int[Tensor, "2 k"], num_nodes: int) -> Bool[Tensor, "k"]:
    """Return which edges are the first between their two nodes, in either direction."""
    return is_first(_keys(edges.sort(dim=0).values, num_nodes))


def is_first(values: Int[Tensor, "k"]) -> Bool[Tensor, "k"]:
    """Return which entries have a value that no earlier entry has."""
    _, group = values.unique(return_inverse=True)
    position = torch.arange(len(values))
    first = position.new_full((int(group.max()) + 1 if len(group) else 0,), len(values))
    first.scatter_reduce_(0, group, position, "amin")
    return first[group] == position


def _keys(edges: Tensor, num_nodes: int) -> Tensor:
    return edges[0] * num_nodes + edges[1]


def add_highways(data: Graph, edges: Int[Tensor, "2 k"]) -> Graph:
    """Return the graph with the edges added in both directions, with the values of highways.

    Args:
        data: The graph, which is not changed.
        edges: Anchor and node of every highway.

    Returns:
        The graph, where a highway has weight 1, the mean features of all edges and the most frequent edge type; other
        attributes of edges are removed.
    """
    if not edges.size(1):
        return data
    grown, values = copy.copy(data), highway_values(data)
    if data.csr is not None:
        before = to_edge_index(data.highway_csr) if data.highway_csr else edges[:, :0]
        both = to_undirected(torch.cat([before, edges], dim=1), data.num_nodes)
        # Weights of highways are 1 without being listed; one row of features stands for all of them.
        more = {k: _repeat(v, both.size(1)) for k, v in values.items() if k != "edge_weight"}
        grown.highway_csr = from_edge_index(both, data.num_nodes)._replace(**more)
    if not data.has_edge_index:
        return grown
    for name in data.keys():  # noqa: SIM118 (iterating over a Data gives pairs)
        if name not in ("edge_index", *EDGE_VALUES) and data.is_edge_attr(name):
            # A highway has no such attribute, and a shorter table would be invalid.
            del grown[name]
    grown.edge_index = add_edges(data.edge_index, edges, data.num_nodes)
    new = grown.edge_index.size(1) - data.edge_index.size(1)
    for name, value in values_by_name(data).items():
        grown[name] = torch.cat([value, _repeat(values[name], new).to(value)])
    return grown


def _repeat(value: Tensor, count: int) -> Tensor:
    return value.expand(count, *value.shape)


def disjoint_union(first: Graph, second: Graph) -> Graph:
    """Return one graph of both, without edges between them; the nodes of the second come last.

    Args:
        first: A graph with an edge_index.
        second: Another one, with edge weights where the first has them.

    Returns:
        The edges and their weights; features and labels are left out.
    """
    edge_index = torch.cat([first.edge_index, second.edge_index + first.num_nodes], dim=1)
    union = Graph(edge_index=edge_index, num_nodes=first.num_nodes + second.num_nodes)
    if first.edge_weight is not None and second.edge_weight is not None:
        union.edge_weight = torch.cat([first.edge_weight, second.edge_weight])
    return union


def add_pseudo_labels(data: Graph, edges: Int[Tensor, "2 k"]) -> Graph:
    """Return the graph with the anchor's label as pseudo-label of the node at the end of each edge."""
    if not edges.size(1):
        return data
    grown = copy.copy(data)
    anchors, nodes = edges
    grown.true_label_mask, grown.train_mask, grown.y = data.train_mask, data.train_mask.clone(), data.y.clone()
    grown.train_mask[nodes] = True
    grown.y[nodes] = data.y[anchors]
    return grown


def augment(data: Graph, edges: Int[Tensor, "2 k"], control: str) -> Graph:
    """Return the graph of a round: with highways as edges, or with pseudo-labels in the control experiment."""
    return add_pseudo_labels(data, edges) if control == "pseudo-labels" else add_highways(data, edges)
