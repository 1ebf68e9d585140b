"""Hop distances on the undirected graph by one direction-optimising breadth-first search over CSR adjacency.

Each level is expanded in the cheapest of three ways, as in Beamer et al., "Direction-optimizing breadth-first search"
(SC 2012): top-down from the frontier, bottom-up from the unvisited nodes, or by a full sweep over all entries. Several
groups of sources are searched at once. A frontier is a set of states, numbered node * groups + group: a sorted list
where it is sparse, a boolean mask where it is dense.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from highwaygraph.graph.csr import CSR, neighbor_entries, node_chunks, row_blocks, sum_neighbors
from highwaygraph.graph.packed_bits import or_neighbors, pack_bits, unpack_bits

UNREACHABLE = -1


# Entries of the adjacency that are read at once, which bounds the memory of a level.
CHUNK_ENTRIES = 2**20


# Top-down and bottom-up read at most one in so many entries; beyond, a sequential full sweep is cheaper.
GATHER_FRACTION = 8


# A frontier of at most one in so many states is kept as a list.
LIST_FRACTION = 64


# Groups searched at once: as many as keep the states below MAX_STATES, at least MIN_GROUPS. A full sweep of MIN_GROUPS
# groups costs hardly more than one of a single group.
MAX_STATES, MIN_GROUPS = 2**19, 16


# States whose neighbours are summed as numbers of two bytes. A larger table does not fit the processor's cache, where a
# random read costs several times as much: it is packed to a bit per group.
MAX_SUMMED = 2**21


# A list of states, or a mask over all of them.
States = Int[Tensor, "w"] | Bool[Tensor, "p"]


def hops_from(parts: Sequence[CSR], sources: Int[Tensor, "s"]) -> Int[Tensor, "n"]:
    """Return each node's hops to the nearest source, UNREACHABLE where there is no path.

    Args:
        parts: Adjacencies of the same nodes, both directions of every edge in each.
        sources: Nodes at distance 0.
    """
    return _distances(parts, sources, 1).flatten().long()


def hops_between(parts: Sequence[CSR], nodes: Int[Tensor, "m"]) -> Int[Tensor, "m m"]:
    """Return the hops between all pairs of the given nodes; memory is O(n * MIN_GROUPS + m^2)."""
    rows = [nodes.new_empty(0, len(nodes))]
    for group in nodes.split(_num_groups(parts[0].num_nodes)):
        sources = group * len(group) + torch.arange(len(group))
        rows.append(_distances(parts, sources, len(group))[nodes].T.long())
    return torch.cat(rows)


def hops_to_own_class(parts: Sequence[CSR], labels: Int[Tensor, "n"], labelled: Bool[Tensor, "n"]) -> Int[Tensor, "n"]:
    """Return each node's hops to the nearest labelled node of its own class (the x-axis of Figure 1)."""
    hops = torch.full((len(labels),), UNREACHABLE)
    for classes in labels[labelled].unique().split(_num_groups(len(labels))):
        nodes = torch.isin(labels, classes).nonzero().flatten()
        own = nodes * len(classes) + torch.searchsorted(classes, labels[nodes])
        _fill_targets(hops, frontiers(parts, own[labelled[nodes]], len(classes)), own, len(classes))
    return hops


def frontiers(parts: Sequence[CSR], sources: Int[Tensor, "s"], groups: int) -> Iterator[States]:
    """Yield the frontier of every level, beginning with the sources themselves."""
    visited = torch.zeros(parts[0].num_nodes * groups, dtype=torch.bool)
    frontier: Tensor = sources.long().unique()
    _add(visited, frontier)
    while _count(frontier):
        yield frontier
        reached = []
        for adjacency in parts:
            reached.append(_expand(adjacency, frontier, visited, groups))
            # At once, so that the next part does not reach the same states again.
            _add(visited, reached[-1])
        frontier = _union(reached, len(visited))


def _num_groups(num_nodes: int) -> int:
    return max(MIN_GROUPS, MAX_STATES // max(num_nodes, 1))


def _distances(parts: Sequence[CSR], sources: Tensor, groups: int) -> Int[Tensor, "n g"]:
    hops = torch.full((parts[0].num_nodes * groups,), UNREACHABLE, dtype=torch.int32)
    for level, frontier in enumerate(frontiers(parts, sources, groups)):
        hops[frontier] = level
    return hops.view(parts[0].num_nodes, groups)


def _fill_targets(hops: Tensor, levels: Iterator[Tensor], targets: Tensor, groups: int) -> None:
    """Write the level at which each target state is reached, and stop after the last one."""
    wanted = torch.zeros(len(hops) * groups, dtype=torch.bool)
    wanted[targets] = True
    left = len(targets)
    for level, frontier in enumerate(levels):
        reached = _as_list(frontier & wanted) if frontier.dtype == torch.bool else frontier[wanted[frontier]]
        hops[reached // groups] = level
        left -= len(reached)
        if not left:
            return


def _expand(adjacency: CSR, frontier: Tensor, visited: Tensor, groups: int) -> States:
    """Return the unvisited states next to the frontier, in the direction that reads the fewest entries."""
    if (states := _list_if_few(adjacency, frontier, groups)) is not None:
        return _top_down(adjacency, states, visited, groups)
    if (unvisited := _list_if_few(adjacency, ~visited, groups)) is not None:
        return _bottom_up(adjacency, unvisited, _as_mask(frontier, len(visited)), groups)
    return _full_sweep(adjacency, frontier, visited, groups)


def _list_if_few(adjacency: CSR, states: Tensor, groups: int) -> Tensor | None:
    """Return the states as a list, None if their nodes have too many entries to gather."""
    most = len(adjacency.col) // GATHER_FRACTION
    # So many states of average degree would be too many, and are not even listed.
    if _count(states) * len(adjacency.col) > most * adjacency.num_nodes:
        return None
    listed = _as_list(states)
    return listed if _num_entries(adjacency, listed, groups) <= most else None


def _top_down(adjacency: CSR, frontier: Tensor, visited: Tensor, groups: int) -> States:
    """Read the neighbours of the frontier."""
    neighbors = (neighbors for _, neighbors, _ in _gather_neighbors(adjacency, frontier, groups))
    if LIST_FRACTION * _num_entries(adjacency, frontier, groups) <= len(visited):
        listed = torch.cat([frontier[:0], *neighbors])
        sparse: Tensor = listed[~visited[listed]].unique()
        return sparse
    reached = torch.zeros_like(visited)
    for some in neighbors:
        reached[some] = True
    return reached.logical_and_(~visited)


def _bottom_up(adjacency: CSR, unvisited: Tensor, frontier: Tensor, groups: int) -> States:
    """Read the neighbours of the unvisited states, and return those with a neighbour in the frontier."""
    chunks = _gather_neighbors(adjacency, unvisited, groups)
    reached = (states[owner[frontier[neighbors]].unique_consecutive()] for states, neighbors, owner in chunks)
    return torch.cat([unvisited[:0], *reached])


def _full_sweep(adjacency: CSR, frontier: Tensor, visited: Tensor, groups: int) -> States:
    """Read all entries in order, which is cheaper than gathering many."""
    mask = _as_mask(frontier, len(visited)).view(adjacency.num_nodes, groups)
    is_packed = groups > 1 and mask.numel() > MAX_SUMMED
    table = pack_bits(mask) if is_packed else mask.half()
    reached = torch.empty_like(visited)
    for low, high in row_blocks(adjacency, slice(0, adjacency.num_nodes), CHUNK_ENTRIES):
        block = slice(low * groups, high * groups)
        if is_packed:
            adjacent = unpack_bits(or_neighbors(adjacency, low, high, table), groups)
        else:
            adjacent = sum_neighbors(adjacency, low, high, table) > 0
        # Adjacent and not visited.
        torch.gt(adjacent.flatten(), visited[block], out=reached[block])
    return reached


def _gather_neighbors(adjacency: CSR, states: Tensor, groups: int) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Yield a chunk of the states, the neighbours of all of them, and the position of the state each belongs to."""
    nodes, group = states // groups, states % groups
    for chunk in node_chunks(adjacency, nodes, CHUNK_ENTRIES):
        entries, owner = neighbor_entries(adjacency, nodes[chunk])
        yield states[chunk], adjacency.col[entries].long() * groups + group[chunk][owner], owner


def _union(frontiers: Sequence[Tensor], size: int) -> States:
    """Return disjoint frontiers as one."""
    if all(frontier.dtype != torch.bool for frontier in frontiers):
        return torch.cat(list(frontiers))
    mask = _as_mask(frontiers[0], size)
    for frontier in frontiers[1:]:
        _add(mask, frontier)
    return mask


def _num_entries(adjacency: CSR, states: Tensor, groups: int) -> int:
    """Return the number of entries that the nodes of listed states have in all."""
    nodes = states // groups
    return int((adjacency.rowptr[nodes + 1] - adjacency.rowptr[nodes]).sum())


def _count(states: Tensor) -> int:
    return int(states.count_nonzero()) if states.dtype == torch.bool else len(states)


def _as_list(states: Tensor) -> Tensor:
    # NumPy's flatnonzero is several times as fast as torch's nonzero.
    return torch.from_numpy(np.flatnonzero(states.numpy())) if states.dtype == torch.bool else states


def _as_mask(states: Tensor, size: int) -> Tensor:
    if states.dtype == torch.bool:
        return states
    mask = torch.zeros(size, dtype=torch.bool)
    _add(mask, states)
    return mask


def _add(mask: Tensor, states: Tensor) -> None:
    """Add states to a mask in place."""
    if states.dtype == torch.bool:
        mask |= states
    else:
        mask[states] = True
