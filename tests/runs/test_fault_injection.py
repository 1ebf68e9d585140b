"""Fault injection: processes killed at random moments resume with identical results."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from highwaygraph.study.spec import cells, read_study
from tests.helpers.grids import write_grid
from tests.helpers.processes import CONTEXT, command, finish

QUICK = ["--split", "random", "--fit.device", "cpu", "--fit.patience", "30"]
TRAINED = [
    ["--preset", "full", "--highway.rounds", "3", "--hidden", "16", "--fit.epochs", "40"],
    ["--preset", "plus", "--model", "sage", "--fit.min-epochs", "10", "--hidden", "16", "--fit.epochs", "40"],
    ["--preset", "full", "--fit.batch_size", "70", "--fit.epochs", "15", "--hidden", "8", "--highway.rounds", "2"],
]
TIMES = ("seconds", "created", "train_seconds", "epoch_ms")


def timeless(value: Any) -> Any:
    """Return a JSON value without times."""
    if isinstance(value, dict):
        return {key: timeless(inner) for key, inner in value.items() if key not in TIMES}
    return [timeless(inner) for inner in value] if isinstance(value, list) else value


def contents(folder: Path) -> dict[str, Any]:
    """Return all files of a run without times, and the names of its checksums."""
    found: dict[str, Any] = {}
    for path in folder.iterdir():
        text = path.suffix == ".json"
        found[path.name] = timeless(json.loads(path.read_text())) if text else path.read_bytes()
    names = [line.split()[1] for line in found["SHA256SUMS"].decode().splitlines()]
    return found | {"SHA256SUMS": names}


def trainings(folder: Path, rng: random.Random, kills: int) -> int:
    """Train until that many processes were killed; compare each run with an uninterrupted one."""
    done = 0
    for number in range(1000):
        options = [*QUICK, *TRAINED[number % len(TRAINED)], "--seed", str(number // len(TRAINED)), "--no-baseline"]
        work = folder / str(number)
        work.mkdir()
        assert run(work, ["train", "cora", *options, "--out", "whole"]) == 0
        done += finish(
            work, ["train", "cora", *options, "--out", "resumed", "--checkpoint-every", "0", "--resume"], rng, 0.9
        )
        left = sorted(p.name for p in work.iterdir())
        assert left == ["output.txt", "resumed", "whole"], left
        whole, resumed = (contents(work / name) for name in ("whole", "resumed"))
        whole["meta.json"].pop("command"), resumed["meta.json"].pop("command")
        assert resumed == whole
        if done >= kills:
            break
    return done


def studies(folder: Path, rng: random.Random, kills: int) -> int:
    """Run a study until that many processes were killed; no cell is missing, repeated or different."""
    write_grid(folder / "toy.toml", splits=3, seeds=6)
    assert run(folder, ["study", "toy.toml", "--workers", "1", "--out", "whole"]) == 0
    whole = records(folder / "whole" / "toy.jsonl")
    done = 0
    while done < kills:
        (folder / "resumed").mkdir()
        done += finish(folder, ["study", "toy.toml", "--workers", "1", "--out", "resumed"], rng, 0.7)
        assert records(folder / "resumed" / "toy.jsonl") == whole
        (folder / "resumed").rename(folder / f"resumed-{done}")
    return done


def records(path: Path) -> list[str]:
    """Return the sorted lines without times."""
    return sorted(json.dumps(timeless(json.loads(line)), sort_keys=True) for line in path.read_text().splitlines())


def run(folder: Path, arguments: list[str], **more: Any) -> int | None:
    """Run a command and return its exit status."""
    process = CONTEXT.Process(target=command, args=(folder, arguments), kwargs=more)
    process.start()
    process.join()
    return process.exitcode


def kill(folder: Path, seed: int, trained: int, studied: int) -> tuple[int, int]:
    """Kill at least so many trainings and studies at random moments, and return the numbers."""
    rng, folders = random.Random(seed), (folder / "runs", folder / "studies")
    for one in folders:
        one.mkdir()
    return trainings(folders[0], rng, trained), studies(folders[1], rng, studied)


@pytest.mark.parametrize(("trained", "studied"), [(1, 0), pytest.param(80, 40, marks=pytest.mark.slow)])
def test_killed_processes_resume_identically(tmp_path, trained, studied) -> None:
    killed = kill(tmp_path, 0, trained, studied)
    assert killed[0] >= trained
    assert killed[1] >= studied


@pytest.mark.parametrize("limit", [100, 20_000, 200_000])
def test_a_full_disk_is_reported_and_leaves_no_partial_run(tmp_path, limit) -> None:
    arguments = ["train", "cora", *QUICK, *TRAINED[0], "--no-baseline", "--checkpoint-every", "0", "--out", "run"]
    assert run(tmp_path, arguments, file_limit=limit) == 1
    output = (tmp_path / "output.txt").read_text()
    assert "File too large" in output
    assert "Traceback" not in output
    assert not (tmp_path / "run").exists()
    # With disk space again, the run resumes.
    assert run(tmp_path, [*arguments, "--resume"]) == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["output.txt", "run"]


@pytest.mark.skipif(sys.platform != "linux", reason="capabilities are Linux's")
def test_an_unwritable_folder_is_reported(tmp_path) -> None:
    (tmp_path / "output.txt").touch()
    tmp_path.chmod(0o555)
    for arguments in (["train", "cora", *QUICK, "--out", "run"], ["study", "table1", "--out", "results"]):
        code = run(tmp_path, arguments, drop_privileges=True)
        output = (tmp_path / "output.txt").read_text()
        assert code in (1, 2), output
        assert "Permission denied" in output
        assert "Traceback" not in output
    tmp_path.chmod(0o755)
    assert [p.name for p in tmp_path.iterdir()] == ["output.txt"]


def run_twice(folder: Path, arguments: list[str], started: Path) -> str:
    """Start a command again once the first one has written a file; return the output of the second, refused one."""
    first = CONTEXT.Process(target=command, args=(folder, arguments))
    first.start()
    while first.is_alive() and not started.exists():
        time.sleep(0.001)
    assert run(folder, arguments) == 2
    output = (folder / "output.txt").read_text()
    first.join()
    assert first.exitcode == 0
    return output


def test_two_concurrent_studies_write_no_partial_line(tmp_path) -> None:
    grid = write_grid(tmp_path / "toy.toml", splits=2, seeds=6)
    arguments = ["study", str(grid), "--workers", "1", "--out", "results"]
    assert "another process" in run_twice(tmp_path, arguments, tmp_path / "results" / "toy.jsonl")
    found = records(tmp_path / "results" / "toy.jsonl")
    assert len(found) == len(set(found)) == len(cells(read_study(str(grid))))


def test_two_concurrent_trainings_write_one_run(tmp_path) -> None:
    arguments = ["train", "cora", *QUICK, *TRAINED[0], "--no-baseline", "--out", "run"]
    output = run_twice(tmp_path, arguments, tmp_path / "run.unfinished" / "lock")
    assert "is being trained by another process" in output
    verify = [sys.executable, "-m", "highwaygraph", "verify", "run"]
    assert subprocess.run(verify, cwd=tmp_path, check=True, capture_output=True).stdout.startswith(
        b"7 files of run match"
    )
