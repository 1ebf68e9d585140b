"""Two real processes that train one model together."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from highwaygraph.ranks import averaged, gather, own_part, rank, world

ROOT = Path(__file__).resolve().parent.parent
RUN = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2")


def start(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    return subprocess.run([*RUN, *words], cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.parametrize("preset", ["full", "plus"])
def test_two_processes_end_with_one_model(tmp_path, preset) -> None:
    made = start(tmp_path, "-m", "tests.together", str(tmp_path), preset)
    assert made.returncode == 0, made.stderr
    one, other = (json.loads((tmp_path / f"{i}.json").read_text()) for i in range(2))
    assert one == other
    assert one["world"] == 2
    assert one["parts"] == list(range(11))
    assert one["test"] > 0.6
    # Of two rounds, the second of plus trains without highways yet.
    assert bool(one["highways"][0]) == (preset == "full")


def test_the_command_line_under_torchrun(tmp_path) -> None:
    quick = ("--fit.batch", "64", "--fit.epochs", "3", "--highway.rounds", "2")
    made = start(tmp_path, "-m", "highwaygraph", "train", "cora", "--split", "random", *quick, "--out", "run")
    assert made.returncode == 0, made.stderr
    # The first one speaks for both.
    assert made.stdout.count("cora: 2,708 nodes") == 1
    assert (tmp_path / "run" / "model.safetensors").is_file()
    made = start(tmp_path, "-m", "highwaygraph", "train", "cora", "--split", "random", "--out", "other")
    assert "Several processes train by lots" in made.stderr
    assert not (tmp_path / "other").exists()


def test_when_one_process_ends_the_run_ends_with_a_checkpoint(tmp_path) -> None:
    made = start(tmp_path, "-m", "tests.together", str(tmp_path), "full", "dies")
    assert made.returncode != 0
    assert "Another process of this run has ended" in made.stderr
    assert not list(tmp_path.glob("*.json"))
    assert list((tmp_path / "saved").glob("*.safetensors"))


def test_torchrun_starts_all_again_from_the_checkpoint(tmp_path) -> None:
    made = start(tmp_path, "--max-restarts=1", "-m", "tests.together", str(tmp_path), "full", "dies")
    assert made.returncode == 0, made.stderr
    one, other = (json.loads((tmp_path / f"{i}.json").read_text()) for i in range(2))
    assert one == other
    # The first round was done.
    assert one["first"][0] == 2
    assert one["test"] > 0.6


def test_alone_nothing_changes() -> None:
    module, part = torch.nn.Linear(2, 2), torch.ones(3, 2)
    assert (world(), rank(), own_part(7)) == (1, 0, slice(0, 7))
    assert gather(part) is part
    assert averaged(module) is module
