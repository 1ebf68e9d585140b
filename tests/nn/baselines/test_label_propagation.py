"""Label propagation."""

import numpy as np
from scipy.sparse import csr_array

from highwaygraph.nn.baselines.label_propagation import propagate_labels


def _matrix() -> csr_array:
    """Return two paths of three nodes and an isolated node."""
    dense = np.zeros((7, 7))
    for a, b in [(0, 1), (1, 2), (3, 4), (4, 5)]:
        dense[a, b] = dense[b, a] = 0.5
    return csr_array(dense)


def test_labels_reach_their_component_only() -> None:
    found = propagate_labels(_matrix(), np.array([0, 1]), np.array([0, 3]), 2, 0.9)
    np.testing.assert_allclose(found[:3], [[1, 0]] * 3)
    np.testing.assert_allclose(found[3:6], [[0, 1]] * 3)


def test_a_node_without_any_label_in_reach_has_the_frequencies() -> None:
    found = propagate_labels(_matrix(), np.array([0, 1, 1, 1]), np.array([0, 3, 4, 5]), 2, 0.9)
    np.testing.assert_allclose(found[6], [0.25, 0.75])


def test_the_fixed_point_is_that_of_the_linear_system() -> None:
    given = np.zeros((7, 2))
    given[0, 0] = given[3, 1] = 1
    exact = np.linalg.solve(np.eye(7) - 0.5 * _matrix().toarray(), 0.5 * given)[:6]
    found = propagate_labels(_matrix(), np.array([0, 1]), np.array([0, 3]), 2, 0.5)[:6]
    np.testing.assert_allclose(found, exact / exact.sum(axis=1, keepdims=True), atol=1e-9)
