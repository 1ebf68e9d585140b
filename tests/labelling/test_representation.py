"""The nodes that suggestions represent."""

import torch

from highwaygraph.labelling import clustering
from highwaygraph.labelling.representation import representatives
from highwaygraph.labelling.task import Task
from tests.helpers.graphs import block_graph


def make_task(labelled: list[int]) -> Task:
    graph = block_graph()
    return Task(graph, torch.tensor(labelled, dtype=torch.long), torch.ones(graph.num_nodes, dtype=torch.bool))


def test_a_node_is_represented_by_the_nearest_suggestion_or_label() -> None:
    points = torch.arange(180.0)[:, None]
    found = representatives(make_task([170]), points, torch.tensor([10, 60]))
    # 35 lies in the middle between 10 and 60, and 115 between 60 and 170: the first of both owns it.
    assert found.reasons[0].startswith("represents 36 nodes with similar")
    assert found.reasons[1].startswith("represents 80 nodes")
    assert torch.allclose(found.scores, torch.tensor([36 / 180, 80 / 180]))
    weights = torch.zeros(180)
    weights[:20] = 1
    assert representatives(make_task([]), points, torch.tensor([10, 60]), weights).scores.tolist() == [1.0, 0.0]


def test_a_sample_gives_estimates(monkeypatch) -> None:
    monkeypatch.setattr(clustering, "SAMPLED_POINTS", 90)
    found = representatives(make_task([]), torch.arange(180.0)[:, None], torch.tensor([0, 179]))
    assert found.reasons[0].startswith("represents about ")
    assert abs(float(found.scores[0]) - 0.5) < 0.15
    assert float(found.scores.sum()) == 1.0


def test_a_node_that_represents_only_itself_has_no_such_reason() -> None:
    points = torch.zeros(180, 1)
    points[7] = 5.0
    assert representatives(make_task([0]), points, torch.tensor([7])).reasons == [""]
