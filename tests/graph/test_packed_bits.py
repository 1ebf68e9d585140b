import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.graph.csr import undirected_csr
from highwaygraph.graph.packed_bits import or_neighbors, pack_bits, unpack_bits


@pytest.mark.parametrize("groups", [1, 7, 8, 9, 16, 17, 33, 64, 65, 200])
def test_masks_come_back(groups) -> None:
    mask = torch.rand(13, groups, generator=torch.Generator().manual_seed(groups)) < 0.4
    words = pack_bits(mask)
    assert words.size(1) == max(1, -(-groups // 64))
    assert torch.equal(unpack_bits(words, groups), mask)


@given(st.integers(1, 70), st.integers(1, 12), st.integers(0, 20), st.integers(0, 99))
def test_union_equals_that_of_a_double_loop(groups, nodes, edges, seed) -> None:
    generator = torch.Generator().manual_seed(seed)
    adjacency = undirected_csr(torch.randint(nodes, (2, edges), generator=generator), nodes)
    mask = torch.rand(nodes, groups, generator=generator) < 0.3
    low = int(torch.randint(nodes, (), generator=generator))
    found = unpack_bits(or_neighbors(adjacency, low, nodes, pack_bits(mask)), groups)
    expected = torch.zeros(nodes - low, groups, dtype=torch.bool)
    for node in range(low, nodes):
        for other in adjacency.col[adjacency.rowptr[node] : adjacency.rowptr[node + 1]].tolist():
            expected[node - low] |= mask[other]
    assert torch.equal(found, expected)
