"""Algorithm 1 as a whole: determinism, rounds, selection and refusals."""

import copy
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from highwaygraph.errors import DataError
from highwaygraph.graph.augment import is_new
from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph
from tests.helpers.own_module import FULL, QUICK, TYPICAL, Own


def presets_of_networks() -> Iterator[Any]:
    """Yield every preset with GCN, and every network; the other combinations are slow."""
    for preset, name in product(PRESETS, ("gcn", "gat", "sage", "hyper")):
        marks = () if name == "gcn" or preset == "full" else pytest.mark.slow
        yield pytest.param(name, preset, marks=marks)


@pytest.mark.parametrize(("name", "preset"), list(presets_of_networks()))
def test_every_preset_and_network_is_deterministic(name, preset) -> None:
    data, config = block_graph(), override(PRESETS[preset], QUICK)
    first, again = (train(build(name, data, hidden=16), data, config, seed=3) for _ in range(2))
    assert torch.equal(first.logits, again.logits)
    assert torch.equal(first.highways, again.highways)
    assert repr((first.stopped, first.rounds)) == repr((again.stopped, again.rounds))
    assert first.test > 0.5


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("preset", ["full", "plus"])
def test_a_module_may_compute_in_any_precision(kind, preset) -> None:
    class Precise(Own):
        def forward(self, x, edge_index):
            return super().forward(x, edge_index).to(kind)

    config = override(PRESETS[preset], QUICK | {"fit.epochs": 3, "highway.rounds": 2})
    models = [Precise(), *([Own().to(kind)] if kind != torch.float16 else [])]
    for model in models:
        assert train(model, block_graph(), config).logits.dtype == torch.float32


def test_the_callers_random_state_and_model_are_not_changed() -> None:
    data, model = block_graph(), Own()
    weights = copy.deepcopy(model.state_dict())
    states = torch.get_rng_state(), np.random.get_state()[1].tolist()
    train(model, data, FULL, seed=1)
    assert torch.equal(torch.get_rng_state(), states[0])
    assert np.random.get_state()[1].tolist() == states[1]
    assert all(torch.equal(value, weights[name]) for name, value in model.state_dict().items())
    assert model.training


def test_another_seed_gives_other_logits() -> None:
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


def test_the_selected_round_is_the_best_or_the_last() -> None:
    data = block_graph(seed=2)
    best = train(Own(), data, FULL, seed=0)
    last = train(Own(), data, override(FULL, {"highway.keep": "last"}), seed=0)
    assert best.rounds == last.rounds
    assert best.val == max(r.val for r in best.rounds)
    assert last.best_round == len(last.rounds)
    for result in (best, last):
        correct = (result.predict() == data.y)[data.test_mask].double().mean().item()
        assert result.test == correct


def test_the_stop_reason_is_reported() -> None:
    data = block_graph()
    assert train(Own(), data, TYPICAL).stopped == "rounds"
    no_edges = train(Own(), data, override(FULL, {"highway.node_threshold": 1.0}))
    assert (no_edges.stopped, len(no_edges.rounds), no_edges.highways.size(1)) == ("no new edges", 1, 0)
    runs = [train(Own(), block_graph(seed), PRESETS["without-joint"], seed=seed) for seed in range(4)]
    failed = [run for run in runs if run.stopped == "validation"]
    assert failed
    assert all(run.rounds[-1].val <= run.rounds[-2].val for run in failed)
    assert all(run.best_round == len(run.rounds) - 1 for run in failed)


def test_on_epoch_is_called_with_every_epoch() -> None:
    received: list[object] = []
    result = train(Own(), block_graph(), FULL, on_epoch=received.append)
    assert tuple(received) == result.history
    assert [sum(e.round == i + 1 for e in result.history) for i in range(len(result.rounds))] == [
        r.epochs for r in result.rounds
    ]
    assert all(e.pair_loss > 0 for e in result.history)


def test_auto_adds_the_nodes_above_the_threshold_that_validation_calibrates() -> None:
    data = block_graph(seed=4)
    changes = {"highway.node_threshold": "auto", "highway.precision": 0.97, "highway.joint": False}
    once = override(FULL, changes | {"highway.rounds": 1})
    logits = train(Own(), data, once).logits
    confidence, predicted = logits.softmax(1).max(1)
    val = data.val_mask
    cuts = [0.0, *confidence[val].sort().values.tolist()]
    precise = [
        c for c in cuts if (p := (predicted == data.y)[val & (confidence > c)]).numel() and p.double().mean() >= 0.97
    ]
    twice = override(FULL, changes | {"highway.rounds": 2, "highway.keep": "last"})
    ends = train(Own(), data, twice).highways[1]
    unlabelled = ends[~data.train_mask[ends]]
    assert len(unlabelled)
    assert (confidence[unlabelled] > min(precise)).all()
    passing = (confidence > min(precise)) & ~data.train_mask
    neighbours = data.edge_index[1][data.train_mask[data.edge_index[0]]]
    assert set(passing.nonzero().flatten().tolist()) - set(neighbours.tolist()) <= set(unlabelled.tolist())


def test_edge_precision_is_computed_on_held_out_nodes() -> None:
    data = block_graph(seed=1)
    result = train(
        Own(), data, override(FULL, {"highway.rounds": 2, "highway.keep": "last", "highway.node_threshold": 0.3})
    )
    held_out = [(i, j) for i, j in result.highways.T.tolist() if not data.train_mask[j]]
    correct = sum(int(data.y[i] == data.y[j]) for i, j in held_out)
    assert result.rounds[0].edge_precision == correct / len(held_out) < 1


def test_each_undirected_highway_occurs_once() -> None:
    result = train(Own(), block_graph(), override(FULL, {"highway.anchors": 4, "highway.keep": "last"}))
    assert len({frozenset(edge) for edge in result.highways.T.tolist()}) == result.highways.size(1) > 0


def test_a_preset_may_be_given_by_name() -> None:
    data = block_graph()
    assert torch.equal(train(Own(), data, "typical").logits, train(Own(), data, PRESETS["typical"]).logits)


def test_other_edge_attributes_are_removed_where_edges_are_added() -> None:
    data = block_graph()
    data.edge_time = torch.rand(data.edge_index.size(1), 3)
    result = train(Own(), data, override(FULL, {"highway.keep": "last"}))
    assert "edge_time" not in result.graph
    assert "edge_time" in result.data
    assert "edge_time" in train(Own(), data, TYPICAL).graph


def test_data_without_a_split_is_refused() -> None:
    data = block_graph()
    del data.train_mask
    with pytest.raises(DataError, match="no train_mask"):
        train(Own(), data, FULL)


def test_control_experiments() -> None:
    data = block_graph(seed=1)
    options = {"highway.keep": "last", "highway.rounds": 2, "highway.node_threshold": 0.3, "fit.epochs": 30}
    by = {
        control: train(Own(), data, override(FULL, options | {"highway.control": control}))
        for control in ("none", "random-edges", "true-edges", "pseudo-labels")
    }
    first = [result.rounds[0] for result in by.values()]
    assert len({(r.epochs, r.val) for r in first}) == 1
    assert by["true-edges"].rounds[0].edge_precision == 1
    assert by["none"].rounds[0].edge_precision > 0.7 > by["random-edges"].rounds[0].edge_precision
    ends = by["pseudo-labels"].highways[1]
    assert len(ends) == len(ends.unique()) > 0
    assert not (data.train_mask | data.val_mask)[ends].any()
    graph = by["pseudo-labels"].graph
    assert torch.equal(graph.edge_index, data.edge_index)
    assert graph.train_mask[ends].all()
