"""Real processes killed at random moments: what they leave goes on to the same bytes."""

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
    """Return it without the times in it, wherever they stand."""
    if isinstance(value, dict):
        return {key: timeless(inner) for key, inner in value.items() if key not in TIMES}
    return [timeless(inner) for inner in value] if isinstance(value, list) else value


def contents(folder: Path) -> dict[str, Any]:
    """Return all files of a run; those that tell times without them, and without the sums of those."""
    found: dict[str, Any] = {}
    for path in folder.iterdir():
        text = path.suffix == ".json"
        found[path.name] = timeless(json.loads(path.read_text())) if text else path.read_bytes()
    told = [line.split()[1] for line in found["SHA256SUMS"].decode().splitlines()]
    return found | {"SHA256SUMS": told}


def trainings(folder: Path, draw: random.Random, kills: int) -> int:
    """Train until that many processes were killed, each run compared with one that was left alone."""
    done = 0
    for number in range(1000):
        options = [*QUICK, *TRAINED[number % len(TRAINED)], "--seed", str(number // len(TRAINED)), "--no-baseline"]
        place = folder / str(number)
        place.mkdir()
        assert run(place, ["train", "cora", *options, "--out", "whole"]) == 0
        done += finish(
            place, ["train", "cora", *options, "--out", "pieces", "--checkpoint", "0", "--resume"], draw, 0.9
        )
        assert sorted(p.name for p in place.iterdir()) == ["pieces", "said.txt", "whole"]
        whole, pieces = (contents(place / name) for name in ("whole", "pieces"))
        whole["meta.json"].pop("command"), pieces["meta.json"].pop("command")
        assert pieces == whole
        if done >= kills:
            break
    return done


def studies(folder: Path, draw: random.Random, kills: int) -> int:
    """Run a study until that many processes were killed; no cell is lost, doubled or different."""
    write_grid(folder / "toy.toml", splits=3, seeds=6)
    assert run(folder, ["study", "toy.toml", "--workers", "1", "--out", "whole"]) == 0
    whole = records(folder / "whole" / "toy.jsonl")
    done = 0
    while done < kills:
        (folder / "pieces").mkdir()
        done += finish(folder, ["study", "toy.toml", "--workers", "1", "--out", "pieces"], draw, 0.7)
        assert records(folder / "pieces" / "toy.jsonl") == whole
        (folder / "pieces").rename(folder / f"pieces-{done}")
    return done


def records(path: Path) -> list[str]:
    """Return the lines without times, in an order of their own."""
    return sorted(json.dumps(timeless(json.loads(line)), sort_keys=True) for line in path.read_text().splitlines())


def run(folder: Path, words: list[str], **more: Any) -> int | None:
    """Run a command to its end and return how it ended."""
    process = CONTEXT.Process(target=command, args=(folder, words), kwargs=more)
    process.start()
    process.join()
    return process.exitcode


def kill(folder: Path, seed: int, trained: int, studied: int) -> tuple[int, int]:
    """Kill at least so many trainings and studies at random moments, and return how many it were."""
    draw, places = random.Random(seed), (folder / "runs", folder / "studies")
    for place in places:
        place.mkdir()
    return trainings(places[0], draw, trained), studies(places[1], draw, studied)


@pytest.mark.parametrize(("trained", "studied"), [(2, 1), pytest.param(80, 40, marks=pytest.mark.slow)])
def test_kills(tmp_path, trained, studied) -> None:
    killed = kill(tmp_path, 0, trained, studied)
    assert killed[0] >= trained
    assert killed[1] >= studied


@pytest.mark.parametrize("most", [100, 20_000, 200_000])
def test_a_full_disk_is_a_sentence_and_leaves_no_half_run(tmp_path, most) -> None:
    words = ["train", "cora", *QUICK, *TRAINED[0], "--no-baseline", "--checkpoint", "0", "--out", "run"]
    assert run(tmp_path, words, most=most) == 1
    said = (tmp_path / "said.txt").read_text()
    assert "File too large" in said
    assert "Traceback" not in said
    assert not (tmp_path / "run").exists()
    # With room again, it goes on.
    assert run(tmp_path, [*words, "--resume"]) == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run", "said.txt"]


@pytest.mark.skipif(sys.platform != "linux", reason="capabilities are Linux's")
def test_a_folder_that_cannot_be_written_to_is_a_sentence(tmp_path) -> None:
    (tmp_path / "said.txt").touch()
    tmp_path.chmod(0o555)
    for words in (["train", "cora", *QUICK, "--out", "run"], ["study", "table1", "--out", "results"]):
        code = run(tmp_path, words, obeys=True)
        said = (tmp_path / "said.txt").read_text()
        assert code in (1, 2), said
        assert "Permission denied" in said
        assert "Traceback" not in said
    tmp_path.chmod(0o755)
    assert [p.name for p in tmp_path.iterdir()] == ["said.txt"]


def twice(folder: Path, words: list[str], sign: Path) -> str:
    """Start a command again once the first one has left that sign, and return what the second, refused, had to say."""
    first = CONTEXT.Process(target=command, args=(folder, words))
    first.start()
    while first.is_alive() and not sign.exists():
        time.sleep(0.001)
    assert run(folder, words) == 2
    said = (folder / "said.txt").read_text()
    first.join()
    assert first.exitcode == 0
    return said


def test_two_studies_at_once_tear_no_line(tmp_path) -> None:
    grid = write_grid(tmp_path / "toy.toml", splits=2, seeds=6)
    words = ["study", str(grid), "--workers", "1", "--out", "results"]
    assert "another process" in twice(tmp_path, words, tmp_path / "results" / "toy.jsonl")
    found = records(tmp_path / "results" / "toy.jsonl")
    assert len(found) == len(set(found)) == len(cells(read_study(str(grid))))


def test_two_at_once_end_with_one_run(tmp_path) -> None:
    words = ["train", "cora", *QUICK, *TRAINED[0], "--no-baseline", "--out", "run"]
    said = twice(tmp_path, words, tmp_path / "run.unfinished" / "lock")
    assert "is being trained by another process" in said
    check = [sys.executable, "-m", "highwaygraph", "verify", "run"]
    assert subprocess.run(check, cwd=tmp_path, check=True, capture_output=True).stdout.startswith(b"7 files of run are")
