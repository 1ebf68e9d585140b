"""Much at once and for long: no cell lost or doubled, and memory and open files as they were."""

import gc
import json
import os
from pathlib import Path

import pytest

from highwaygraph import memory
from highwaygraph.config import PRESETS
from highwaygraph.engine import checkpoints, train
from highwaygraph.grids import cells, read_study
from highwaygraph.models import build
from highwaygraph.study import run
from highwaygraph.values import override
from tests.graphs import block_graph

GRID = """
title = "Load"
protocol = "random"
train = 5
val = 5
options = { "fit.epochs" = 3, "network.hidden" = 4, "highway.rounds" = 2 }

[grid]
dataset = ["cora"]
model = ["gcn", "sage"]
preset = ["full"]
split = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
seed = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
"""


@pytest.mark.slow
def test_two_hundred_trainings_on_more_workers_than_cores(tmp_path) -> None:
    (tmp_path / "load.toml").write_text(GRID)
    study = read_study(str(tmp_path / "load.toml"))
    wanted = cells(study)
    assert len(wanted) == 200
    assert len(list(run(study, wanted, tmp_path / "load.jsonl", workers=8))) == 200
    lines = [json.loads(line)["cell"] for line in (tmp_path / "load.jsonl").read_text().splitlines()]
    assert sorted(map(str, lines)) == sorted(map(str, wanted))


def held() -> tuple[float, int]:
    """Return the MiB in memory and the number of open files."""
    gc.collect()
    return memory.forget_peak(), len(os.listdir("/proc/self/fd"))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not tell")
def test_many_rounds_leave_memory_and_files_as_they_were(tmp_path) -> None:
    data, marks = block_graph(), []
    rounds = 1500
    many = {"highway.rounds": rounds, "highway.tries": rounds, "highway.start": 2, "fit.epochs": 3, "fit.min_epochs": 0}
    config = override(PRESETS["plus"], many | {"fit.device": "cpu", "highway.draws": 2, "highway.node_threshold": 0.0})
    model = build("gcn", data, hidden=8)

    def look(epoch) -> None:
        if epoch.epoch == 3 and epoch.round in (rounds // 5, rounds):
            marks.append(held())

    result = train(model, data, config, on_epoch=look, checkpoint=checkpoints(tmp_path, model, data, config, every=0.0))
    assert len(result.rounds) == rounds
    (warm, files), (last, files_last) = marks
    assert files_last <= files
    assert last < 1.05 * warm
