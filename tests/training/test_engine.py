"""Algorithm 1 as a whole: what it promises about weights, seeds, rounds and any module."""

import copy

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch_geometric import nn as pyg
from torch_geometric.data import Data
from torch_geometric.utils import degree

from highwaygraph.errors import DataError, FailedError, ModelError
from highwaygraph.graph.augment import is_new
from highwaygraph.graph.splits import split
from highwaygraph.models import build
from highwaygraph.options import dotted, override
from highwaygraph.presets import PRESETS
from highwaygraph.runtime.rng import generator
from highwaygraph.training.engine import train
from highwaygraph.training.highways import choose_anchors
from tests.helpers.graphs import block_graph

QUICK = {"fit.epochs": 60, "fit.lr": 0.03, "fit.monitor": "loss", "fit.device": "cpu"}
FULL = override(PRESETS["full"], QUICK)
TYPICAL = override(PRESETS["typical"], QUICK)


class Own(nn.Module):
    """A user's own module, written as PyG's examples are."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = pyg.GCNConv(12, 16), pyg.GCNConv(16, 3)

    def reset_parameters(self) -> None:
        self.first.reset_parameters()
        self.second.reset_parameters()

    def forward(self, x, edge_index):
        x = F.dropout(x, 0.5, self.training)
        x = self.first(x, edge_index).relu()
        return self.second(F.dropout(x, 0.5, self.training), edge_index)


def plain_loop(model, data, fit, seed):
    """What a user would write without this library."""
    torch.manual_seed(seed)
    model.reset_parameters()
    adam = torch.optim.Adam(model.parameters(), lr=fit.lr, weight_decay=fit.weight_decay)
    best, waited = -1.0, 0
    for _ in range(fit.epochs):
        model.train()
        adam.zero_grad()
        F.cross_entropy(model(data.x, data.edge_index)[data.train_mask], data.y[data.train_mask]).backward()
        adam.step()
        model.eval()
        said = model(data.x, data.edge_index).argmax(1)
        val = (said == data.y)[data.val_mask].double().mean().item()
        if val > best:
            best, waited, state = val, 0, copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited >= fit.patience:
            break
    return state


@pytest.mark.parametrize("seed", [0, 7])
def test_typical_is_bit_identical_to_a_plain_loop(seed) -> None:
    data, config = block_graph(), PRESETS["typical"]
    result = train(Own(), data, config, seed=seed)
    with torch.random.fork_rng():
        expected = plain_loop(Own(), data, config.fit, seed)
    assert expected.keys() == result.model.state_dict().keys()
    assert all(torch.equal(value, result.model.state_dict()[name]) for name, value in expected.items())


@pytest.mark.parametrize("name", ["gcn", "gat", "sage", "hyper"])
@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_and_model_twice_the_same(name, preset) -> None:
    data, config = block_graph(), override(PRESETS[preset], QUICK)
    first, again = (train(build(name, data, hidden=16), data, config, seed=3) for _ in range(2))
    assert torch.equal(first.logits, again.logits)
    assert torch.equal(first.highways, again.highways)
    assert repr((first.stopped, first.rounds)) == repr((again.stopped, again.rounds))
    assert first.test > 0.5


def test_the_callers_random_state_and_model_are_left_alone() -> None:
    data, model = block_graph(), Own()
    weights = copy.deepcopy(model.state_dict())
    states = torch.get_rng_state(), np.random.get_state()[1].tolist()
    train(model, data, FULL, seed=1)
    assert torch.equal(torch.get_rng_state(), states[0])
    assert np.random.get_state()[1].tolist() == states[1]
    assert all(torch.equal(value, weights[name]) for name, value in model.state_dict().items())
    assert model.training


def test_another_seed_is_another_run() -> None:
    data = block_graph()
    assert not torch.equal(train(Own(), data, FULL, seed=1).logits, train(Own(), data, FULL, seed=2).logits)


def test_highways_join_anchors_to_nodes_and_only_new_ones() -> None:
    data = block_graph()
    result = train(Own(), data, override(FULL, {"highway.keep": "last", "highway.node_threshold": 0.4}), seed=0)
    assert result.highways.size(1) == sum(r.edges_added for r in result.rounds) > 0
    assert data.train_mask[result.highways[0]].all()
    assert len(data.y[result.highways[0]].unique()) == len(result.highways[0].unique()) <= 3
    assert is_new(data.edge_index, result.highways, 180).all()
    assert (result.highway_confidence > 0.4).all()
    assert (result.highway_pair_score >= 0.9).all()
    assert result.highway_round.tolist() == sorted(result.highway_round.tolist())
    grown = result.graph.edge_index
    assert torch.equal(grown[:, : data.edge_index.size(1)], data.edge_index)
    assert not is_new(grown, result.highways, 180).any()


def test_the_answer_is_the_best_round_or_the_last() -> None:
    data = block_graph(seed=2)
    best = train(Own(), data, FULL, seed=0)
    last = train(Own(), data, override(FULL, {"highway.keep": "last"}), seed=0)
    assert best.rounds == last.rounds
    assert best.val == max(r.val for r in best.rounds)
    assert last.best_round == len(last.rounds)
    for result in (best, last):
        right = (result.predict() == data.y)[data.test_mask].double().mean().item()
        assert result.test == right


def test_it_says_why_it_stopped() -> None:
    data = block_graph()
    assert train(Own(), data, TYPICAL).stopped == "rounds"
    nothing = train(Own(), data, override(FULL, {"highway.node_threshold": 1.0}))
    assert (nothing.stopped, len(nothing.rounds), nothing.highways.size(1)) == ("no new edges", 1, 0)
    runs = [train(Own(), block_graph(seed), PRESETS["without-joint"], seed=seed) for seed in range(4)]
    failed = [run for run in runs if run.stopped == "validation"]
    assert failed
    assert all(run.rounds[-1].val <= run.rounds[-2].val for run in failed)
    assert all(run.best_round == len(run.rounds) - 1 for run in failed)


def test_a_round_ends_when_patience_does() -> None:
    result = train(Own(), block_graph(), override(PRESETS["typical"], {"fit.patience": 3}))
    vals = [e.val for e in result.history]
    assert len(vals) == vals.index(max(vals)) + 1 + 3
    assert result.val == max(vals)


def test_monitoring_the_loss_keeps_the_epoch_of_least_loss() -> None:
    result = train(Own(), block_graph(), override(TYPICAL, {"fit.monitor": "loss"}))
    least = min(result.history, key=lambda e: e.val_loss)
    assert result.val == least.val


def test_on_epoch_hears_every_epoch() -> None:
    heard: list[object] = []
    result = train(Own(), block_graph(), FULL, on_epoch=heard.append)
    assert tuple(heard) == result.history
    assert [sum(e.round == i + 1 for e in result.history) for i in range(len(result.rounds))] == [
        r.epochs for r in result.rounds
    ]
    assert all(e.pair_loss > 0 for e in result.history)


def test_auto_adds_the_nodes_above_the_threshold_that_validation_calibrates() -> None:
    data = block_graph(seed=4)
    changes = {"highway.node_threshold": "auto", "highway.precision": 0.97, "highway.joint": False}
    once = override(FULL, changes | {"highway.rounds": 1})
    logits = train(Own(), data, once).logits
    confidence, said = logits.softmax(1).max(1)
    val = data.val_mask
    cuts = [0.0, *confidence[val].sort().values.tolist()]
    precise = [c for c in cuts if (p := (said == data.y)[val & (confidence > c)]).numel() and p.double().mean() >= 0.97]
    twice = override(FULL, changes | {"highway.rounds": 2, "highway.keep": "last"})
    ends = train(Own(), data, twice).highways[1]
    unlabelled = ends[~data.train_mask[ends]]
    assert len(unlabelled)
    assert (confidence[unlabelled] > min(precise)).all()
    passing = (confidence > min(precise)) & ~data.train_mask
    neighbours = data.edge_index[1][data.train_mask[data.edge_index[0]]]
    assert set(passing.nonzero().flatten().tolist()) - set(neighbours.tolist()) <= set(unlabelled.tolist())


def algorithm_1(data, config, seed):
    """Algorithm 1 as one plain loop on dense matrices: the oracle of the engine."""
    blank = Own()
    torch.manual_seed(seed)
    n, lam = len(data.y), config.pairs.weight
    train_nodes = data.train_mask.nonzero().flatten()
    anchors = choose_anchors(data.y, data.train_mask, 1, generator(seed, "anchors")).tolist()
    edges, previous, answers = data.edge_index, -1.0, []
    same = (data.y[train_nodes][:, None] == data.y[train_nodes][None, :]).float()
    off = ~torch.eye(len(train_nodes), dtype=torch.bool)
    weight = (off & (same == 0)).sum() / (off & (same == 1)).sum()
    for _ in range(config.highway.rounds):
        model = copy.deepcopy(blank)
        model.reset_parameters()
        adam = torch.optim.Adam(model.parameters(), lr=config.fit.lr, weight_decay=config.fit.weight_decay)
        best, waited = -1.0, 0
        for _ in range(config.fit.epochs):
            model.train()
            adam.zero_grad()
            y = model(data.x, edges)[train_nodes]
            pair = F.binary_cross_entropy_with_logits((y @ y.T)[off], same[off], pos_weight=weight)
            (F.cross_entropy(y, data.y[train_nodes]) + lam * pair).backward()
            adam.step()
            model.eval()
            val = (model(data.x, edges).argmax(1) == data.y)[data.val_mask].double().mean().item()
            best, waited, weights = (
                (val, 0, copy.deepcopy(model.state_dict())) if val > best else (best, waited + 1, weights)
            )
            if waited >= config.fit.patience:
                break
        model.load_state_dict(weights)
        logits = model(data.x, edges).detach()
        answers.append((logits, edges))
        if best <= previous:
            break
        previous = best
        confidence, said = logits.softmax(1).max(1)
        said, confidence = torch.where(data.train_mask, data.y, said), torch.where(data.train_mask, 1.0, confidence)
        matrix = torch.zeros(n, n, dtype=torch.bool)
        matrix[tuple(edges)] = True
        for i in anchors:
            for j in range(n):
                close = torch.sigmoid(logits[i] @ logits[j]) >= config.highway.pair_threshold
                sure = min(confidence[i], confidence[j]) > config.highway.node_threshold
                if i != j and said[i] == said[j] and sure and close:
                    matrix[i, j] = matrix[j, i] = True
        edges = matrix.nonzero().T
    return answers


def edge_set(edges) -> set[tuple[int, int]]:
    return set(map(tuple, edges.T.tolist()))


@pytest.mark.parametrize("seed", [0, 3])
def test_rounds_follow_algorithm_1(seed) -> None:
    data = block_graph(seed=seed)
    changes = {"pairs.weight": 0.5, "highway.pair_threshold": 0.7, "highway.node_threshold": 0.6, "highway.rounds": 3}
    config = override(PRESETS["full"], changes | {"highway.keep": "last", "fit.lr": 0.02, "fit.weight_decay": 1e-3})
    result = train(Own(), data, config, seed=seed)
    with torch.random.fork_rng():
        answers = algorithm_1(data, config, seed)
    assert len(answers) == len(result.rounds) > 1
    assert edge_set(result.graph.edge_index) == edge_set(answers[-1][1])
    torch.testing.assert_close(result.logits, answers[-1][0], atol=2e-3, rtol=1e-2)
    first = train(Own(), data, override(config, {"highway.rounds": 1}), seed=seed)
    torch.testing.assert_close(first.logits, answers[0][0], atol=2e-3, rtol=1e-2)


def test_labels_of_test_nodes_change_nothing_but_the_scores() -> None:
    data = block_graph()
    other = copy.copy(data)
    order = torch.randperm(180, generator=torch.Generator().manual_seed(0))
    hidden = data.test_mask.nonzero().flatten()
    other.y = data.y.clone()
    other.y[hidden] = data.y[hidden][order[order < len(hidden)]]
    config = override(FULL, {"highway.keep": "last", "highway.node_threshold": "auto"})
    ours, theirs = (train(Own(), d, config) for d in (data, other))
    assert torch.equal(ours.logits, theirs.logits)
    assert torch.equal(ours.highways, theirs.highways)
    assert ours.test != theirs.test


CHANGES = {
    "pairs.weight": 0.3, "pairs.strategy": "random", "pairs.limit": 30, "pairs.positive_weight": 1.0,
    "highway.rounds": 1, "highway.anchors": 3, "highway.anchor_rule": "degree", "highway.node_threshold": 0.8,
    "highway.precision": 1.0, "highway.pair_threshold": 0.999, "highway.joint": False, "highway.keep": "best",
    "highway.control": "random-edges", "fit.ties": "last", "highway.start": 3, "highway.patience": 3,
    "highway.targets": "partners", "highway.partners": 5, "highway.draws": 1, "highway.predict": "original",
    "consistency.weight": 1.0, "consistency.num_views": 3, "consistency.drop_nodes": 0.5, "consistency.temperature": 0.9, "consistency.ramp": 1,
    "consistency.align_prior": True, "fit.min_epochs": 60, "fit.factor": 0.2,
    "fit.epochs": 4, "fit.patience": 1, "fit.lr": 0.001, "fit.weight_decay": 0.1, "fit.monitor": "loss",
    "fit.features": "row", "fit.class_weights": "balanced", "fit.batch_size": 5, "fit.num_neighbors": (1, 1), "seed": 9,
}  # fmt: skip
ALSO = {
    "pairs.limit": {"pairs.strategy": "random"},
    "highway.precision": {"highway.node_threshold": "auto", "highway.joint": False, "highway.precision": 0.5},
    "highway.partners": {"highway.targets": "partners"},
    "highway.draws": {"highway.targets": "partners"},
    "consistency.temperature": {"consistency.weight": 1.0, "consistency.num_views": 2},
    "consistency.ramp": {"consistency.weight": 1.0, "consistency.num_views": 2},
    "consistency.align_prior": {"consistency.weight": 1.0, "consistency.num_views": 2, "highway.patience": 2},
    "fit.min_epochs": {"fit.epochs": 100, "fit.patience": 2},
    "fit.num_neighbors": {"fit.batch_size": 20, "fit.epochs": 5},
}


def uneven_graph(seed: int) -> Data:
    """Return a graph whose first class has half as many labels as the others."""
    data = block_graph(seed)
    data.train_mask[((data.y == 0) & data.train_mask).nonzero().flatten()[::2]] = False
    return data


@pytest.mark.parametrize("name", CHANGES)
def test_every_option_matters(name) -> None:
    start = {"highway.keep": "last", "highway.node_threshold": 0.4, "fit.lr": 0.03, "highway.rounds": 3}
    config = override(PRESETS["full"], start | ALSO.get(name, {}))
    changed = override(config, {name: CHANGES[name]})
    runs = [
        [train(Own(), uneven_graph(seed), c, seed=seed or c.seed).logits for seed in range(4)]
        for c in (config, changed)
    ]
    assert not all(torch.equal(a, b) for a, b in zip(*runs, strict=True))


def test_no_option_is_left_out_of_that() -> None:
    # Where and by whom it is computed changes nothing.
    assert set(CHANGES) | {"fit.device", "fit.num_workers"} == set(dotted(PRESETS["full"]))


def test_edge_precision_is_counted_on_held_out_nodes() -> None:
    data = block_graph(seed=1)
    result = train(
        Own(), data, override(FULL, {"highway.rounds": 2, "highway.keep": "last", "highway.node_threshold": 0.3})
    )
    judged = [(i, j) for i, j in result.highways.T.tolist() if not data.train_mask[j]]
    right = sum(int(data.y[i] == data.y[j]) for i, j in judged)
    assert result.rounds[0].edge_precision == right / len(judged) < 1


class Stubborn(Own):
    """Has a parameter that nothing resets, and remembers what each round began with."""

    seen: list[float] = []  # noqa: RUF012 (shared between the copies on purpose)

    def __init__(self) -> None:
        super().__init__()
        self.bonus = nn.Parameter(torch.full((3,), 0.25))

    def reset_parameters(self) -> None:
        super().reset_parameters()
        self.seen.append(self.bonus.mean().item())

    def forward(self, x, edge_index):
        return super().forward(x, edge_index) + self.bonus


def test_what_cannot_be_reset_starts_each_round_as_it_was_given() -> None:
    Stubborn.seen.clear()
    result = train(Stubborn(), block_graph(), override(FULL, {"highway.node_threshold": 0.4}))
    assert len(result.rounds) > 1
    assert Stubborn.seen == [0.25] * len(result.rounds)


class Attentive(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention, self.out = nn.MultiheadAttention(12, 2), nn.Linear(12, 3)

    def forward(self, x, edge_index):
        return self.out(self.attention(x, x, x)[0])


def test_attention_layers_follow_the_seed_too() -> None:
    logits = [train(Attentive(), block_graph(), TYPICAL, seed=1).logits for _ in range(2)]
    assert torch.equal(*logits)


def test_each_undirected_highway_is_counted_once() -> None:
    result = train(Own(), block_graph(), override(FULL, {"highway.anchors": 4, "highway.keep": "last"}))
    assert len({frozenset(edge) for edge in result.highways.T.tolist()}) == result.highways.size(1) > 0


@pytest.mark.parametrize("kind", [torch.float64, torch.float16, torch.int64])
def test_features_of_any_number_type_will_do(kind) -> None:
    data = block_graph()
    data.x = (4 * data.x).round().to(kind)
    data.edge_weight = torch.ones(data.edge_index.size(1), dtype=torch.float64)
    for model in (build("gcn", data, hidden=16), pyg.GCN(12, 16, 2, 3)):
        result = train(model, data, TYPICAL)
        assert result.predict(result.graph).tolist() == result.predict().tolist()
    del data.edge_weight
    assert train(Own().double(), data, TYPICAL).logits.dtype == torch.float64


def test_a_preset_may_be_named() -> None:
    data = block_graph()
    assert torch.equal(train(Own(), data, "typical").logits, train(Own(), data, PRESETS["typical"]).logits)


def test_other_edge_attributes_do_not_outlive_added_edges() -> None:
    data = block_graph()
    data.edge_attr = torch.rand(data.edge_index.size(1), 3)
    result = train(Own(), data, override(FULL, {"highway.keep": "last"}))
    assert "edge_attr" not in result.graph
    assert "edge_attr" in result.data
    assert "edge_attr" in train(Own(), data, TYPICAL).graph


@pytest.mark.parametrize("strategy", ["lead", "random", "close", "middle", "remote"])
def test_every_sampling_strategy_trains(strategy) -> None:
    config = override(FULL, {"pairs.strategy": strategy, "pairs.limit": 50})
    assert train(Own(), block_graph(), config).test > 0.5


def test_more_anchors_add_more_highways() -> None:
    data = block_graph()
    few, many = (train(Own(), data, override(FULL, {"highway.anchors": n})).rounds[0].edges_added for n in (1, 4))
    assert many > few


class Perceptron(nn.Sequential):
    """A network that GIN needs inside."""

    def __init__(self, wide: int, narrow: int) -> None:
        super().__init__(nn.Linear(wide, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, narrow))


class Stack(nn.Module):
    """Two layers of any kind, without a reset_parameters of its own."""

    def __init__(self, layer, *args, **options) -> None:
        super().__init__()
        self.layers = nn.ModuleList([layer(12, 16, *args, **options), layer(16, 3, *args, **options)])

    def forward(self, x, edge_index):
        return self.layers[1](self.layers[0](x, edge_index).relu(), edge_index)


class Propagated(nn.Module):
    """A perceptron followed by APPNP's propagation."""

    def __init__(self) -> None:
        super().__init__()
        self.predict, self.spread = Perceptron(12, 3), pyg.APPNP(5, 0.1)

    def forward(self, x, edge_index):
        return self.spread(self.predict(x), edge_index)


def pna() -> nn.Module:
    data = block_graph()
    histogram = degree(degree(data.edge_index[1], 180).long()).long()
    return pyg.PNA(12, 16, 2, 3, aggregators=["mean", "max"], scalers=["identity", "linear"], deg=histogram)


ARCHITECTURES = {
    "GCN": lambda: pyg.GCN(12, 16, 2, 3, dropout=0.3),
    "GAT": lambda: pyg.GAT(12, 16, 2, 3, heads=4),
    "GATv2": lambda: pyg.GAT(12, 16, 2, 3, v2=True),
    "GraphSAGE": lambda: pyg.GraphSAGE(12, 16, 2, 3),
    "lazy GraphSAGE": lambda: pyg.GraphSAGE(-1, 16, 2, 3),
    "GIN": lambda: pyg.GIN(12, 16, 2, 3),
    "PNA": pna,
    "EdgeCNN": lambda: pyg.EdgeCNN(12, 16, 2, 3),
    "SGC": lambda: pyg.SGConv(12, 3, K=2),
    "TAG": lambda: Stack(pyg.TAGConv),
    "ARMA": lambda: Stack(pyg.ARMAConv),
    "ChebConv": lambda: Stack(pyg.ChebConv, 2),
    "TransformerConv": lambda: Stack(pyg.TransformerConv),
    "APPNP": Propagated,
    "a user's own": Own,
}


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_any_architecture_trains_with_highways(name) -> None:
    data = block_graph()
    changes = {"fit.lr": 0.01, "fit.epochs": 100, "fit.patience": 30, "highway.node_threshold": 0.4}
    config = override(FULL, changes | {"highway.rounds": 3, "highway.keep": "last"})
    result = train(ARCHITECTURES[name](), data, config, seed=0)
    assert len(result.rounds) >= 2
    assert result.highways.size(1) > 0
    assert result.test > 0.4
    assert torch.isfinite(result.logits).all()


def test_weights_of_edges_reach_the_model_and_highways_weigh_one() -> None:
    data = block_graph()
    data.edge_weight = torch.rand(data.edge_index.size(1))
    result = train(build("gcn", data, hidden=16), data, override(FULL, {"highway.keep": "last"}))
    new = result.graph.edge_index.size(1) - data.edge_index.size(1)
    assert new > 0
    assert torch.equal(result.graph.edge_weight, torch.cat([data.edge_weight, torch.ones(new)]))
    for model in (Own(), pyg.GraphSAGE(12, 16, 2, 3)):
        with pytest.raises(ModelError, match="has no argument edge_weight"):
            train(model, data, FULL)


class LogSoftmax(Own):
    def forward(self, x, edge_index):
        return super().forward(x, edge_index).log_softmax(dim=1)


def test_models_that_cannot_work_are_refused() -> None:
    data = block_graph()
    with pytest.raises(ModelError, match="tells 2 classes apart, but the labels name 3"):
        train(pyg.GCN(12, 16, 2, 2), data, FULL)
    with pytest.raises(ModelError, match="returns log-probabilities"):
        train(LogSoftmax(), data, FULL)
    assert train(LogSoftmax(), data, TYPICAL).test > 0.5
    with pytest.raises(ModelError, match="cached=True"):
        train(pyg.GCN(12, 16, 2, 3, cached=True), data, FULL)
    with pytest.raises(ModelError, match="one row of logits per node"):
        train(Flat(), data, FULL)
    with pytest.raises(ModelError, match=r"cannot be called on this graph \(12 features\)"):
        train(pyg.GCN(5, 16, 2, 3), data, FULL)


class Flat(Own):
    def forward(self, x, edge_index):
        return super().forward(x, edge_index).sum(dim=0)


def test_data_without_a_split_is_refused() -> None:
    data = block_graph()
    del data.train_mask
    with pytest.raises(DataError, match="no train_mask"):
        train(Own(), data, FULL)


def test_a_loss_that_explodes_stops_the_run() -> None:
    data = block_graph()
    data.x = data.x * 1e30
    with pytest.raises(FailedError, match="no longer a number"):
        train(Own(), data, override(FULL, {"fit.lr": 1e10}))


def test_other_things_than_predicted_edges_may_be_added() -> None:
    data = block_graph(seed=1)
    options = {"highway.keep": "last", "highway.rounds": 2, "highway.node_threshold": 0.3, "fit.epochs": 30}
    by = {
        adds: train(Own(), data, override(FULL, options | {"highway.control": adds}))
        for adds in ("edges", "random-edges", "true-edges", "labels")
    }
    first = [result.rounds[0] for result in by.values()]
    assert len({(r.epochs, r.val) for r in first}) == 1
    assert by["true-edges"].rounds[0].edge_precision == 1
    assert by["edges"].rounds[0].edge_precision > 0.7 > by["random-edges"].rounds[0].edge_precision
    ends = by["labels"].highways[1]
    assert len(ends) == len(ends.unique()) > 0
    assert not (data.train_mask | data.val_mask)[ends].any()
    graph = by["labels"].graph
    assert torch.equal(graph.edge_index, data.edge_index)
    assert graph.train_mask[ends].all()


def test_of_equal_epochs_the_last_may_be_kept() -> None:
    data = block_graph()
    options = {"fit.epochs": 40, "fit.patience": 40}
    first, last = (
        train(Own(), data, override(PRESETS["typical"], options | {"fit.ties": t})) for t in ("first", "last")
    )
    best = [e.epoch for e in first.history if e.val == first.val]
    assert len(best) > 1
    weights = [next(result.model.parameters()) for result in (first, last)]
    assert first.val == last.val
    assert not torch.equal(*weights)


def many_classes(count: int = 70, size: int = 8) -> Data:
    """Return small communities, each a class with three labels to train on."""
    draw, nodes = torch.Generator().manual_seed(0), count * size
    y = torch.arange(count).repeat_interleave(size)
    friends = y.repeat(2) * size + torch.randint(size, (2 * nodes,), generator=draw)
    edges = torch.stack([torch.arange(nodes).repeat(2), friends])
    x = F.one_hot(y, count) + 0.3 * torch.randn(nodes, count, generator=draw)
    return split(Data(x=x, edge_index=torch.cat([edges, edges.flip(0)], dim=1), y=y), train=3, val=2, seed=0)


@pytest.mark.parametrize("preset", ["full", "plus"])
def test_seventy_classes_of_three_labels(preset: str) -> None:
    data = many_classes()
    changes = {"fit.epochs": 30, "fit.min_epochs": 0, "fit.device": "cpu", "fit.class_weights": "balanced"}
    result = train(build("gcn", data), data, override(PRESETS[preset], changes | {"fit.monitor": "f1"}))
    assert result.logits.shape == (560, 70)
    assert result.test > 0.1
    assert all(0 <= epoch.val_f1 <= 1 for epoch in result.history)


def test_seventy_classes_some_with_three_labels() -> None:
    data = block_graph(classes=70, size=12, features=80)
    data.x = data.x + 8 * F.one_hot(data.y, 80)
    known = torch.arange(12).repeat(70)
    # Of every other class only three labels are known.
    data.y = torch.where((data.y % 2 == 0) & (known >= 3), -1, data.y)
    data = split(data, train=5, val=3, seed=0, small_classes="share")
    assert len(data.y[data.train_mask].unique()) == len(data.y[data.test_mask].unique()) == 70
    quick = {"fit.epochs": 60, "fit.lr": 0.03, "fit.patience": 20, "fit.class_weights": "balanced", "fit.monitor": "f1"}
    for config in (override(PRESETS["full"], quick | {"pairs.weight": 0.01}), PRESETS["plus"]):
        assert train(build("gcn", data, hidden=64), data, config, seed=0).test > 0.3
