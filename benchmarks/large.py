"""Large generated graphs, streamed to disk: communities on a torus, with features that drift along it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from highwaygraph.data.mapped.external_sort import EdgeChunk
from highwaygraph.data.mapped.writer import Nodes, write_mapped_graph

# Nodes per chunk; the graph depends on it, because each chunk has its own random stream.
CHUNK = 2**16
Numbers = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class GraphSpec:
    """Parameters of a graph: one class per community, few labels, and edges between adjacent communities."""

    nodes: int
    degree: int = 20
    features: int = 128
    classes: int = 10
    labels: int = 20
    """Training nodes per class, and as many for validation; the rest is test."""
    community: int = 200
    within: float = 0.7
    """Share of edges that stay in the community."""
    random: float = 0.01
    """Share of edges to a random community; the others lead to an adjacent one."""
    signal: float = 0.1
    """Norm of the class direction in the features, with noise of norm 1."""
    drift: float = 1.5
    """Radians by which the direction of a class rotates from one side of the torus to the opposite one."""
    skew: float = 2.0
    """Inequality of the degrees within a community; 1 makes them equal."""
    seed: int = 0

    @cached_property
    def side(self) -> int:
        """Number of communities along one side of the torus."""
        return max(1, int(np.sqrt(self.nodes / self.community)))

    @cached_property
    def class_of(self) -> Numbers:
        """The class of each community."""
        return self._rng("classes").integers(self.classes, size=self.side**2)

    @cached_property
    def directions(self) -> Floats:
        """Two unit vectors per class, between which its features rotate."""
        # The name of the random stream decides the graph.
        vectors = self._rng("looks").standard_normal((2, self.classes, self.features), dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=2, keepdims=True)

    def community_of(self, node: Numbers) -> Numbers:
        """Return the community of each node; consecutive nodes share one."""
        return node * self.side**2 // self.nodes

    def first_node(self, community: Numbers) -> Numbers:
        """Return the first node of each community."""
        return -(-community * self.nodes // self.side**2)

    @cached_property
    def classes_of_nodes(self) -> Numbers:
        """The class of each node."""
        return self.class_of[self.community_of(np.arange(self.nodes))]

    def split_codes(self) -> NDArray[np.int8]:
        """Return the split: 1 for training, 2 for validation, 3 for test."""
        part = np.full(self.nodes, 3, dtype=np.int8)
        rng = self._rng("part")
        for label in range(self.classes):
            chosen = rng.permutation(np.flatnonzero(self.classes_of_nodes == label))
            part[chosen[: self.labels]], part[chosen[self.labels : 2 * self.labels]] = 1, 2
        return part

    def chunks(self) -> Iterator[tuple[int, Numbers]]:
        """Yield chunks of consecutive nodes with their number."""
        for number, low in enumerate(range(0, self.nodes, CHUNK)):
            yield number, np.arange(low, min(low + CHUNK, self.nodes))

    def feature_chunks(self) -> Iterator[Floats]:
        """Yield the features in chunks."""
        for number, nodes in self.chunks():
            position = self.community_of(nodes) // self.side / self.side
            # Back and forth: on a torus the last row of communities is adjacent to the first.
            angle = self.drift * (1 - np.abs(2 * position - 1)).astype(np.float32)[:, None]
            near, far = (direction[self.classes_of_nodes[nodes]] for direction in self.directions)
            noise = self._rng("features", number).standard_normal((len(nodes), self.features), dtype=np.float32)
            yield noise / np.sqrt(self.features, dtype=np.float32) + self.signal * (
                np.cos(angle) * near + np.sin(angle) * far
            )

    def edge_chunks(self) -> Iterator[EdgeChunk]:
        """Yield the edges in chunks: every node samples half its degree in neighbours."""
        for number, nodes in self.chunks():
            rng = self._rng("edges", number)
            source = np.repeat(nodes, self.degree // 2)
            yield EdgeChunk(source, self._targets(self.community_of(source), rng))

    def _targets(self, home: Numbers, rng: np.random.Generator) -> Numbers:
        kind, side = rng.random(len(home)), self.side
        row, column = np.divmod(home, side)
        step = np.array([[0, 1], [1, 0], [0, -1], [-1, 0]])[rng.integers(4, size=len(home))]
        adjacent = (row + step[:, 0]) % side * side + (column + step[:, 1]) % side
        anywhere = rng.integers(side**2, size=len(home))
        there = np.where(kind < self.within, home, np.where(kind < 1 - self.random, adjacent, anywhere))
        low, high = self.first_node(there), self.first_node(there + 1)
        # A power of a uniform number: the first nodes of a community have the highest degrees.
        return low + ((high - low) * rng.random(len(home)) ** self.skew).astype(np.int64)

    def _rng(self, purpose: str, number: int = 0) -> np.random.Generator:
        return np.random.Generator(np.random.SFC64([self.seed, number, *purpose.encode()]))


def write(folder: Path, spec: GraphSpec) -> Path:
    """Write the graph to a folder of memory-mapped arrays, unless it exists."""
    if not folder.exists():
        nodes = Nodes(spec.nodes, spec.features, spec.feature_chunks(), spec.classes_of_nodes, spec.split_codes())
        write_mapped_graph(folder, nodes, spec.edge_chunks())
    return folder
