import numpy as np

import highwaygraph as hg
from highwaygraph.study.tables.documents import TOPICS, documents


def test_most_features_are_words() -> None:
    graph = hg.load(*documents(np.random.default_rng(0)))
    assert graph.classes == list(TOPICS)
    assert [graph.encoders[name].kind for name in ("title", "abstract", "year")] == ["words", "words", "number"]
    assert graph.x.size(1) == 2 * 512 + 1
