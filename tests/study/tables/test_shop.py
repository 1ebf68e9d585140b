import numpy as np

import highwaygraph as hg
from highwaygraph.graph.queries import homophily
from highwaygraph.study.tables.shop import SHARES, shop


def test_classes_are_unequal_and_edges_leave_them() -> None:
    graph = hg.load(*shop(np.random.default_rng(0)))
    counts = graph.y.bincount()
    assert len(counts) == len(SHARES)
    assert 8 < counts.max() / counts.min() < 12
    assert homophily(graph) < 0.1
