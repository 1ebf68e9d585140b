"""The highways at a node: both ends, the order, and similarity of the listed ones."""

import torch
from torch.nn import functional as F

from highwaygraph.explanation.highway_reasons import MOST_HIGHWAYS, node_highways
from highwaygraph.runs.history import HighwayTable


def table(edges: list[list[int]], scores: list[float]) -> HighwayTable:
    count = len(scores)
    return HighwayTable(torch.tensor(edges), torch.ones(count).long(), torch.ones(count), torch.tensor(scores))


def test_both_ends_count_and_similar_ones_come_first_among_equal_scores() -> None:
    x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [5.0, 5.0]])
    highways = table([[0, 2, 3, 1, 0], [1, 0, 0, 2, 4]], [0.999, 0.998, 0.9, 1.0, 0.5])
    found = node_highways(highways, 0, lambda nodes: x[nodes])
    assert found.total == 4
    assert found.others.tolist() == [2, 1, 3, 4]
    assert found.places.tolist() == [1, 0, 2, 4]
    wanted = F.cosine_similarity(x[found.others], x[:1])
    torch.testing.assert_close(found.shared.similarity, wanted)
    assert found.shared.columns[0].tolist() == [0, -1]


def test_few_of_many_are_listed_and_a_node_may_have_none() -> None:
    highways = table([[0] * 40, list(range(1, 41))], [0.9] * 40)
    x = torch.rand(42, 3)
    found = node_highways(highways, 0, lambda nodes: x[nodes])
    assert (found.total, len(found.places)) == (40, MOST_HIGHWAYS)
    none = node_highways(highways, 41, lambda nodes: x[nodes])
    assert (none.total, len(none.others)) == (0, 0)
