"""The direction-optimising BFS against scipy's dijkstra and NetworkX, in every direction and chunk size."""

from itertools import product
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from highwaygraph.graph import bfs
from highwaygraph.graph.bfs import hops_between, hops_from, hops_to_own_class
from highwaygraph.graph.csr import CSR, from_edge_index, undirected_csr
from tests.helpers.graphs import both_ways, edge_lists

# From top-down in every level, with lists or masks, to full sweeps, in one chunk and in many, with one group of sources
# at a time and with several.
MODES = [
    {
        "GATHER_FRACTION": gather,
        "LIST_FRACTION": listed,
        "CHUNK_ENTRIES": chunk,
        "MAX_STATES": 0,
        "MIN_GROUPS": groups,
        "MAX_SUMMED": 0 if listed else 2**21,
    }
    for gather, listed, chunk, groups in product((0.01, 1, 4, 10**9), (0, 2, 10**9), (1, 2**20), (1, 2, 16))
]
PATH = undirected_csr(torch.tensor([[0, 1, 2, 4], [1, 2, 3, 5]]), 6)


def oracle(edges: torch.Tensor, num_nodes: int, sources: torch.Tensor) -> torch.Tensor:
    """Return each node's hops to the nearest source by scipy's dijkstra."""
    if not len(sources):
        return torch.full((num_nodes,), bfs.UNREACHABLE)
    matrix = csr_array((np.ones(edges.size(1)), tuple(edges.numpy())), shape=(num_nodes, num_nodes))
    hops = dijkstra(matrix, directed=False, indices=sources.numpy(), unweighted=True, min_only=True)
    return torch.from_numpy(np.where(np.isinf(hops), bfs.UNREACHABLE, hops)).long()


def oracle_between(edges: torch.Tensor, num_nodes: int, nodes: torch.Tensor) -> torch.Tensor:
    """Return the hops between all pairs of nodes by scipy's dijkstra."""
    rows = [oracle(edges, num_nodes, nodes[i : i + 1])[nodes] for i in range(len(nodes))]
    return torch.stack(rows) if rows else torch.empty(0, 0, dtype=torch.long)


def oracle_own(edges: torch.Tensor, labels: torch.Tensor, labelled: torch.Tensor) -> torch.Tensor:
    """Return each node's hops to the nearest labelled node of its class by scipy's dijkstra."""
    hops = torch.full((len(labels),), bfs.UNREACHABLE)
    for label in labels[labelled].unique():
        own = labels == label
        hops[own] = oracle(edges, len(labels), (own & labelled).nonzero().flatten())[own]
    return hops


def adjacencies(num_nodes: int, edges: torch.Tensor) -> list[list[CSR]]:
    """Return the same edges as one adjacency and as two."""
    far = (edges[0] - edges[1]).abs() > num_nodes // 3
    return [[undirected_csr(edges, num_nodes)], [undirected_csr(edges[:, side], num_nodes) for side in (far, ~far)]]


@given(edge_lists(), st.data())
def test_hops_equal_those_of_scipy(case, data) -> None:
    nodes, edges, _ = case
    sources = torch.tensor(data.draw(st.lists(st.integers(0, nodes - 1), max_size=3)), dtype=torch.long)
    expected, between = oracle(edges, nodes, sources), oracle_between(edges, nodes, sources.unique())
    mode = data.draw(st.sampled_from(MODES))
    for parts in adjacencies(nodes, edges):
        with patch.multiple(bfs, **mode):
            assert torch.equal(hops_from(parts, sources), expected)
            assert torch.equal(hops_between(parts, sources.unique()), between)


@given(edge_lists(), st.data())
def test_hops_to_the_own_class_equal_those_of_scipy(case, data) -> None:
    nodes, edges, _ = case
    labels = torch.tensor(data.draw(st.lists(st.integers(-1, 3), min_size=nodes, max_size=nodes)))
    labelled = torch.tensor(data.draw(st.lists(st.booleans(), min_size=nodes, max_size=nodes))) & (labels >= 0)
    expected = oracle_own(edges, labels, labelled)
    mode = data.draw(st.sampled_from(MODES))
    for parts in adjacencies(nodes, edges):
        with patch.multiple(bfs, **mode):
            assert torch.equal(hops_to_own_class(parts, labels, labelled), expected)


@given(edge_lists())
def test_hops_equal_those_of_networkx(case) -> None:
    nodes, edges, _ = case
    graph = nx.Graph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from(edges.T.tolist())
    reached = nx.single_source_shortest_path_length(graph, 0)
    hops = hops_from([undirected_csr(edges, nodes)], torch.tensor([0]))
    assert hops.tolist() == [reached.get(v, -1) for v in range(nodes)]


def test_hops_on_a_path_and_a_second_component() -> None:
    assert hops_from([PATH], torch.tensor([0])).tolist() == [0, 1, 2, 3, -1, -1]
    assert hops_from([PATH], torch.tensor([1, 5])).tolist() == [1, 0, 1, 2, 1, 0]
    assert hops_from([PATH], torch.tensor([], dtype=torch.long)).tolist() == [-1] * 6


def test_own_class_skips_nearer_labels_of_other_classes() -> None:
    labels = torch.tensor([0, 1, 0, 0, 1, -1])
    labelled = torch.tensor([True, True, False, False, False, False])
    assert hops_to_own_class([PATH], labels, labelled).tolist() == [0, 0, 2, 3, -1, -1]


def test_between_is_symmetric_with_zero_diagonal() -> None:
    assert hops_between([PATH], torch.tensor([3, 0, 4])).tolist() == [[0, 3, -1], [3, 0, -1], [-1, -1, 0]]


def test_a_long_path_is_searched_to_its_end() -> None:
    path = torch.stack([torch.arange(299), torch.arange(1, 300)])
    assert hops_from([undirected_csr(path, 300)], torch.tensor([0])).tolist() == list(range(300))


def test_a_hub_with_more_neighbours_than_half_precision_counts() -> None:
    leaves = torch.arange(1, 80_001)
    star = torch.stack([torch.zeros_like(leaves), leaves])
    with patch.object(bfs, "GATHER_FRACTION", 10**9):
        assert hops_from([undirected_csr(star, 80_001)], leaves[:-1])[[0, -1]].tolist() == [1, 2]


def test_a_node_reached_twice_in_one_level_counts_once() -> None:
    # Two paths to node 3, of which one may be a highway, and then one edge on to node 4.
    paths = torch.tensor([[0, 1, 3], [1, 3, 4]]), torch.tensor([[0, 2], [2, 3]])
    labels = torch.tensor([0, -1, -1, 0, 0])
    one, two = [undirected_csr(torch.cat(paths, dim=1), 5)], [undirected_csr(path, 5) for path in paths]
    for mode, parts in product(MODES, (one, two)):
        with patch.multiple(bfs, **mode):
            assert hops_to_own_class(parts, labels, torch.arange(5) == 0).tolist() == [0, -1, -1, 2, 3]


def test_repeated_nodes_and_weights_of_zero() -> None:
    edges = both_ways(torch.tensor([[0, 1, 2], [1, 2, 3]]))
    parts, nodes = [from_edge_index(edges, 5, torch.zeros(6))], torch.tensor([3, 0, 3, 4])
    for mode in MODES:
        with patch.multiple(bfs, **mode):
            assert torch.equal(hops_between(parts, nodes), oracle_between(edges, 5, nodes))


@pytest.mark.parametrize(("fraction", "direction"), [(1e-9, "_top_down"), (3, "_bottom_up"), (1e9, "_full_sweep")])
def test_every_direction_is_taken(fraction: float, direction: str) -> None:
    edges = torch.tensor([[0] * 5 + [6], [1, 2, 3, 4, 5, 5]])
    with (
        patch.object(bfs, "GATHER_FRACTION", fraction),
        patch.object(bfs, direction, wraps=getattr(bfs, direction)) as taken,
    ):
        hops = hops_from([undirected_csr(edges, 7)], torch.tensor([1, 2, 3, 4, 0]))
    assert hops.tolist() == [0, 0, 0, 0, 0, 1, 2]
    assert taken.called
