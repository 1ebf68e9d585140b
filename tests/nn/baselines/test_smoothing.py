"""Rows of S^k X."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from highwaygraph.graph.validate import validate
from highwaygraph.nn.baselines.smoothing import smooth, smoothed_rows, smoothing_matrix
from tests.helpers.graphs import block_graph


@pytest.mark.parametrize("count", [3, 60])
def test_rows_are_those_of_the_whole_table(count) -> None:
    # With few nodes the rows are computed from the nodes, with many from the features.
    graph = validate(block_graph())
    matrix, x = smoothing_matrix(graph), graph.x.numpy().astype(float)
    nodes = np.arange(count)
    hops = (0, 1, 3)
    for k, rows in zip(hops, smoothed_rows(matrix, csr_array(x), nodes, hops), strict=True):
        expected = np.linalg.matrix_power(matrix.toarray(), k) @ x
        np.testing.assert_allclose(rows, expected[nodes], atol=1e-6)
        np.testing.assert_allclose(smooth(matrix, x, k), expected, atol=1e-12)
