import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.config import Network
from highwaygraph.nn.receptive_field import operators, restrict
from tests.helpers.graphs import edge_lists

PATH = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])


def test_gcn_normalises_with_self_loops() -> None:
    (matrix,) = operators(Network(model="gcn"), PATH, None, 4)
    degree = np.array([2, 3, 3, 2])
    adjacency = np.eye(4) + np.eye(4, k=1) + np.eye(4, k=-1)
    np.testing.assert_allclose(matrix.toarray(), adjacency / np.sqrt(np.outer(degree, degree)), rtol=1e-6)


def test_sage_takes_the_mean_of_incoming_messages_and_nothing_for_lonely_nodes() -> None:
    (matrix,) = operators(Network(model="sage"), torch.tensor([[1, 2], [0, 0]]), None, 3)
    assert matrix.toarray().tolist() == [[0, 0.5, 0.5], [0, 0, 0], [0, 0, 0]]


def test_hyper_goes_to_the_hyperedges_and_back() -> None:
    there, back = operators(Network(model="hyper"), PATH, None, 4)
    assert there.toarray()[0].tolist() == [0.5, 0.5, 0, 0]
    np.testing.assert_allclose(back.toarray().sum(axis=1), 1, rtol=1e-6)


def test_gat_hears_itself_once() -> None:
    looped = torch.tensor([[0, 1], [0, 0]])
    (matrix,) = operators(Network(model="gat"), looped, None, 2)
    assert matrix.toarray().tolist() == [[1, 1], [0, 1]]


def test_two_layers_on_a_path_see_two_hops() -> None:
    matrices = operators(Network(model="gcn"), PATH, None, 4)
    hops, nodes = restrict(matrices, 2, np.array([0]))
    assert nodes.tolist() == [0, 1, 2]
    assert [hop.operators[0].shape for hop in hops] == [(2, 3), (1, 2)]
    assert restrict(matrices, 2, None)[1] is None


@pytest.mark.parametrize("model", ["gcn", "sage", "hyper"])
@given(lists=edge_lists(), depth=st.integers(1, 3), seed=st.integers(0, 99))
def test_the_part_computes_what_the_whole_does(model, lists, depth, seed) -> None:
    nodes, edges, _ = lists
    draw = np.random.default_rng(seed)
    matrices = operators(Network(model=model), edges, None, nodes)
    targets = draw.permutation(nodes)[: draw.integers(1, nodes + 1)]
    x = draw.standard_normal((nodes, 2))
    whole = x
    for _ in range(depth):
        for matrix in matrices:
            whole = matrix @ whole
    hops, seen = restrict(matrices, depth, targets)
    part = x[seen]
    for hop in hops:
        for matrix in hop.operators:
            part = matrix @ part
    np.testing.assert_allclose(part, whole[targets], rtol=1e-5, atol=1e-7)


@given(lists=edge_lists(), seed=st.integers(0, 99))
def test_receivers_know_their_own_place(lists, seed) -> None:
    nodes, edges, _ = lists
    targets = np.random.default_rng(seed).permutation(nodes)[:3]
    hops, seen = restrict(operators(Network(model="sage"), edges, None, nodes), 1, targets)
    assert seen[hops[0].root].tolist() == targets.tolist()
