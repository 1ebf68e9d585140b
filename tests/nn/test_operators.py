import numpy as np
import torch

from highwaygraph.nn.operators import adjacency_matrix, gcn_matrix, mean_matrix
from tests.helpers.graphs import block_graph

PATH = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])


def test_rows_are_targets_and_parallel_edges_stay_apart() -> None:
    matrix = adjacency_matrix(torch.tensor([[2, 1, 2], [0, 0, 0]]), torch.tensor([1.0, 2.0, 3.0]), 3)
    assert matrix.indptr.tolist() == [0, 3, 3, 3]
    assert matrix.indices.tolist() == [1, 2, 2]
    assert matrix.data.tolist() == [2, 1, 3]


def test_means_over_neighbours_are_0_for_isolated_nodes() -> None:
    matrix = mean_matrix(adjacency_matrix(torch.tensor([[1, 2], [0, 0]]), None, 3))
    assert matrix.toarray().tolist() == [[0, 0.5, 0.5], [0, 0, 0], [0, 0, 0]]


def test_gcn_normalises_with_self_loops() -> None:
    degree = np.array([2, 3, 3, 2])
    adjacency = np.eye(4) + np.eye(4, k=1) + np.eye(4, k=-1)
    expected = adjacency / np.sqrt(np.outer(degree, degree))
    np.testing.assert_allclose(gcn_matrix(PATH, None, 4).toarray(), expected, rtol=1e-6)


def test_a_sample_with_all_edges_is_normalised_like_the_whole_graph() -> None:
    data = block_graph()
    weight = torch.rand(data.edge_index.size(1))
    degree = torch.zeros(180).index_add_(0, data.edge_index[1], weight)
    whole, sample = (gcn_matrix(data.edge_index, weight, 180, known) for known in (None, degree))
    np.testing.assert_allclose(sample.toarray(), whole.toarray(), rtol=1e-5, atol=1e-7)


def test_sampled_edges_represent_all_edges_of_their_target() -> None:
    # Of the three neighbours of node 0, one is sampled.
    sample = gcn_matrix(torch.tensor([[1], [0]]), None, 2, torch.tensor([3.0, 1.0]))
    np.testing.assert_allclose(sample.toarray(), [[1 / 4, 3 / np.sqrt(4 * 2)], [0, 1 / 2]], rtol=1e-6)
