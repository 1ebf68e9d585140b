"""Trackers receive every epoch and round, continue with a resumed training, and never lose one."""

import json

import pytest
import torch
from torch import nn

from highwaygraph.errors import ConfigError, FailedError, HighwayWarning, RunError
from highwaygraph.runs.history import Epoch
from highwaygraph.training import checkpoints as checkpoints_module
from highwaygraph.training.checkpoints import Snapshot
from highwaygraph.training.state import restore_state
from highwaygraph.training.tracking import Tracking, observer
from tests.helpers.tracked import Recorder, train


@pytest.fixture(autouse=True)
def _at_every_epoch(monkeypatch) -> None:
    monkeypatch.setattr(checkpoints_module, "LEAST_RATIO", 0.0)


def test_a_tracker_receives_everything_in_order() -> None:
    tracker = Recorder()
    result = train([tracker])
    names = [call[0] for call in tracker.calls]
    rounds = [name for r in result.rounds for name in ["on_epoch"] * r.epochs + ["on_round"]]
    assert len(result.rounds) > 1
    assert names == ["on_start", *rounds, "on_end"]
    assert tracker.of("on_epoch") == [[epoch, step] for step, epoch in enumerate(result.history, 1)]
    assert tracker.of("on_round") == [[record, number] for number, record in enumerate(result.rounds, 1)]


def test_the_start_has_the_options_and_the_end_the_scores_of_the_answer() -> None:
    tracker = Recorder()
    result = train([tracker])
    ((start,),), ((end,),) = tracker.of("on_start"), tracker.of("on_end")
    assert start.step == 0
    assert start.name == f"graph-gcn-{start.id[:8]}"
    assert start.options["fit.epochs"] == 6
    assert start.options["network.hidden"] == 8
    assert (start.options["data.nodes"], start.options["data.classes"], start.options["data.train"]) == (180, 3, 30)
    assert json.loads(json.dumps(dict(start.options))) == start.options
    assert end.status == "finished"
    assert (end.metrics["result/val"], end.metrics["result/test"]) == (result.val, result.test)
    assert end.metrics["typical/test"] == result.baseline.round.test
    assert end.metrics["result/highways"] == result.highways.size(1)


def test_a_resumed_training_has_its_id_and_its_steps(tmp_path) -> None:
    first, second, whole = Recorder(), Recorder(), Recorder()
    train([first], tmp_path, stop=9)
    train([second], tmp_path)
    train([whole])
    ((before,),), ((after,),) = first.of("on_start"), second.of("on_start")
    assert first.of("on_end")[0][0].status == "interrupted"
    assert not first.of("on_end")[0][0].metrics
    assert after.id == before.id != whole.of("on_start")[0][0].id
    # Eight epochs are in the last checkpoint; the ninth is trained again.
    assert after.step == 8
    repeated = {step: epoch for epoch, step in [*first.of("on_epoch"), *second.of("on_epoch")]}
    assert list(repeated.items()) == [(step, epoch) for epoch, step in whole.of("on_epoch")]
    assert second.of("on_round") == whole.of("on_round")[1:]


@pytest.mark.parametrize("method", ["on_epoch", "on_round", "on_end"])
def test_a_failing_tracker_is_left_out_and_the_run_is_the_same(method) -> None:
    failing, other = Recorder(fails=method), Recorder()
    with pytest.warns(
        HighwayWarning, match=r"Recorder failed .*\(ConnectionError: no answer\); the run continues"
    ) as seen:
        result = train([failing, other])
    assert len(seen) == 1
    assert failing.calls[-1][0] == method
    assert len(failing.of(method)) == 1
    assert other.of("on_end")[0][0].status == "finished"
    assert torch.equal(result.logits, train([]).logits)


def test_a_tracker_that_does_not_start_ends_the_training_before_its_first_epoch() -> None:
    started, failing = Recorder(), Recorder(fails="on_start")
    with pytest.raises(FailedError, match=r"tracker Recorder does not start \(ConnectionError: no answer\)"):
        train([started, failing])
    assert [call[0] for call in started.calls] == ["on_start", "on_end"]
    assert started.of("on_end")[0][0].status == "failed"
    assert [call[0] for call in failing.calls] == ["on_start"]


def test_errors_for_the_user_are_not_wrapped() -> None:
    class Refusing(Recorder):
        def on_start(self, start) -> None:
            raise ConfigError("Use another folder.")

    with pytest.raises(ConfigError, match="^Use another folder.$"):
        train([Refusing()])


def test_without_trackers_epochs_call_the_given_function_alone() -> None:
    seen = []
    observe = seen.append
    assert observer(observe, None) is observe
    tracker = Recorder()
    tracking = Tracking([tracker], "x", {})
    tracking.start("0" * 16, 4)
    epoch = Epoch(1, 5, 0.1, 0.0, 0.1, 1.0)
    observer(observe, tracking)(epoch)
    assert seen == [epoch]
    assert tracker.of("on_epoch") == [[epoch, 5]]


@pytest.mark.parametrize("found", [3, None, "' OR 1", ["a"]])
def test_a_checkpoint_with_an_impossible_id_is_refused(found) -> None:
    facts = {"best": None, "rounds": [], "highways": 0, "last_improvement": 0, "run_id": found}
    with pytest.raises(RunError, match="does not fit this training"):
        restore_state(Snapshot(facts, {"history": torch.empty(0, 0)}), nn.Linear(1, 1))
    facts["run_id"] = "0123abcd"
    assert restore_state(Snapshot(facts, {"history": torch.empty(0, 0)}), nn.Linear(1, 1)).run_id == "0123abcd"
