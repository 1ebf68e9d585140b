import torch

from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.history import HighwayTable
from highwaygraph.training.propose import pick_anchors, propose_highways, round_graphs, union
from tests.helpers.graphs import block_graph


def confident_logits(data) -> torch.Tensor:
    return 5.0 * torch.eye(3)[data.y]


def proposed(config, data):
    return propose_highways(confident_logits(data), data, pick_anchors(data, config), 1, config)


def test_anchors_are_joined_to_their_class_in_one_table() -> None:
    data, config = block_graph(), PRESETS["full"]
    (highways,) = proposed(config, data)
    assert (data.y[highways.edges[0]] == data.y[highways.edges[1]]).all()
    assert set(highways.edges[0].tolist()) <= set(pick_anchors(data, config).tolist())
    graph, views = round_graphs(data, [highways], config)
    assert views == ()
    assert graph.edge_index.size(1) == data.edge_index.size(1) + 2 * len(highways.round)


def test_partners_are_sampled_several_times_and_validation_uses_the_original_graph() -> None:
    data = block_graph()
    config = override(PRESETS["plus"], {"highway.draws": 4})
    tables = proposed(config, data)
    assert len(tables) == 4
    for highways in tables:
        assert (data.y[highways.edges[0]] == data.y[highways.edges[1]]).all()
        assert (highways.edges[0] != highways.edges[1]).all()
        assert 180 < len(highways.round) <= 360
    assert not torch.equal(tables[0].edges, tables[1].edges)
    graph, views = round_graphs(data, tables, config)
    assert graph is data
    assert len(views) == 4
    with_all, _ = round_graphs(data, tables, override(config, {"highway.predict": "highways"}))
    assert with_all.edge_index.size(1) > views[0].edge_index.size(1)


def test_random_partners_are_confident_nodes_of_any_class() -> None:
    data = block_graph()
    config = override(PRESETS["plus"], {"highway.control": "random-edges"})
    logits = confident_logits(data)
    logits[::2] = 0.0
    unsure = (torch.arange(data.num_nodes) % 2 == 0) & ~data.train_mask
    for highways in propose_highways(logits, data, pick_anchors(data, config), 1, config):
        same = (data.y[highways.edges[0]] == data.y[highways.edges[1]]).float().mean()
        assert 0.2 < same < 0.5
        assert not unsure[highways.edges].any()


def test_highways_of_anchors_may_be_a_view_beside_the_original_graph() -> None:
    data, config = block_graph(), override(PRESETS["full"], {"highway.predict": "original"})
    graph, views = round_graphs(data, proposed(config, data), config)
    assert graph is data
    assert len(views) == 1
    assert round_graphs(data, [], config)[1] == ()


def test_a_union_contains_every_edge_once() -> None:
    one = HighwayTable(torch.tensor([[1], [2]]), torch.tensor([1]), torch.tensor([0.9]), torch.tensor([0.8]))
    back = one._replace(edges=one.edges.flip(0))
    other = one._replace(edges=torch.tensor([[1], [3]]))
    assert union([one, back, other], 4).edges.tolist() == [[1, 1], [2, 3]]
    assert union([], 4).edges.shape == (2, 0)
