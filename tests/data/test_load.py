"""Much at once and for long: no cell lost or doubled, and memory and open files as they were."""

import gc
import json
import os
from pathlib import Path

import pytest

from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.history import Epoch
from highwaygraph.runtime import environment
from highwaygraph.study.records import run
from highwaygraph.study.spec import cells, read_study
from highwaygraph.training.engine import checkpoints, train
from tests.helpers.graphs import block_graph
from tests.helpers.grids import write_grid

ROUNDS = 1500


def crowd(folder: Path) -> int:
    """Run a grid on more processes than there are cores, and return how many cells it has, if all are there once."""
    study = read_study(str(write_grid(folder / "load.toml", splits=10, seeds=10, epochs=3)))
    wanted = cells(study)
    assert len(list(run(study, wanted, folder / "load.jsonl", workers=8))) == len(wanted)
    lines = [json.loads(line)["cell"] for line in (folder / "load.jsonl").read_text().splitlines()]
    assert sorted(map(str, lines)) == sorted(map(str, wanted))
    return len(wanted)


def held() -> tuple[float, int]:
    """Return the MiB in memory and the number of open files."""
    gc.collect()
    return environment.reset_peak(), len(os.listdir("/proc/self/fd"))


def long_run(folder: Path) -> list[tuple[float, int]]:
    """Train for many rounds with a checkpoint at almost every epoch, and return what is held early and at the end."""
    data, marks = block_graph(), []
    many = {
        "highway.rounds": ROUNDS,
        "highway.patience": ROUNDS,
        "highway.start": 2,
        "fit.epochs": 3,
        "fit.min_epochs": 0,
    }
    small = {"fit.device": "cpu", "highway.draws": 2, "highway.node_threshold": 0.0}
    config, model = override(PRESETS["plus"], many | small), build("gcn", data, hidden=8)

    def look(epoch: Epoch) -> None:
        if epoch.epoch == 3 and epoch.round in (ROUNDS // 5, ROUNDS):
            marks.append(held())

    saves = checkpoints(folder, model, data, config, every=0.0)
    assert len(train(model, data, config, on_epoch=look, checkpoint=saves).rounds) == ROUNDS
    return marks


@pytest.mark.slow
def test_two_hundred_trainings_on_more_workers_than_cores(tmp_path) -> None:
    assert crowd(tmp_path) == 200


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not tell")
def test_many_rounds_leave_memory_and_files_as_they_were(tmp_path) -> None:
    (warm, files), (last, files_last) = long_run(tmp_path)
    assert files_last <= files
    assert last < 1.05 * warm
