"""The nearest training label of a node, on the original graph and on the graph with highways."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from highwaygraph.graph.bfs import UNREACHABLE, hops_from
from highwaygraph.graph.csr import CSR, neighbor_entries


class LabelPath(NamedTuple):
    """A shortest path from a node to a label."""

    hops: int | None
    """None where no path leads to a label."""
    nodes: tuple[int, ...]
    """Its nodes, both ends included."""


class LabelSearch:
    """Shortest paths from any node to the nearest of some labelled nodes; one breadth-first search for all nodes.

    Args:
        parts: Adjacencies of the same nodes, with both directions of every edge.
        labelled: The labelled nodes.

    Example:
        >>> from highwaygraph.graph.csr import undirected_csr
        >>> path = undirected_csr(torch.tensor([[0, 1, 2], [1, 2, 3]]), 4)
        >>> LabelSearch([path], torch.tensor([3])).nearest(1)
        LabelPath(hops=2, nodes=(1, 2, 3))
    """

    def __init__(self, parts: Sequence[CSR], labelled: Int[Tensor, "l"]) -> None:
        self._parts, self._hops = parts, hops_from(parts, labelled)

    def hops(self, node: int) -> int | None:
        """Return the hops to the nearest label, None where no path leads to one."""
        found = int(self._hops[node])
        return None if found == UNREACHABLE else found

    def nearest(self, node: int) -> LabelPath:
        """Return a shortest path from a node to the nearest label."""
        hops = self.hops(node)
        if hops is None:
            return LabelPath(None, ())
        path = [node]
        for left in range(hops - 1, -1, -1):
            here = torch.tensor([path[-1]])
            around = torch.cat([part.col[neighbor_entries(part, here)[0]].long() for part in self._parts])
            path.append(int(around[self._hops[around] == left].min()))
        return LabelPath(hops, tuple(path))
