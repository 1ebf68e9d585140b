"""Large graphs with known truth, streamed to disk: communities on a torus, whose features change along the way."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from highwaygraph.data.mapped.external_sort import EdgeChunk
from highwaygraph.data.mapped.writer import Nodes, write_mapped_graph

# Nodes that are drawn in one go; the graph depends on it, as each stretch has a stream of its own.
STRETCH = 2**16
Numbers = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class World:
    """What the truth is: a class per community, few labels, and neighbours that are near on the torus."""

    nodes: int
    degree: int = 20
    features: int = 128
    classes: int = 10
    labels: int = 20
    """Training nodes per class, and as many for validation; the rest is test."""
    community: int = 200
    within: float = 0.7
    """Share of edges that stay in the community."""
    astray: float = 0.01
    """Share of edges that lead anywhere; the others lead to a community beside this one."""
    signal: float = 0.1
    """How far a class shows in a node's features, beside noise of 1."""
    drift: float = 1.5
    """Radians by which what a class looks like turns from one side of the torus to the opposite one."""
    skew: float = 2.0
    """How unequal degrees are within a community; 1 makes them alike."""
    seed: int = 0

    @cached_property
    def side(self) -> int:
        """Communities along one side of the torus."""
        return max(1, int(np.sqrt(self.nodes / self.community)))

    @cached_property
    def class_of(self) -> Numbers:
        """The class of each community."""
        return self._draw("classes").integers(self.classes, size=self.side**2)

    @cached_property
    def looks(self) -> Floats:
        """What each class looks like at one end and at the other: two directions of length 1."""
        drawn = self._draw("looks").standard_normal((2, self.classes, self.features), dtype=np.float32)
        return drawn / np.linalg.norm(drawn, axis=2, keepdims=True)

    def home(self, node: Numbers) -> Numbers:
        """Return the community of each node; consecutive nodes share one."""
        return node * self.side**2 // self.nodes

    def first(self, home: Numbers) -> Numbers:
        """Return the first node of each community, which is where the one before it ends."""
        return -(-home * self.nodes // self.side**2)

    @cached_property
    def truth(self) -> Numbers:
        """The class of each node."""
        return self.class_of[self.home(np.arange(self.nodes))]

    def part(self) -> NDArray[np.int8]:
        """Return who trains (1), validates (2) and is tested (3)."""
        part = np.full(self.nodes, 3, dtype=np.int8)
        draw = self._draw("part")
        for label in range(self.classes):
            chosen = draw.permutation(np.flatnonzero(self.truth == label))
            part[chosen[: self.labels]], part[chosen[self.labels : 2 * self.labels]] = 1, 2
        return part

    def stretches(self) -> Iterator[tuple[int, Numbers]]:
        """Return consecutive nodes, a stretch at a time, each with its number."""
        for number, low in enumerate(range(0, self.nodes, STRETCH)):
            yield number, np.arange(low, min(low + STRETCH, self.nodes))

    def rows(self) -> Iterator[Floats]:
        """Return the features, a stretch at a time."""
        for number, nodes in self.stretches():
            place = self.home(nodes) // self.side / self.side
            # There and back again: on a torus the last row of communities lies beside the first.
            angle = self.drift * (1 - np.abs(2 * place - 1)).astype(np.float32)[:, None]
            near, far = (look[self.truth[nodes]] for look in self.looks)
            noise = self._draw("features", number).standard_normal((len(nodes), self.features), dtype=np.float32)
            yield noise / np.sqrt(self.features, dtype=np.float32) + self.signal * (
                np.cos(angle) * near + np.sin(angle) * far
            )

    def edges(self) -> Iterator[EdgeChunk]:
        """Return the edges, a stretch at a time: every node finds half as many partners as its degree."""
        for number, nodes in self.stretches():
            draw = self._draw("edges", number)
            one = np.repeat(nodes, self.degree // 2)
            yield EdgeChunk(one, self._partner(self.home(one), draw))

    def _partner(self, home: Numbers, draw: np.random.Generator) -> Numbers:
        kind, side = draw.random(len(home)), self.side
        row, column = np.divmod(home, side)
        step = np.array([[0, 1], [1, 0], [0, -1], [-1, 0]])[draw.integers(4, size=len(home))]
        beside = (row + step[:, 0]) % side * side + (column + step[:, 1]) % side
        anywhere = draw.integers(side**2, size=len(home))
        there = np.where(kind < self.within, home, np.where(kind < 1 - self.astray, beside, anywhere))
        low, high = self.first(there), self.first(there + 1)
        # A power of a uniform number: the first nodes of a community are found most often.
        return low + ((high - low) * draw.random(len(home)) ** self.skew).astype(np.int64)

    def _draw(self, purpose: str, number: int = 0) -> np.random.Generator:
        return np.random.Generator(np.random.SFC64([self.seed, number, *purpose.encode()]))


def write(folder: Path, world: World) -> Path:
    """Write the graph as a folder of mapped arrays, unless it is there already."""
    if not folder.exists():
        nodes = Nodes(world.nodes, world.features, world.rows(), world.truth, world.part())
        write_mapped_graph(folder, nodes, world.edges())
    return folder
