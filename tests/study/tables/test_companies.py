import numpy as np

import highwaygraph as hg
from highwaygraph.graph.queries import homophily
from highwaygraph.study.tables.companies import SECTORS, companies


def test_all_kinds_of_columns_are_read() -> None:
    nodes, edges = companies(np.random.default_rng(0))
    graph = hg.load(nodes, edges)
    assert graph.classes == list(SECTORS)
    assert {encoder.kind for encoder in graph.encoders.values()} >= {"number", "date", "category", "flag", "words"}
    assert 0.6 < homophily(graph) < 0.75
