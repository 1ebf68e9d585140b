"""Training in mini-batches with neighbour sampling."""

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
from highwaygraph.nn.features import prepare_features
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.training import minibatches
from highwaygraph.training.engine import train
from highwaygraph.training.minibatches import EpochOrder
from tests.helpers.graphs import block_graph

BATCHES = {"fit.batch_size": 16, "fit.num_neighbors": (5, 5), "fit.epochs": 20, "fit.lr": 0.03, "fit.device": "cpu"}


@pytest.mark.parametrize(
    ("name", "preset"),
    [("gcn", "full"), ("gat", "full"), ("sage", "full"), ("hyper", "full"), ("grand", "full"), ("gcn", "plus")],
)
def test_minibatches_train_and_are_deterministic(name, preset) -> None:
    data, config = block_graph(), override(PRESETS[preset], BATCHES | {"fit.min_epochs": 0, "highway.rounds": 2})
    first, again = (train(build(name, data, hidden=16), data, config, seed=3) for _ in range(2))
    assert torch.equal(first.logits, again.logits)
    assert repr(first.rounds) == repr(again.rounds)
    assert first.test > 0.6
    assert "csr" not in first.data


def test_one_batch_with_all_neighbours_equals_the_whole_graph() -> None:
    data = block_graph()
    options = {"fit.epochs": 30, "fit.lr": 0.03, "fit.device": "cpu", "highway.keep": "last"}
    whole = override(PRESETS["full"], options)
    batches = override(whole, {"fit.batch_size": 1000, "fit.num_neighbors": (1000, 1000)})
    for name, layers in (("gcn", 2), ("sage", 3), ("gat", 2), ("hyper", 2), ("grand", 2)):
        model = build(name, data, hidden=16, dropout=0.0, layers=layers)
        one, other = train(model, data, whole, seed=0), train(model, data, batches, seed=0)
        assert torch.allclose(one.logits, other.logits, atol=1e-3), name
        assert torch.equal(one.highways, other.highways)


def test_the_number_of_workers_does_not_change_results() -> None:
    data = block_graph()
    config = override(PRESETS["full"], BATCHES | {"fit.epochs": 3, "highway.rounds": 2})
    without, with_workers = (
        train(build("gcn", data, hidden=8), data, override(config, {"fit.num_workers": count}), seed=1)
        for count in (0, 2)
    )
    assert torch.equal(without.logits, with_workers.logits)


class Own(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = pyg.SAGEConv(12, 16), pyg.SAGEConv(16, 3)

    def forward(self, x, edge_index):
        return self.last(self.first(x, edge_index).relu(), edge_index)


def test_a_users_module_and_edge_weights() -> None:
    data = block_graph()
    assert train(Own(), data, override(PRESETS["full"], BATCHES), seed=0).test > 0.6
    data.edge_weight = torch.rand(data.edge_index.size(1))
    assert train(build("gcn", data, hidden=16), data, override(PRESETS["full"], BATCHES), seed=0).test > 0.6


@pytest.mark.parametrize(
    "strategy", ["lead", *(pytest.param(name, marks=pytest.mark.slow) for name in ("random", "remote"))]
)
def test_pairs_are_sampled_within_the_batch(strategy) -> None:
    data = block_graph()
    config = override(PRESETS["full"], BATCHES | {"pairs.strategy": strategy, "pairs.limit": 100, "fit.epochs": 5})
    assert train(build("gcn", data, hidden=8), data, config, seed=0).rounds
    # A batch of one node has no pairs.
    assert train(build("gcn", data, hidden=8), data, override(config, {"fit.batch_size": 1}), seed=0).rounds


def test_options_that_need_the_whole_graph_are_refused() -> None:
    data = block_graph()
    with pytest.raises(ConfigError, match="GraphMix trains on the whole graph at once"):
        train(build("graphmix", data, hidden=8), data, override(PRESETS["full"], BATCHES))
    with pytest.raises(ConfigError, match="highway.control=pseudo-labels"):
        train(
            build("gcn", data, hidden=8),
            data,
            override(PRESETS["full"], BATCHES | {"highway.control": "pseudo-labels"}),
        )


def test_an_epoch_contains_every_label_once() -> None:
    order = EpochOrder(10, 100, Fit(batch_size=4), seed=0, number=1)
    first = list(order)
    assert list(order) == first
    order.epoch = 1
    second = list(order)
    assert [sum(i < 10 for i in batch) for batch in first] == [4, 4, 2]
    assert sorted(i for batch in first for i in batch if i < 10) == list(range(10))
    assert first != second
    assert all(batch == [*(i for i in batch if i < 10), *(i for i in batch if i >= 10)] for batch in first)
    assert len(order) == 3


@pytest.mark.parametrize("name", ["gcn", "sage", "hyper", "raw"])
def test_sampled_logits_are_unbiased(name) -> None:
    # Leaves around a few hubs: only some of a hub's neighbours are sampled.
    hubs, leaves = 4, 400
    centre = torch.arange(leaves) % hubs
    edges = torch.stack([centre, hubs + torch.arange(leaves)])
    x = torch.randn(hubs + leaves, 5, generator=torch.Generator().manual_seed(0))
    data = Graph(x=x, edge_index=torch.cat([edges, edges.flip(0)], dim=1), num_nodes=len(x))
    more = {"hyperedges": "raw"} if name == "raw" else {}
    network = Network(model="hyper" if name == "raw" else name, hidden=8, layers=1, dropout=0.0, **more)
    model, adjacency = build_network(network, 5, 3).eval(), with_csr(data).csr
    whole = model(x, data.edge_index)[:hubs].detach()
    sampled = []
    for seed in range(300):
        subgraph = NeighborSampler([adjacency], (20, 20), seed).draw(torch.arange(hubs))
        subgraph.x = x[subgraph.n_id]
        sampled.append(compute_logits(model, subgraph_builder(model, subgraph, Fit())(torch.arange(hubs))).detach())
    spread = torch.stack(sampled).std(dim=0) / len(sampled) ** 0.5
    assert ((torch.stack(sampled).mean(dim=0) - whole).abs() < 5 * spread + 0.02).all()


def test_edge_weights_may_be_double_or_zero() -> None:
    data = block_graph()
    weight = torch.rand(data.edge_index.size(1), dtype=torch.double)
    # Some nodes receive no message at all.
    data.edge_weight = torch.where(data.edge_index[1] < 30, 0.0, weight)
    assert train(build("gcn", data, hidden=16), data, override(PRESETS["full"], BATCHES), seed=0).test > 0.5


def test_hyper_needs_undirected_edges() -> None:
    data = block_graph()
    data.edge_index = data.edge_index[:, data.edge_index[0] < data.edge_index[1]]
    with pytest.raises(ConfigError, match="undirected"):
        train(build("hyper", data, hidden=8), data, override(PRESETS["full"], BATCHES))


def test_validation_batches_are_the_same_whether_cached_or_not(monkeypatch) -> None:
    data, config = block_graph(), override(PRESETS["full"], BATCHES | {"fit.epochs": 3})
    cached = train(build("gcn", data, hidden=8), data, config, seed=0)
    monkeypatch.setattr(minibatches, "MAX_CACHED_VALUES", 10)
    monkeypatch.setattr(minibatches, "MAX_DISTANCE_NODES", 2)
    again = train(build("gcn", data, hidden=8), data, config, seed=0)
    assert torch.equal(cached.logits, again.logits)
    remote = override(config, {"pairs.strategy": "remote", "pairs.limit": 50})
    assert train(build("gcn", data, hidden=8), data, remote, seed=0).rounds


def test_limited_epochs_sample_other_labels_each_time() -> None:
    order = EpochOrder(10, 100, Fit(batch_size=4, max_batches=2), seed=0, number=1)
    epochs = []
    for order.epoch in range(1, 6):
        epochs.append([[node for node in batch if node < 10] for batch in order])
    assert len(order) == 2
    assert all([len(set(batch)) for batch in epoch] == [4, 4] for epoch in epochs)
    assert {node for epoch in epochs for batch in epoch for node in batch} == set(range(10))
    assert len({str(epoch) for epoch in epochs}) == 5


@pytest.mark.parametrize("most", [0, 1])
def test_limited_epochs_are_validated_on_a_sample(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(minibatches, "MAX_VAL_NODES", 28)
    monkeypatch.setattr(minibatches, "VAL_BATCH", 8)
    data = with_csr(block_graph())
    more = data.test_mask & (torch.arange(180) % 6 == 0)
    data.val_mask, data.test_mask = data.val_mask | more, data.test_mask & ~more
    assert int(data.val_mask.sum()) > 45
    config = override(PRESETS["full"], {"fit.batch_size": 8 if most else 1000, "fit.max_batches": most})
    model = build("gcn", data, hidden=8)
    features = prepare_features(model, data, config.fit)
    found = minibatches.minibatch_data(model, features, data, config, 1)
    sizes = [len(batch.labels) for batch in found.val_batches()]
    count = int(data.val_mask.sum())
    assert sum(sizes) == (-(-count // 2) if most else count)
    assert max(sizes) <= (8 if most else 1000)
