"""Training by lots of labelled nodes with drawn surroundings."""

import pytest
import torch
from torch import nn
from torch_geometric import nn as pyg

from highwaygraph.config import Fit, Network
from highwaygraph.errors import ConfigError
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.neighbor_sampler import NeighborSampler
from highwaygraph.graph.queries import with_csr
from highwaygraph.models import build
from highwaygraph.nn.batches import compute_logits, subgraph_builder
from highwaygraph.nn.factory import build_network
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.training import minibatches
from highwaygraph.training.engine import train
from highwaygraph.training.minibatches import EpochOrder
from tests.helpers.graphs import block_graph

LOTS = {"fit.batch_size": 16, "fit.num_neighbors": (5, 5), "fit.epochs": 20, "fit.lr": 0.03, "fit.device": "cpu"}


@pytest.mark.parametrize(
    ("name", "preset"),
    [("gcn", "full"), ("gat", "full"), ("sage", "full"), ("hyper", "full"), ("grand", "full"), ("gcn", "plus")],
)
def test_lots_learn_and_are_the_same_twice(name, preset) -> None:
    data, config = block_graph(), override(PRESETS[preset], LOTS | {"fit.min_epochs": 0, "highway.rounds": 2})
    first, again = (train(build(name, data, hidden=16), data, config, seed=3) for _ in range(2))
    assert torch.equal(first.logits, again.logits)
    assert repr(first.rounds) == repr(again.rounds)
    assert first.test > 0.6
    assert "csr" not in first.data


def test_all_neighbours_in_one_lot_are_the_whole_graph() -> None:
    data = block_graph()
    options = {"fit.epochs": 30, "fit.lr": 0.03, "fit.device": "cpu", "highway.keep": "last"}
    whole = override(PRESETS["full"], options)
    lots = override(whole, {"fit.batch_size": 1000, "fit.num_neighbors": (1000, 1000)})
    for name, layers in (("gcn", 2), ("sage", 3), ("gat", 2), ("hyper", 2), ("grand", 2)):
        model = build(name, data, hidden=16, dropout=0.0, layers=layers)
        one, other = train(model, data, whole, seed=0), train(model, data, lots, seed=0)
        assert torch.allclose(one.logits, other.logits, atol=1e-3), name
        assert torch.equal(one.highways, other.highways)


def test_workers_change_nothing() -> None:
    data = block_graph()
    config = override(PRESETS["full"], LOTS | {"fit.epochs": 3, "highway.rounds": 2})
    alone, helped = (
        train(build("gcn", data, hidden=8), data, override(config, {"fit.num_workers": count}), seed=1)
        for count in (0, 2)
    )
    assert torch.equal(alone.logits, helped.logits)


class Own(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = pyg.SAGEConv(12, 16), pyg.SAGEConv(16, 3)

    def forward(self, x, edge_index):
        return self.last(self.first(x, edge_index).relu(), edge_index)


def test_a_module_of_ones_own_and_weights() -> None:
    data = block_graph()
    assert train(Own(), data, override(PRESETS["full"], LOTS), seed=0).test > 0.6
    data.edge_weight = torch.rand(data.edge_index.size(1))
    assert train(build("gcn", data, hidden=16), data, override(PRESETS["full"], LOTS), seed=0).test > 0.6


@pytest.mark.parametrize("strategy", ["lead", "random", "remote"])
def test_pairs_are_those_of_the_lot(strategy) -> None:
    data = block_graph()
    config = override(PRESETS["full"], LOTS | {"pairs.strategy": strategy, "pairs.limit": 100, "fit.epochs": 5})
    assert train(build("gcn", data, hidden=8), data, config, seed=0).rounds
    # A lot of one has no pair at all.
    assert train(build("gcn", data, hidden=8), data, override(config, {"fit.batch_size": 1}), seed=0).rounds


def test_what_needs_the_whole_graph_is_refused() -> None:
    data = block_graph()
    with pytest.raises(ConfigError, match="GraphMix trains on the whole graph at once"):
        train(build("graphmix", data, hidden=8), data, override(PRESETS["full"], LOTS))
    with pytest.raises(ConfigError, match="highway.control=pseudo-labels"):
        train(
            build("gcn", data, hidden=8), data, override(PRESETS["full"], LOTS | {"highway.control": "pseudo-labels"})
        )


def test_an_epoch_sees_every_label_once() -> None:
    order = EpochOrder(10, 100, 4, seed=0, number=1)
    first = list(order)
    assert list(order) == first
    order.epoch = 1
    second = list(order)
    assert [sum(i < 10 for i in lot) for lot in first] == [4, 4, 2]
    assert sorted(i for lot in first for i in lot if i < 10) == list(range(10))
    assert first != second
    assert all(lot == [*(i for i in lot if i < 10), *(i for i in lot if i >= 10)] for lot in first)
    assert len(order) == 3


@pytest.mark.parametrize("name", ["gcn", "sage", "hyper", "raw"])
def test_what_is_drawn_stands_for_all(name) -> None:
    # Leaves around a few hubs: of a hub's neighbours, only some are drawn.
    hubs, leaves = 4, 400
    centre = torch.arange(leaves) % hubs
    edges = torch.stack([centre, hubs + torch.arange(leaves)])
    x = torch.randn(hubs + leaves, 5, generator=torch.Generator().manual_seed(0))
    data = Graph(x=x, edge_index=torch.cat([edges, edges.flip(0)], dim=1), num_nodes=len(x))
    more = {"hyperedges": "raw"} if name == "raw" else {}
    network = Network(model="hyper" if name == "raw" else name, hidden=8, layers=1, dropout=0.0, **more)
    model, rows = build_network(network, 5, 3).eval(), with_csr(data).csr
    whole = model(x, data.edge_index)[:hubs].detach()
    drawn = []
    for seed in range(300):
        piece = NeighborSampler([rows], (20, 20), seed).draw(torch.arange(hubs))
        piece.x = x[piece.n_id]
        drawn.append(compute_logits(model, subgraph_builder(model, piece, Fit())(torch.arange(hubs))).detach())
    spread = torch.stack(drawn).std(dim=0) / len(drawn) ** 0.5
    assert ((torch.stack(drawn).mean(dim=0) - whole).abs() < 5 * spread + 0.02).all()


def test_weights_of_any_kind_and_of_nothing() -> None:
    data = block_graph()
    weight = torch.rand(data.edge_index.size(1), dtype=torch.double)
    # Some nodes hear nothing at all.
    data.edge_weight = torch.where(data.edge_index[1] < 30, 0.0, weight)
    assert train(build("gcn", data, hidden=16), data, override(PRESETS["full"], LOTS), seed=0).test > 0.5


def test_hyper_wants_both_directions() -> None:
    data = block_graph()
    data.edge_index = data.edge_index[:, data.edge_index[0] < data.edge_index[1]]
    with pytest.raises(ConfigError, match="undirected"):
        train(build("hyper", data, hidden=8), data, override(PRESETS["full"], LOTS))


def test_many_exams_are_drawn_again_and_the_same(monkeypatch) -> None:
    data, config = block_graph(), override(PRESETS["full"], LOTS | {"fit.epochs": 3})
    kept = train(build("gcn", data, hidden=8), data, config, seed=0)
    monkeypatch.setattr(minibatches, "KEPT", 10)
    monkeypatch.setattr(minibatches, "NEAR", 2)
    again = train(build("gcn", data, hidden=8), data, config, seed=0)
    assert torch.equal(kept.logits, again.logits)
    remote = override(config, {"pairs.strategy": "remote", "pairs.limit": 50})
    assert train(build("gcn", data, hidden=8), data, remote, seed=0).rounds
