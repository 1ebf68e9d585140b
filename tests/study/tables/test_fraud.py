import numpy as np
import torch

import highwaygraph as hg
from highwaygraph.study.tables.fraud import fraud


def test_one_in_twenty_is_fraudulent_and_edges_are_weak_evidence() -> None:
    graph = hg.load(*fraud(np.random.default_rng(0)))
    positive = graph.y == graph.classes.index("fraud")
    assert int(positive.sum()) == 150
    source, target = graph.edge_index
    near = [float(positive[source[positive[target] == one]].double().mean()) for one in (True, False)]
    assert 0.05 < near[1] + 0.02 < near[0] < 0.3
    assert torch.isfinite(graph.x).all()
