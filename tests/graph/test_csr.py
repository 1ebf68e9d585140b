import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.graph import csr
from highwaygraph.graph.csr import degrees, from_edge_index, has_edges, node_chunks, to_edge_index
from tests.helpers.graphs import both_ways, edge_lists


@given(edge_lists())
def test_rows_hold_the_same_edges(case) -> None:
    nodes, old, other = case
    edges = both_ways(old)
    held = from_edge_index(edges, nodes)
    assert {*map(tuple, to_edge_index(held).T.tolist())} == {*map(tuple, edges.T.tolist())}
    assert degrees(held).tolist() == torch.bincount(edges[1], minlength=nodes).tolist()
    expected = [tuple(edge) in {*map(tuple, edges.T.tolist())} for edge in other.T.tolist()]
    assert has_edges(held, other).tolist() == expected


@given(edge_lists(), st.booleans())
def test_sums_are_those_of_a_dense_product(case, weighted) -> None:
    nodes, old, _ = case
    edges = both_ways(old)
    held, table = from_edge_index(edges, nodes, torch.rand(edges.size(1)) if weighted else None), torch.randn(nodes, 3)
    dense = torch.zeros(nodes, nodes)
    dense[to_edge_index(held)[1], to_edge_index(held)[0]] = held.weight if weighted else 1.0
    for low, high in csr.row_blocks(held, slice(0, nodes), 10):
        torch.testing.assert_close(csr.sum_neighbors(held, low, high, table, weighted=True), dense[low:high] @ table)
        torch.testing.assert_close(csr.sum_neighbors(held, low, high, table), dense[low:high].sign() @ table)


def test_many_nodes_without_edges_are_not_one_block() -> None:
    held = from_edge_index(torch.tensor([[0, 1], [1, 0]]), 1000)
    cut = list(csr.row_blocks(held, slice(0, 1000), 100))
    assert [low for low, _ in cut[1:]] == [high for _, high in cut[:-1]]
    assert (cut[0][0], cut[-1][1]) == (0, 1000)
    assert max(high - low for low, high in cut) <= 100


@pytest.mark.parametrize("most", [1, 3, 100])
def test_pieces_cover_all_nodes_once(most) -> None:
    edges = both_ways(torch.randint(20, (2, 40), generator=torch.Generator().manual_seed(0)))
    held, nodes = from_edge_index(edges, 20), torch.arange(20)
    cut = node_chunks(held, nodes, most)
    assert torch.cat([nodes[piece] for piece in cut]).tolist() == nodes.tolist()
    largest = int(degrees(held).max())
    assert all(int(degrees(held)[piece].sum()) <= most + largest for piece in cut)
    assert node_chunks(held, nodes[:0], most) == []
