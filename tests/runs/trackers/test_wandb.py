"""The tracker of Weights & Biases in offline mode, read back from the file that `wandb sync` uploads."""

import json
from pathlib import Path

import pytest

import highwaygraph as hg
from highwaygraph.training import checkpoints as checkpoints_module
from tests.helpers.tracked import train
from tests.helpers.wandb_file import history, records

pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("error::highwaygraph.errors.HighwayWarning"),
]
wandb = pytest.importorskip("wandb", reason="wandb is not installed", exc_type=ImportError)


def files(folder: Path) -> list[Path]:
    # The files are written by a process of wandb's own, which ends here; else it ends with this process.
    wandb.teardown()
    return sorted(folder.glob("wandb/offline-run-*/*.wandb"), key=lambda path: path.stat().st_mtime)


def test_epochs_rounds_options_and_the_outcome_are_recorded(tmp_path) -> None:
    result = train([hg.WandbTracker(folder=tmp_path)])
    (path,) = files(tmp_path)
    rows = history(path)
    losses = [(row["_step"], row["train/loss"]) for row in rows if "train/loss" in row]
    assert losses == [(i, pytest.approx(e.loss)) for i, e in enumerate(result.history, 1)]
    rounds = [(row["round"], row["round/test"]) for row in rows if "round" in row]
    assert rounds == [(i, pytest.approx(r.test)) for i, r in enumerate(result.rounds, 1)]
    (run,) = [one.run for one in records(path) if one.WhichOneof("record_type") == "run"][:1]
    config = {item.key: json.loads(item.value_json) for item in run.config.update}
    assert config["fit.epochs"] == 6
    summary = [one.summary for one in records(path) if one.WhichOneof("record_type") == "summary"]
    last = {item.key: json.loads(item.value_json) for one in summary for item in one.update if item.key}
    assert last["result/test"] == pytest.approx(result.test)
    assert wandb.run is None


def test_a_resumed_training_has_the_same_id_and_the_next_steps(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(checkpoints_module, "LEAST_RATIO", 0.0)
    train([hg.WandbTracker(folder=tmp_path)], tmp_path / "saved", stop=9)
    result = train([hg.WandbTracker(folder=tmp_path)], tmp_path / "saved")
    first, second = files(tmp_path)
    assert first.name == second.name
    steps = [[row["_step"] for row in history(path) if "train/loss" in row] for path in (first, second)]
    assert sorted({*steps[0], *steps[1]}) == list(range(1, len(result.history) + 1))
    assert steps[1][0] == 9
