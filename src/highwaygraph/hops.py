"""How far nodes are from each other: breadth-first hop distances on the undirected graph."""

import numpy as np
import torch
from jaxtyping import Bool, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from torch import Tensor

UNREACHABLE = -1


def hops_from(edge_index: Int[Tensor, "2 e"], num_nodes: int, sources: Int[Tensor, "s"]) -> Int[Tensor, "n"]:
    """Return each node's hops to the nearest source, UNREACHABLE where there is no path."""
    if not len(sources):
        return torch.full((num_nodes,), UNREACHABLE)
    return _search(_adjacency(edge_index, num_nodes), sources)


def hops_to_own_class(
    edge_index: Int[Tensor, "2 e"], labels: Int[Tensor, "n"], labelled: Bool[Tensor, "n"]
) -> Int[Tensor, "n"]:
    """Return each node's hops to the nearest labelled node of its own class (the x-axis of Figure 1)."""
    adjacency = _adjacency(edge_index, len(labels))
    hops = torch.full((len(labels),), UNREACHABLE)
    for label in labels[labelled].unique():
        own = labels == label
        sources = (own & labelled).nonzero().flatten()
        hops[own] = _search(adjacency, sources)[own]
    return hops


def hops_between(edge_index: Int[Tensor, "2 e"], num_nodes: int, nodes: Int[Tensor, "m"]) -> Int[Tensor, "m m"]:
    """Return the hops between all pairs of the given nodes, one search per node so that memory is O(n + m^2)."""
    adjacency = _adjacency(edge_index, num_nodes)
    rows = [_search(adjacency, nodes[i : i + 1])[nodes] for i in range(len(nodes))]
    return torch.stack(rows) if rows else torch.empty(0, 0, dtype=torch.long)


def _adjacency(edge_index: Tensor, num_nodes: int) -> csr_array:
    source, target = edge_index.cpu().numpy()
    ones = np.ones(len(source), dtype=np.float32)
    return csr_array((ones, (source, target)), shape=(num_nodes, num_nodes))


def _search(adjacency: csr_array, sources: Tensor) -> Tensor:
    indices = sources.cpu().numpy()
    distance = dijkstra(adjacency, directed=False, indices=indices, unweighted=True, min_only=True)
    distance[np.isinf(distance)] = UNREACHABLE
    return torch.from_numpy(distance).long()
