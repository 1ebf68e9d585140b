"""PageRank against NetworkX."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from highwaygraph.labelling.centrality import pagerank


@pytest.mark.parametrize("seed", range(3))
def test_pagerank_is_that_of_networkx_also_with_isolated_nodes(seed) -> None:
    graph = nx.gnp_random_graph(60, 0.05, seed=seed)
    graph.add_node(60)
    found = pagerank(csr_array(nx.to_scipy_sparse_array(graph, dtype=float)))
    expected = nx.pagerank(graph, alpha=0.85, tol=1e-12, max_iter=1000)
    assert np.allclose(found.numpy(), [expected[node] for node in range(61)], atol=1e-8)


def test_a_graph_without_edges_has_equal_ranks() -> None:
    assert np.allclose(pagerank(csr_array((4, 4))).numpy(), 0.25)
