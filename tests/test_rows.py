from itertools import product
from unittest.mock import patch

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph import rows
from highwaygraph.hops import hops_from
from highwaygraph.rows import degrees, from_edges, has, hops_along, pieces, to_edges
from tests.graphs import edge_lists


def both_ways(edges: torch.Tensor) -> torch.Tensor:
    return torch.cat([edges, edges.flip(0)], dim=1).unique(dim=1)


@given(edge_lists())
def test_rows_hold_the_same_edges(case) -> None:
    nodes, old, other = case
    edges = both_ways(old)
    held = from_edges(edges, nodes)
    assert {*map(tuple, to_edges(held).T.tolist())} == {*map(tuple, edges.T.tolist())}
    assert degrees(held).tolist() == torch.bincount(edges[1], minlength=nodes).tolist()
    expected = [tuple(edge) in {*map(tuple, edges.T.tolist())} for edge in other.T.tolist()]
    assert has(held, other).tolist() == expected


@given(edge_lists(), st.data())
def test_hops_are_those_of_the_list(case, data) -> None:
    nodes, edges, _ = case
    sources = torch.tensor(data.draw(st.lists(st.integers(0, nodes - 1), max_size=3)), dtype=torch.long)
    expected = hops_from(edges, nodes, sources)
    far = (edges[0] - edges[1]).abs() > nodes // 3
    parts = [from_edges(both_ways(edges[:, side]), nodes) for side in (far, ~far)]
    # From picking out entries in every step to looking at all, in one block and in many.
    for few, at_hand in product((0, 1, 2, 4, 10**9), (1, 7, 2**20)):
        with patch.multiple(rows, FEW=few, AT_HAND=at_hand):
            assert torch.equal(hops_along([from_edges(both_ways(edges), nodes)], sources), expected)
            assert torch.equal(hops_along(parts, sources), expected)


def test_many_nodes_without_edges_are_not_one_block() -> None:
    held = from_edges(torch.tensor([[0, 1], [1, 0]]), 1000)
    cut = list(rows.blocks(held, slice(0, 1000), 100))
    assert [low for low, _ in cut[1:]] == [high for _, high in cut[:-1]]
    assert (cut[0][0], cut[-1][1]) == (0, 1000)
    assert max(high - low for low, high in cut) <= 100


@pytest.mark.parametrize("most", [1, 3, 100])
def test_pieces_cover_all_nodes_once(most) -> None:
    edges = both_ways(torch.randint(20, (2, 40), generator=torch.Generator().manual_seed(0)))
    held, nodes = from_edges(edges, 20), torch.arange(20)
    cut = pieces(held, nodes, most)
    assert torch.cat(cut).tolist() == nodes.tolist()
    largest = int(degrees(held).max())
    assert all(int(degrees(held)[piece].sum()) <= most + largest for piece in cut)
    assert pieces(held, nodes[:0], most) == []
