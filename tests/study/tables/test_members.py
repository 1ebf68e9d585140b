import numpy as np
import pytest

import highwaygraph as hg
from highwaygraph.study.tables.members import CATEGORIES, FLAGS, members


def test_categories_and_flags_have_gaps() -> None:
    nodes, edges = members(np.random.default_rng(0))
    columns = [*CATEGORIES, *FLAGS, "age"]
    assert nodes[columns].isna().to_numpy().mean() == pytest.approx(0.2, abs=0.02)
    graph = hg.load(nodes, edges)
    kinds = [graph.encoders[name].kind for name in columns]
    assert kinds == ["category"] * len(CATEGORIES) + ["flag"] * len(FLAGS) + ["number"]
    assert not nodes["label"].isna().any()
