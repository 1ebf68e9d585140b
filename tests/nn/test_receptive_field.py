import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.nn.operators import adjacency_matrix, mean_matrix
from highwaygraph.nn.receptive_field import restrict
from tests.helpers.graphs import edge_lists

PATH = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])


def test_two_layers_on_a_path_reach_two_hops() -> None:
    operators = (adjacency_matrix(PATH, None, 4),)
    hops, nodes = restrict(operators, 2, np.array([0]))
    assert nodes.tolist() == [0, 1, 2]
    assert [hop.operators[0].shape for hop in hops] == [(2, 3), (1, 2)]
    assert restrict(operators, 2, None)[1] is None


def test_layers_share_a_hop_once_nothing_further_is_reached() -> None:
    hops, nodes = restrict((adjacency_matrix(PATH, None, 4),), 6, np.array([0]))
    assert nodes.tolist() == [0, 1, 2, 3]
    assert len(hops) == 6
    assert hops[0] is hops[1] is hops[2] is not hops[3]
    assert [hop.operators[0].shape for hop in hops[2:]] == [(4, 4), (3, 4), (2, 3), (1, 2)]


@pytest.mark.parametrize("matrices", [1, 2])
@given(lists=edge_lists(), depth=st.integers(1, 5), seed=st.integers(0, 99))
def test_restricted_operators_give_the_targets_rows(matrices, lists, depth, seed) -> None:
    nodes, edges, _ = lists
    rng = np.random.default_rng(seed)
    matrix = adjacency_matrix(edges, None, nodes)
    operators = [mean_matrix(matrix), mean_matrix(matrix.T.tocsr())][:matrices]
    targets = rng.permutation(nodes)[: rng.integers(1, nodes + 1)]
    x = rng.standard_normal((nodes, 2))
    whole = x
    for _ in range(depth):
        for operator in operators:
            whole = operator @ whole
    hops, sources = restrict(operators, depth, targets)
    part = x[sources]
    for hop in hops:
        for operator in hop.operators:
            part = operator @ part
    np.testing.assert_allclose(part, whole[targets], rtol=1e-5, atol=1e-7)


@given(lists=edge_lists(), depth=st.integers(1, 5), seed=st.integers(0, 99))
def test_root_is_the_position_of_the_targets(lists, depth, seed) -> None:
    nodes, edges, _ = lists
    targets = np.random.default_rng(seed).permutation(nodes)[:3]
    hops, reached = restrict([adjacency_matrix(edges, None, nodes)], depth, targets)
    for hop in hops:
        reached = reached[hop.root]
    assert reached.tolist() == targets.tolist()
