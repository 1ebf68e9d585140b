"""Hop distances along rows: several groups search at once, each step over whatever is fewest to look at."""

from collections.abc import Callable, Iterator, Sequence

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from highwaygraph.hops import UNREACHABLE
from highwaygraph.rows import Rows, blocks, pieces, stretches, sums

# Entries that are looked at in one go where all are.
AT_HAND = 2**20
# One in so many entries, and fewer, are picked out instead of looking at all.
FEW = 32
# Groups that search at once: to look at all entries costs hardly more for so many than for one.
TOGETHER = 16
Step = Callable[[Rows, Tensor, Tensor, int], Tensor]


def hops_along(parts: Sequence[Rows], sources: Int[Tensor, "s"]) -> Int[Tensor, "n"]:
    """Return each node's hops to the nearest source, UNREACHABLE where there is no path."""
    return _hops(parts, sources, 1).flatten().long()


def hops_among(parts: Sequence[Rows], nodes: Int[Tensor, "m"]) -> Int[Tensor, "m m"]:
    """Return the hops between all pairs of the given nodes."""
    found = [nodes.new_empty(0, len(nodes))]
    for some in nodes.split(TOGETHER):
        sources = some * len(some) + torch.arange(len(some))
        found.append(_hops(parts, sources, len(some))[nodes].T.long())
    return torch.cat(found)


def hops_to_own(parts: Sequence[Rows], labels: Int[Tensor, "n"], labelled: Bool[Tensor, "n"]) -> Int[Tensor, "n"]:
    """Return each node's hops to the nearest labelled node of its own class (the x-axis of Figure 1)."""
    found = torch.full((len(labels),), UNREACHABLE)
    for classes in labels[labelled].unique().split(TOGETHER):
        nodes = torch.isin(labels, classes).nonzero().flatten()
        own = nodes * len(classes) + torch.searchsorted(classes, labels[nodes])
        _mark(found, waves(parts, own[labelled[nodes]], len(classes)), own, len(classes))
    return found


def waves(parts: Sequence[Rows], sources: Int[Tensor, "s"], groups: int) -> Iterator[Int[Tensor, "w"]]:
    """Return, hop after hop, whom each group reaches first then, as node * groups + group, sources first."""
    seen = torch.zeros(parts[0].nodes * groups, dtype=torch.bool)
    left = [len(rows.neighbours) * groups for rows in parts]
    wave = sources.long().unique()
    while len(wave):
        seen[wave] = True
        yield wave
        reached = [wave[:0]]
        for place, rows in enumerate(parts):
            ahead = _entries(rows, wave, groups)
            left[place] -= ahead
            reached.append(_fewest(rows, ahead, left[place])(rows, wave, seen, groups))
            # At once, so that the next part does not find them again.
            seen[reached[-1]] = True
        wave = torch.cat(reached)


def _hops(parts: Sequence[Rows], sources: Tensor, groups: int) -> Int[Tensor, "n g"]:
    found = torch.full((parts[0].nodes * groups,), UNREACHABLE, dtype=torch.int32)
    for distance, wave in enumerate(waves(parts, sources, groups)):
        found[wave] = distance
    return found.view(parts[0].nodes, groups)


def _mark(found: Tensor, spreading: Iterator[Tensor], wanted: Tensor, groups: int) -> None:
    """Write down for each node when the group that it waits for reaches it, until nobody waits any longer."""
    waits = torch.zeros(len(found) * groups, dtype=torch.bool)
    waits[wanted] = True
    left = len(wanted)
    for distance, wave in enumerate(spreading):
        reached = wave[waits[wave]]
        found[reached // groups] = distance
        left -= len(reached)
        if not left:
            return


def _fewest(rows: Rows, ahead: int, left: int) -> Step:
    """Return how to find whom the last ones lead to and nobody of their group saw before, once each."""
    most = len(rows.neighbours) // FEW
    return _ahead if ahead <= most else _behind if left <= most else _anywhere


def _ahead(rows: Rows, wave: Tensor, seen: Tensor, groups: int) -> Tensor:
    """Look at all whom the last ones hear."""
    heard = (heard[~seen[heard]].unique() for _, heard, _ in _heard(rows, wave, groups))
    found: Tensor = torch.cat([wave[:0], *heard]).unique()
    return found


def _behind(rows: Rows, wave: Tensor, seen: Tensor, groups: int) -> Tensor:
    """Look at all whom those hear that were not seen yet."""
    last = torch.zeros_like(seen)
    last[wave] = True
    looks = _heard(rows, (~seen).nonzero().flatten(), groups)
    return torch.cat([wave[:0], *(some[by[last[heard]].unique_consecutive()] for some, heard, by in looks)])


def _heard(rows: Rows, pairs: Tensor, groups: int) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Return, for some of the pairs at a time, these, all whom they hear, and which of them hears each."""
    nodes, group = pairs // groups, pairs % groups
    for piece in pieces(rows, nodes):
        entries, by = stretches(rows, nodes[piece])
        yield pairs[piece], rows.neighbours[entries].long() * groups + group[piece][by], by


def _anywhere(rows: Rows, wave: Tensor, seen: Tensor, groups: int) -> Tensor:
    """Look at all entries in order, which is cheaper than to pick out many."""
    last = torch.zeros(rows.nodes, groups, dtype=torch.half)
    last.view(-1)[wave] = 1
    found = [wave[:0]]
    for low, high in blocks(rows, slice(0, rows.nodes), AT_HAND):
        near = (sums(rows, low, high, last) > 0).flatten()
        found.append((near & ~seen[low * groups : high * groups]).nonzero().flatten() + low * groups)
    return torch.cat(found)


def _entries(rows: Rows, wave: Tensor, groups: int) -> int:
    """Return how many entries the nodes of a wave have in all."""
    nodes = (some // groups for some in wave.split(AT_HAND))
    return sum(int((rows.start[some + 1] - rows.start[some]).sum()) for some in nodes)
