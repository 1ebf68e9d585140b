import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from highwaygraph import cli
from highwaygraph.errors import FailedError, RunError
from highwaygraph.study.records import _append, read_records, run
from highwaygraph.study.spec import cell_key, cells, read_study
from tests.helpers.graphs import block_graph
from tests.helpers.writers import full_disk

GRID = """
title = "A toy"
protocol = "random"
train = 5
val = 10
baseline = {{ preset = "typical" }}
options = {{ "fit.epochs" = 12, "network.hidden" = 16 }}
tuned = [{{ model = "sage", "fit.lr" = 0.05 }}]

[grid]
dataset = ["{path}"]
model = ["gcn", "sage"]
preset = ["typical", "full"]
split = [0, 1]
seed = [0, 1]
"""


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    data = block_graph()
    np.savez(tmp_path / "toy.npz", x=data.x.numpy(), edge_index=data.edge_index.numpy(), y=data.y.numpy())
    (tmp_path / "toy.toml").write_text(GRID.format(path=(tmp_path / "toy.npz").as_posix()))
    return tmp_path / "toy.toml"


def without_times(path: Path) -> list[dict]:
    """Return the records without times."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        for name in ("seconds", "train_seconds", "epoch_ms"):
            line.pop(name)
        for measured in line["rounds"]:
            measured.pop("seconds")
    return sorted(lines, key=lambda line: cell_key(line["cell"]))


def test_a_study_runs_missing_cells_only(grid, tmp_path) -> None:
    study, path = read_study(str(grid)), tmp_path / "toy.jsonl"
    assert len(list(run(study, cells(study, {"model": "gcn"}), path, workers=1))) == 8
    assert len(list(run(study, cells(study), path, workers=2))) == 8
    assert list(run(study, cells(study), path, workers=1)) == []
    records = without_times(path)
    assert len({cell_key(r["cell"]) for r in records}) == len(records) == 16
    keys = "study dataset model preset split seed val test test_last rounds hops config versions data_hash split_hash"
    assert set(keys.split()) <= records[0].keys()
    assert all(0 <= r["test"] <= 1 for r in records)
    assert {r["config"]["fit"]["lr"] for r in records if r["model"] == "sage"} == {0.05}
    assert {r["config"]["network"]["hidden"] for r in records} == {16}
    assert {r["protocol"] for r in records} == {"random 5/10/rest"}


def test_the_protocol_names_the_labels_of_the_cell(grid, tmp_path) -> None:
    text = grid.read_text().replace("seed = [0, 1]", "seed = [0]\ntrain = [4, 7]")
    grid.write_text(text)
    study, path = read_study(str(grid)), tmp_path / "toy.jsonl"
    list(run(study, cells(study, {"model": "gcn", "preset": "typical", "split": "0"}), path, workers=1))
    assert {r["protocol"] for r in without_times(path)} == {"random 4/10/rest", "random 7/10/rest"}


def test_the_protocol_names_the_sizes_of_the_dataset(grid, tmp_path) -> None:
    text = grid.read_text()
    dataset = (tmp_path / "toy.npz").as_posix()
    grid.write_text(f'{text}[[sizes]]\ndataset = "{dataset}"\ntrain = 30\nval = 40\nper = "graph"\n')
    study, path = read_study(str(grid)), tmp_path / "sizes.jsonl"
    list(run(study, cells(study)[:1], path, workers=1))
    assert {r["protocol"] for r in without_times(path)} == {"random 30/40/rest of the graph"}


def test_an_incomplete_last_line_is_removed_and_its_cell_run_again(grid, tmp_path) -> None:
    study, path = read_study(str(grid)), tmp_path / "toy.jsonl"
    list(run(study, cells(study), path, workers=1))
    whole = without_times(path)
    path.write_bytes(path.read_bytes()[:-40])
    assert len(read_records(path)) == 15
    assert len(list(run(study, cells(study), path, workers=1))) == 1
    assert without_times(path) == whole


def test_an_invalid_line_is_reported(tmp_path) -> None:
    (tmp_path / "x.jsonl").write_text('{"cell": {}}\nnonsense\n{"cell": {}}\n')
    with pytest.raises(RunError, match="no record"):
        read_records(tmp_path / "x.jsonl")


@pytest.mark.slow
def test_a_killed_study_resumes_with_identical_records(grid, tmp_path) -> None:
    study = read_study(str(grid))
    list(run(study, cells(study), tmp_path / "whole" / "toy.jsonl", workers=1))
    path = tmp_path / "killed" / "toy.jsonl"
    command = [sys.executable, "-m", "highwaygraph", "study", str(grid), "--out", str(path.parent), "--workers", "1"]
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    for lines in (1, 6, 11):
        process = subprocess.Popen(command, **options)
        while process.poll() is None and (not path.exists() or path.read_bytes().count(b"\n") < lines):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True, **options)
    assert without_times(path) == without_times(tmp_path / "whole" / "toy.jsonl")


@pytest.mark.parametrize("limit", [0, 20, 45])
def test_a_full_disk_leaves_whole_lines(tmp_path, limit: int) -> None:
    path = tmp_path / "toy.jsonl"
    line = '{"cell":{"seed":0},"val":0.5,"test":0.5,"test_last":0.5}\n'
    _append(path, line)
    # The limit lets the first 0, 20 or 45 bytes of the file be written, and so a part of the next line or nothing.
    with full_disk(limit), pytest.raises(FailedError, match="Cannot write .*: File too large. Make space"):
        _append(path, line * 2)
    assert path.read_text() == line
    _append(path, line)
    assert len(read_records(path)) == 2


def test_a_study_on_a_full_disk_fails_with_a_sentence(grid, tmp_path, capsys) -> None:
    out = tmp_path / "results"
    out.mkdir()
    words = ["study", str(grid), "--workers", "1", "--out", str(out), "--cells", "model=gcn,preset=typical,split=0"]
    with full_disk(700), pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == 1
    assert "File too large" in capsys.readouterr().err
    assert read_records(out / "toy.jsonl") == []
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert not ended.value.code
    assert len(read_records(out / "toy.jsonl")) == 2
