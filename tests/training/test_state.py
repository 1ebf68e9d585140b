import math

import pytest
import torch
from torch import nn
from torch_geometric.nn import GCN

from highwaygraph.config import Config
from highwaygraph.errors import RunError
from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.result import Result
from highwaygraph.training import checkpoints as checkpoints_module
from highwaygraph.training import engine
from highwaygraph.training.checkpoints import Snapshot
from highwaygraph.training.engine import checkpoints, train
from highwaygraph.training.state import _from_table, restore_state
from tests.helpers.graphs import block_graph

QUICK = {"fit.epochs": 8, "fit.min_epochs": 2, "fit.patience": 4, "highway.rounds": 3, "fit.device": "cpu", "seed": 3}


class Stop(Exception):
    """Ends a training from a callback."""


def interrupted(model: nn.Module, config: Config, folder, epochs: int) -> tuple[Result, int]:
    """Train with an interruption every few epochs; return the result and the number of interruptions."""
    data, stops = block_graph(), 0
    while True:
        seen = []

        def count(epoch: object, seen: list[object] = seen) -> None:
            seen.append(epoch)
            if len(seen) == epochs:
                raise Stop

        try:
            saved = checkpoints(folder, model, data, config, every=0.0)
            return train(model, data, config, on_epoch=count, checkpoint=saved), stops
        except Stop:
            stops += 1


@pytest.fixture(autouse=True)
def _at_every_epoch(monkeypatch) -> None:
    monkeypatch.setattr(checkpoints_module, "LEAST_RATIO", 0.0)


@pytest.mark.parametrize(
    ("name", "preset", "more"),
    [
        ("gcn", "full", {}),
        ("gat", "plus", {"consistency.ramp": 2}),
        ("graphmix", "full", {"fit.monitor": "balanced_accuracy"}),
        ("sage", "plus", {"fit.batch_size": 10}),
        ("own", "full", {}),
        ("own", "full", {"fit.batch_size": 10, "fit.num_workers": 1}),
    ],
)
def test_an_interrupted_training_resumes_bit_identically(tmp_path, name, preset, more) -> None:
    data, config = block_graph(), override(PRESETS[preset], QUICK | more)
    model = GCN(12, 8, 2, 3, dropout=0.5) if name == "own" else build(name, data, hidden=8)
    whole = train(model, data, config)
    resumed, stops = interrupted(model, config, tmp_path, 3)
    assert stops > 1
    assert resumed.rounds == whole.rounds
    assert str(resumed.history) == str(whole.history)
    assert torch.equal(resumed.logits, whole.logits)
    assert (resumed.best_round, resumed.stopped) == (whole.best_round, whole.stopped)
    assert all(torch.equal(a, b) for a, b in zip(resumed.highway_table, whole.highway_table, strict=True))
    states = (result.model.state_dict().values() for result in (resumed, whole))
    assert all(torch.equal(a, b) for a, b in zip(*states, strict=True))


def test_a_resumed_training_has_the_threads_that_it_began_with(tmp_path, monkeypatch) -> None:
    data, config = block_graph(), override(PRESETS["full"], QUICK)
    model = build("gcn", data, hidden=8)
    saved = checkpoints(tmp_path, model, data, config, every=0.0)
    monkeypatch.setattr(engine, "choose_threads", lambda *_: 2)
    with pytest.raises(Stop):
        train(model, data, config, on_epoch=_stop_at(5), checkpoint=saved)
    monkeypatch.setattr(engine, "choose_threads", lambda *_: 1)
    seen = []
    resumed = train(model, data, config, on_epoch=lambda _: seen.append(torch.get_num_threads()), checkpoint=saved)
    assert resumed.num_threads == 2
    assert set(seen) == {2}


@pytest.mark.parametrize("count", [0, "two", None])
def test_a_checkpoint_with_an_impossible_number_of_threads_is_refused(count) -> None:
    with pytest.raises(RunError, match="does not fit this training"):
        restore_state(Snapshot({"best": None, "rounds": [], "num_threads": count}, {}), nn.Linear(1, 1))


def test_checkpoints_of_another_config_or_graph_are_refused(tmp_path) -> None:
    data, config = block_graph(), override(PRESETS["full"], QUICK)
    model = build("gcn", data, hidden=8)
    with pytest.raises(Stop):
        train(
            model, data, config, on_epoch=_stop_at(5), checkpoint=checkpoints(tmp_path, model, data, config, every=0.0)
        )
    for other, graph in ((override(config, {"seed": 4}), data), (config, block_graph(seed=1))):
        with pytest.raises(RunError, match="other options or data"):
            train(model, graph, other, checkpoint=tmp_path)
    with pytest.raises(RunError, match="other options or data"):
        train(build("gcn", data, hidden=8, dropout=0.1), data, config, checkpoint=tmp_path)
    assert train(model, data, config, checkpoint=tmp_path).rounds


def _stop_at(epoch: int):
    def stop(now) -> None:
        if now.epoch == epoch:
            raise Stop

    return stop


def test_epochs_of_a_version_without_balanced_accuracy_are_read() -> None:
    (epoch,) = _from_table(torch.tensor([[1, 2, 0.9, 0.1, 0.8, 0.75, 0.7]], dtype=torch.double))
    assert (epoch.round, epoch.epoch, epoch.val_f1) == (1, 2, 0.7)
    assert math.isnan(epoch.val_balanced_accuracy)


@pytest.mark.parametrize("facts", [{}, {"best": 3}, {"best": None, "rounds": [1]}, {"best": None, "rounds": [{}]}])
def test_a_checkpoint_with_wrong_entries_is_a_sentence(tmp_path, facts) -> None:
    model, data, config = build("gcn", block_graph(), hidden=8), block_graph(), override(PRESETS["full"], QUICK)
    saved = checkpoints(tmp_path, model, data, config)
    saved.save(Snapshot(facts, {"history": torch.zeros(1, 3)}))
    with pytest.raises(RunError, match="The last checkpoint does not fit this training"):
        train(model, data, config, checkpoint=saved)
