from itertools import product
from unittest.mock import patch

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.graph import bfs
from highwaygraph.graph.bfs import hops_along, hops_among, hops_to_own
from highwaygraph.graph.csr import from_edge_index
from tests.helpers.graphs import both_ways, edge_lists

# From picking out entries in every step, listed or marked, to looking at all, in one block and in many, one group at a
# time and several.
WAYS = [
    {"FEW": few, "RARE": rare, "AT_HAND": at_hand, "TOGETHER": together}
    for few, rare, at_hand, together in product((0.01, 1, 4, 10**9), (0, 2, 10**9), (1, 2**20), (1, 2, 16))
]


def parts_of(nodes: int, edges: torch.Tensor) -> list:
    far = (edges[0] - edges[1]).abs() > nodes // 3
    return [
        [from_edge_index(both_ways(edges), nodes)],
        [from_edge_index(both_ways(edges[:, side]), nodes) for side in (far, ~far)],
    ]


@given(edge_lists(), st.data())
def test_hops_are_those_of_the_list(case, data) -> None:
    nodes, edges, _ = case
    sources = torch.tensor(data.draw(st.lists(st.integers(0, nodes - 1), max_size=3)), dtype=torch.long)
    expected, among = bfs.hops_from(edges, nodes, sources), bfs.hops_between(edges, nodes, sources.unique())
    way = data.draw(st.sampled_from(WAYS))
    for parts in parts_of(nodes, edges):
        with patch.multiple(bfs, **way):
            assert torch.equal(hops_along(parts, sources), expected)
            assert torch.equal(hops_among(parts, sources.unique()), among)


@given(edge_lists(), st.data())
def test_hops_to_the_own_class_are_those_of_the_list(case, data) -> None:
    nodes, edges, _ = case
    labels = torch.tensor(data.draw(st.lists(st.integers(-1, 3), min_size=nodes, max_size=nodes)))
    labelled = torch.tensor(data.draw(st.lists(st.booleans(), min_size=nodes, max_size=nodes))) & (labels >= 0)
    expected = bfs.hops_to_own_class(edges, labels, labelled)
    way = data.draw(st.sampled_from(WAYS))
    for parts in parts_of(nodes, edges):
        with patch.multiple(bfs, **way):
            assert torch.equal(hops_to_own(parts, labels, labelled), expected)


def test_a_path_is_searched_to_its_end() -> None:
    path = torch.stack([torch.arange(299), torch.arange(1, 300)])
    assert hops_along([from_edge_index(both_ways(path), 300)], torch.tensor([0])).tolist() == list(range(300))


def test_a_hub_of_more_neighbours_than_half_precision_counts() -> None:
    leaves = torch.arange(1, 80_001)
    star = torch.stack([torch.zeros_like(leaves), leaves])
    with patch.object(bfs, "FEW", 10**9):
        assert hops_along([from_edge_index(both_ways(star), 80_001)], leaves[:-1])[[0, -1]].tolist() == [1, 2]


def test_who_is_reached_twice_in_a_step_counts_once() -> None:
    # Two ways to node 3, of which one may be a highway, and then one on to node 4.
    ways = torch.tensor([[0, 1, 3], [1, 3, 4]]), torch.tensor([[0, 2], [2, 3]])
    labels = torch.tensor([0, -1, -1, 0, 0])
    one, two = (
        [from_edge_index(both_ways(torch.cat(ways, dim=1)), 5)],
        [from_edge_index(both_ways(way), 5) for way in ways],
    )
    for way, parts in product(WAYS, (one, two)):
        with patch.multiple(bfs, **way):
            assert hops_to_own(parts, labels, torch.arange(5) == 0).tolist() == [0, -1, -1, 2, 3]


def test_nodes_listed_twice_and_weights_of_zero() -> None:
    edges = both_ways(torch.tensor([[0, 1, 2], [1, 2, 3]]))
    parts, nodes = [from_edge_index(edges, 5, torch.zeros(6))], torch.tensor([3, 0, 3, 4])
    for way in WAYS:
        with patch.multiple(bfs, **way):
            assert torch.equal(hops_among(parts, nodes), bfs.hops_between(edges, 5, nodes))


@pytest.mark.parametrize(("few", "step"), [(1e-9, "_ahead"), (3, "_behind"), (1e9, "_anywhere")])
def test_every_way_is_taken(few: float, step: str) -> None:
    edges = both_ways(torch.tensor([[0] * 5 + [6], [1, 2, 3, 4, 5, 5]]))
    with patch.object(bfs, "FEW", few), patch.object(bfs, step, wraps=getattr(bfs, step)) as taken:
        assert hops_along([from_edge_index(edges, 7)], torch.tensor([1, 2, 3, 4, 0])).tolist() == [0, 0, 0, 0, 0, 1, 2]
    assert taken.called
