"""How far nodes are from each other: breadth-first hop distances on the undirected graph."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from jaxtyping import Bool, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from torch import Tensor

from highwaygraph.graph.csr import CSR, neighbor_entries, node_chunks, row_blocks, sum_neighbors

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


# Entries that are looked at in one go where all are.
AT_HAND = 2**20


# One in so many entries, and fewer, are picked out instead of looking at all.
FEW = 8


# One in so many pairs, and fewer, are listed instead of marked among all.
RARE = 64


# Groups that search at once: to look at all entries costs hardly more for so many than for one.
TOGETHER = 16


# Pairs of node and group, numbered node * groups + group: either listed, or marked among all.
Pairs = Int[Tensor, "w"] | Bool[Tensor, "p"]


def hops_along(parts: Sequence[CSR], sources: Int[Tensor, "s"]) -> Int[Tensor, "n"]:
    """Return each node's hops to the nearest source, UNREACHABLE where there is no path."""
    return _hops(parts, sources, 1).flatten().long()


def hops_among(parts: Sequence[CSR], nodes: Int[Tensor, "m"]) -> Int[Tensor, "m m"]:
    """Return the hops between all pairs of the given nodes."""
    found = [nodes.new_empty(0, len(nodes))]
    for some in nodes.split(TOGETHER):
        sources = some * len(some) + torch.arange(len(some))
        found.append(_hops(parts, sources, len(some))[nodes].T.long())
    return torch.cat(found)


def hops_to_own(parts: Sequence[CSR], labels: Int[Tensor, "n"], labelled: Bool[Tensor, "n"]) -> Int[Tensor, "n"]:
    """Return each node's hops to the nearest labelled node of its own class (the x-axis of Figure 1)."""
    found = torch.full((len(labels),), UNREACHABLE)
    for classes in labels[labelled].unique().split(TOGETHER):
        nodes = torch.isin(labels, classes).nonzero().flatten()
        own = nodes * len(classes) + torch.searchsorted(classes, labels[nodes])
        _mark(found, waves(parts, own[labelled[nodes]], len(classes)), own, len(classes))
    return found


def waves(parts: Sequence[CSR], sources: Int[Tensor, "s"], groups: int) -> Iterator[Pairs]:
    """Return, hop after hop, the pairs of a node and a group that reaches it first then, sources first."""
    seen = torch.zeros(parts[0].num_nodes * groups, dtype=torch.bool)
    wave: Tensor = sources.long().unique()
    _add(seen, wave)
    while _count(wave):
        yield wave
        reached = []
        for rows in parts:
            reached.append(_step(rows, wave, seen, groups))
            # At once, so that the next part does not find them again.
            _add(seen, reached[-1])
        wave = _joined(reached, len(seen))


def _hops(parts: Sequence[CSR], sources: Tensor, groups: int) -> Int[Tensor, "n g"]:
    found = torch.full((parts[0].num_nodes * groups,), UNREACHABLE, dtype=torch.int32)
    for distance, wave in enumerate(waves(parts, sources, groups)):
        found[wave] = distance
    return found.view(parts[0].num_nodes, groups)


def _mark(found: Tensor, spreading: Iterator[Tensor], wanted: Tensor, groups: int) -> None:
    """Write down for each node when the group that it waits for reaches it, until nobody waits any longer."""
    waits = torch.zeros(len(found) * groups, dtype=torch.bool)
    waits[wanted] = True
    left = len(wanted)
    for distance, wave in enumerate(spreading):
        reached = _listed(wave & waits) if wave.dtype == torch.bool else wave[waits[wave]]
        found[reached // groups] = distance
        left -= len(reached)
        if not left:
            return


def _step(rows: CSR, wave: Tensor, seen: Tensor, groups: int) -> Pairs:
    """Return whom the last ones lead to and nobody of their group saw before, by few entries if few will do."""
    if (ahead := _if_few(rows, wave, groups)) is not None:
        return _ahead(rows, ahead, seen, groups)
    if (unseen := _if_few(rows, ~seen, groups)) is not None:
        return _behind(rows, unseen, _marked(wave, len(seen)), groups)
    return _anywhere(rows, wave, seen, groups)


def _if_few(rows: CSR, pairs: Tensor, groups: int) -> Tensor | None:
    """Return the pairs listed, None if their nodes have too many entries to pick out."""
    most = len(rows.col) // FEW
    # So many pairs of average degree would be too many, and are not even listed.
    if _count(pairs) * len(rows.col) > most * rows.num_nodes:
        return None
    listed = _listed(pairs)
    return listed if _entries(rows, listed, groups) <= most else None


def _ahead(rows: CSR, wave: Tensor, seen: Tensor, groups: int) -> Pairs:
    """Look at all whom the last ones hear."""
    if RARE * _entries(rows, wave, groups) <= len(seen):
        heard = torch.cat([wave[:0], *(heard for _, heard, _ in _heard(rows, wave, groups))])
        rare: Tensor = heard[~seen[heard]].unique()
        return rare
    found = torch.zeros_like(seen)
    for _, heard, _ in _heard(rows, wave, groups):
        found[heard] = True
    return found.logical_and_(~seen)


def _behind(rows: CSR, unseen: Tensor, last: Tensor, groups: int) -> Pairs:
    """Look at all whom those hear that were not seen yet."""
    looks = _heard(rows, unseen, groups)
    return torch.cat([unseen[:0], *(some[by[last[heard]].unique_consecutive()] for some, heard, by in looks)])


def _heard(rows: CSR, pairs: Tensor, groups: int) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Return, for some of the pairs at a time, these, all whom they hear, and which of them hears each."""
    nodes, group = pairs // groups, pairs % groups
    for piece in node_chunks(rows, nodes, AT_HAND):
        entries, by = neighbor_entries(rows, nodes[piece])
        yield pairs[piece], rows.col[entries].long() * groups + group[piece][by], by


def _anywhere(rows: CSR, wave: Tensor, seen: Tensor, groups: int) -> Pairs:
    """Look at all entries in order, which is cheaper than to pick out many."""
    last = _marked(wave, len(seen)).view(rows.num_nodes, groups).half()
    found = torch.empty_like(seen)
    for low, high in row_blocks(rows, slice(0, rows.num_nodes), AT_HAND):
        own = slice(low * groups, high * groups)
        near = sum_neighbors(rows, low, high, last).flatten() > 0
        # Near and not seen.
        torch.gt(near, seen[own], out=found[own])
    return found


def _joined(waves: Sequence[Tensor], size: int) -> Pairs:
    """Return several waves as one, none of which has what another has."""
    if all(wave.dtype != torch.bool for wave in waves):
        return torch.cat(list(waves))
    found = _marked(waves[0], size)
    for wave in waves[1:]:
        _add(found, wave)
    return found


def _entries(rows: CSR, pairs: Tensor, groups: int) -> int:
    """Return how many entries the nodes of listed pairs have in all."""
    nodes = pairs // groups
    return int((rows.rowptr[nodes + 1] - rows.rowptr[nodes]).sum())


def _count(wave: Tensor) -> int:
    return int(wave.count_nonzero()) if wave.dtype == torch.bool else len(wave)


def _listed(wave: Tensor) -> Tensor:
    # NumPy's is several times as fast as torch's.
    return torch.from_numpy(np.flatnonzero(wave.numpy())) if wave.dtype == torch.bool else wave


def _marked(wave: Tensor, size: int) -> Tensor:
    if wave.dtype == torch.bool:
        return wave
    found = torch.zeros(size, dtype=torch.bool)
    _add(found, wave)
    return found


def _add(marks: Tensor, wave: Tensor) -> None:
    """Mark those of a wave too."""
    if wave.dtype == torch.bool:
        marks |= wave
    else:
        marks[wave] = True
