"""The tracker of TensorBoard, read back by TensorBoard itself."""

from pathlib import Path
from typing import Any

import pytest

import highwaygraph as hg
from highwaygraph.training import checkpoints as checkpoints_module
from tests.helpers.tracked import train

accumulator = pytest.importorskip(
    "tensorboard.backend.event_processing.event_accumulator", reason="tensorboard is not installed"
)


def read(folder: Path) -> Any:
    """Return the events of the only training in a folder."""
    (run,) = folder.iterdir()
    found = accumulator.EventAccumulator(str(run), size_guidance={accumulator.SCALARS: 0})
    found.Reload()
    return found


def series(found: Any, name: str) -> list[tuple[int, float]]:
    return [(event.step, event.value) for event in found.Scalars(name)]


def test_epochs_rounds_options_and_the_outcome_are_written(tmp_path) -> None:
    result = train([hg.TensorBoardTracker(tmp_path)])
    found = read(tmp_path)
    assert series(found, "train/loss") == [(i, pytest.approx(e.loss)) for i, e in enumerate(result.history, 1)]
    assert series(found, "val/accuracy") == [(i, pytest.approx(e.val)) for i, e in enumerate(result.history, 1)]
    assert series(found, "round/test") == [(i, pytest.approx(r.test)) for i, r in enumerate(result.rounds, 1)]
    assert series(found, "result/test") == [(len(result.history), pytest.approx(result.test))]
    (text,) = found.Tensors("options/text_summary")
    assert b"| fit.epochs | 6 |" in text.tensor_proto.string_val[0]


def test_a_resumed_training_goes_on_in_its_folder_with_every_step_once(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(checkpoints_module, "LEAST_RATIO", 0.0)
    train([hg.TensorBoardTracker(tmp_path / "events")], tmp_path / "saved", stop=9)
    # The interrupted training has nine epochs, its last checkpoint eight: a killed process may have logged more.
    assert [step for step, _ in series(read(tmp_path / "events"), "train/loss")][-1] == 8
    result = train(["tensorboard:" + str(tmp_path / "events")], tmp_path / "saved")
    found = series(read(tmp_path / "events"), "train/loss")
    assert found == [(i, pytest.approx(e.loss)) for i, e in enumerate(result.history, 1)]


def test_steps_after_the_checkpoint_are_hidden(tmp_path) -> None:
    from highwaygraph.runs.history import Epoch
    from highwaygraph.runs.trackers.protocol import RunEnd, RunStart

    def write(first: int, last: int, loss: float) -> None:
        tracker = hg.TensorBoardTracker(tmp_path)
        tracker.on_start(RunStart("abc", "x-abc", {}, first - 1))
        for step in range(first, last + 1):
            tracker.on_epoch(Epoch(1, step, loss, 0.0, 0.0, 0.0), step)
        tracker.on_end(RunEnd("interrupted", {}))

    write(1, 5, 1.0)
    write(4, 6, 2.0)
    assert series(read(tmp_path), "train/loss") == [(1, 1.0), (2, 1.0), (3, 1.0), (4, 2.0), (5, 2.0), (6, 2.0)]
