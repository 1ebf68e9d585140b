import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest
import torch

from highwaygraph.errors import ConfigError, FailedError
from highwaygraph.models import build
from highwaygraph.presets import PRESETS
from highwaygraph.runtime import parallel
from highwaygraph.runtime.parallel import cores, map_unordered
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph


def cell(seed: int) -> tuple[int, list[float]]:
    data = block_graph(seed % 2)
    result = train(build("gcn", data), data, PRESETS["full"], seed=seed)
    return torch.get_num_threads(), result.logits.flatten().tolist()


def slow_square(x: int) -> int:
    time.sleep(0.2 if x == 0 else 0.0)
    return x * x


def fail(x: int) -> int:
    raise ValueError(f"cell {x}")


def end(x: int) -> int:
    if x == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


class BrokenPool:
    """A pool whose workers were killed."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def submit(self, *_: object) -> Future[int]:
        future = Future[int]()
        future.set_exception(BrokenProcessPool())
        return future

    def shutdown(self, **_: object) -> None:
        pass


def test_a_broken_pool_is_a_sentence(monkeypatch) -> None:
    monkeypatch.setattr(parallel, "ProcessPoolExecutor", BrokenPool)
    with pytest.raises(FailedError, match="worker process was killed"):
        list(map_unordered(slow_square, range(4), workers=2))


@pytest.mark.slow
def test_a_killed_worker_is_a_sentence() -> None:
    with pytest.raises(FailedError, match="worker process was killed.*run the same command again with fewer workers"):
        list(map_unordered(end, range(4), workers=2))


def test_the_number_of_workers_changes_nothing() -> None:
    threads = torch.get_num_threads()
    alone, together = (dict(map_unordered(cell, range(4), workers)) for workers in (1, 2))
    assert alone == together
    assert {threads for threads, _ in together.values()} == {1}
    assert torch.get_num_threads() == threads


@pytest.mark.slow
def test_answers_come_as_they_are_ready() -> None:
    assert sorted(map_unordered(slow_square, range(5), workers=2)) == [(x, x * x) for x in range(5)]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_a_cell_is_raised(workers) -> None:
    with pytest.raises(ValueError, match="cell 3"):
        list(map_unordered(fail, [3], workers=workers))


def test_there_is_at_least_one_core() -> None:
    assert cores() >= 1


@pytest.mark.parametrize(
    ("texts", "limit"),
    [(["150000 100000"], 2), (["100000 100000"], 1), (["max 100000"], 3), (["-1", "100000"], 3), (["50000", "0"], 3)],
)
def test_a_container_has_the_cores_of_its_quota(monkeypatch, tmp_path, texts, limit) -> None:
    files = [tmp_path / str(i) for i in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(f"{text}\n")
    monkeypatch.setattr(parallel, "QUOTA_FILES", (tuple(map(str, files)), (str(tmp_path / "missing"),)))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    assert cores() == limit


def process(x: int) -> int:
    return os.getpid()


@pytest.mark.slow
def test_cells_that_want_to_be_alone_get_a_fresh_process_each() -> None:
    found = [pid for _, pid in map_unordered(process, range(3), workers=2, alone=True)]
    assert len({*found, os.getpid()}) == 4


RAY = """
import os, torch
from highwaygraph.runtime.parallel import map_unordered

def square(x):
    return x * x, torch.get_num_threads(), os.environ["HIGHWAYGRAPH_DATA"], os.getpid()

found = dict(map_unordered(square, range(5), launcher="ray"))
assert [found[x][0] for x in range(5)] == [0, 1, 4, 9, 16]
assert {answer[1:3] for answer in found.values()} == {(1, "here")}
assert os.getpid() not in {answer[3] for answer in found.values()}
"""


@pytest.mark.slow
def test_cells_run_on_a_ray_cluster() -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    command = [sys.executable, "-m", "ray.scripts.scripts"]
    # A short path: Ray puts sockets there, whose names may have 107 letters.
    folder = tempfile.mkdtemp(prefix="ray", dir="/tmp")
    start = [*command, "start", "--head", "--num-cpus=2", "--include-dashboard=false", f"--temp-dir={folder}"]
    environment = os.environ | {"RAY_USAGE_STATS_ENABLED": "0"}
    begun = subprocess.run([*start, "--port=0"], env=environment, capture_output=True, text=True, timeout=120)
    if begun.returncode:
        pytest.skip(f"no Ray cluster starts here: {begun.stderr[-300:]}")
    try:
        ours = environment | {"HIGHWAYGRAPH_DATA": "here"}
        subprocess.run([sys.executable, "-c", RAY], env=ours, check=True, timeout=120)
    finally:
        subprocess.run([*command, "stop", "--force"], env=environment, capture_output=True, timeout=60)
        shutil.rmtree(folder, ignore_errors=True)


def test_without_ray_or_its_cluster_the_error_names_the_remedy(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match=r"needs Ray: pip install 'highwaygraph\[ray\]'"):
        list(map_unordered(slow_square, [1], launcher="ray"))


ORPHANS = """
import os, sys, time
from pathlib import Path
from highwaygraph.runtime.parallel import map_unordered

def work(cell):
    Path(sys.argv[1], str(os.getpid())).touch()
    time.sleep(60)

if __name__ == "__main__":
    list(map_unordered(work, [1, 2], 2))
"""


def test_workers_do_not_outlive_a_parent_that_is_killed(tmp_path) -> None:
    script, folder = tmp_path / "orphans.py", tmp_path / "pids"
    folder.mkdir()
    script.write_text(ORPHANS)
    parent = subprocess.Popen([sys.executable, str(script), str(folder)])
    try:
        wait_until(lambda: len(os.listdir(folder)) == 2)
    finally:
        parent.kill()
        parent.wait()
    workers = [int(name) for name in os.listdir(folder)]
    wait_until(lambda: not any(is_alive(pid) for pid in workers))


STARTING = """
import signal, sys
from highwaygraph.runtime.parallel import map_unordered

if __name__ == "__main__":
    # A shell starts jobs in the background with Ctrl-C ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from imported import work

    try:
        list(map_unordered(work, [1, 2, 3, 4], 2, import_main=False))
    except KeyboardInterrupt:
        sys.exit(130)
"""
IMPORTED = """
import multiprocessing, os, sys, time
from pathlib import Path

Path(sys.argv[1], str(os.getpid())).touch()
if multiprocessing.parent_process():
    time.sleep(3)

def work(cell):
    Path(sys.argv[1], f"cell-{os.getpid()}").touch()
    time.sleep(60)
"""


@pytest.mark.parametrize(("name", "count"), [("*", 3), ("cell-*", 2)], ids=["starting", "running"])
def test_an_interrupt_of_all_processes_ends_them_without_a_traceback(tmp_path, name, count) -> None:
    script, folder = tmp_path / "starting.py", tmp_path / "pids"
    folder.mkdir()
    script.write_text(STARTING)
    (tmp_path / "imported.py").write_text(IMPORTED)
    command = [sys.executable, str(script), str(folder)]
    parent = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: len(list(folder.glob(name))) == count)
        # As a terminal does at Ctrl-C.
        os.killpg(parent.pid, signal.SIGINT)
        _, err = parent.communicate(timeout=30)
    finally:
        parent.kill()
        parent.communicate()
    assert (parent.returncode, err) == (130, "")
    workers = [int(path.name) for path in folder.glob("[0-9]*")]
    wait_until(lambda: not any(is_alive(pid) for pid in workers))


def wait_until(true: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    # Nobody may be there to bury it.
    return state != "Z"
