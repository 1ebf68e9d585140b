import torch

from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.history import HighwayTable
from highwaygraph.training.propose import pick_anchors, propose_highways, round_graphs, union
from tests.helpers.graphs import block_graph


def sure_logits(data) -> torch.Tensor:
    return 5.0 * torch.eye(3)[data.y]


def found(config, data):
    return propose_highways(sure_logits(data), data, pick_anchors(data, config), 1, config)


def test_anchors_are_joined_to_their_class_in_one_set() -> None:
    data, config = block_graph(), PRESETS["full"]
    (roads,) = found(config, data)
    assert (data.y[roads.edges[0]] == data.y[roads.edges[1]]).all()
    assert set(roads.edges[0].tolist()) <= set(pick_anchors(data, config).tolist())
    graph, drawn = round_graphs(data, [roads], config)
    assert drawn == ()
    assert graph.edge_index.size(1) == data.edge_index.size(1) + 2 * len(roads.round)


def test_partners_are_drawn_many_times_and_leave_the_original_to_be_judged_on() -> None:
    data = block_graph()
    config = override(PRESETS["plus"], {"highway.draws": 4})
    sets = found(config, data)
    assert len(sets) == 4
    for roads in sets:
        assert (data.y[roads.edges[0]] == data.y[roads.edges[1]]).all()
        assert (roads.edges[0] != roads.edges[1]).all()
        assert 180 < len(roads.round) <= 360
    assert not torch.equal(sets[0].edges, sets[1].edges)
    graph, drawn = round_graphs(data, sets, config)
    assert graph is data
    assert len(drawn) == 4
    with_all = round_graphs(data, sets, override(config, {"highway.predict": "highways"})).base
    assert with_all.edge_index.size(1) > drawn[0].edge_index.size(1)


def test_anchors_may_be_trained_beside_the_original_too() -> None:
    data, config = block_graph(), override(PRESETS["full"], {"highway.predict": "original"})
    graph, drawn = round_graphs(data, found(config, data), config)
    assert graph is data
    assert len(drawn) == 1
    assert round_graphs(data, [], config).drawn == ()


def test_a_union_keeps_every_edge_once() -> None:
    one = HighwayTable(torch.tensor([[1], [2]]), torch.tensor([1]), torch.tensor([0.9]), torch.tensor([0.8]))
    back = one._replace(edges=one.edges.flip(0))
    other = one._replace(edges=torch.tensor([[1], [3]]))
    assert union([one, back, other], 4).edges.tolist() == [[1, 1], [2, 3]]
    assert union([], 4).edges.shape == (2, 0)
