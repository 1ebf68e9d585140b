import numpy as np

import highwaygraph as hg
from highwaygraph.study.tables.sensors import UNITS, sensors


def test_units_differ_and_weights_separate_the_neighbours() -> None:
    nodes, edges = sensors(np.random.default_rng(0))
    graph = hg.load(nodes, edges)
    assert graph.x.size(1) == len(UNITS)
    scales = nodes[list(UNITS)].std()
    assert scales.max() / scales.min() > 1e6
    same = graph.y[graph.edge_index[0]] == graph.y[graph.edge_index[1]]
    assert graph.edge_weight[same].mean() > 5 * graph.edge_weight[~same].mean()
    assert (graph.edge_weight > 0).all()
