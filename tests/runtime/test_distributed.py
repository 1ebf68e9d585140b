"""Two real processes that train one model together."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
import torch.distributed as dist

from highwaygraph.runtime.distributed import (
    MOST_SECONDS,
    LostProcessError,
    data_parallel,
    gather,
    process_group,
    rank,
    shard,
    world_size,
)

ROOT = Path(__file__).resolve().parents[2]
RUN = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2")


def start(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    return subprocess.run([*RUN, *words], cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.parametrize("preset", ["full", pytest.param("plus", marks=pytest.mark.slow)])
def test_two_processes_end_with_one_model(tmp_path, preset) -> None:
    made = start(tmp_path, "-m", "tests.helpers.torchrun_process", str(tmp_path), preset)
    assert made.returncode == 0, made.stderr
    one, other = (json.loads((tmp_path / f"{i}.json").read_text()) for i in range(2))
    assert one == other
    assert one["world"] == 2
    assert one["parts"] == list(range(11))
    assert one["test"] > 0.6
    assert one["highways"][0]


@pytest.mark.slow
def test_the_command_line_under_torchrun(tmp_path) -> None:
    quick = ("--fit.batch_size", "64", "--fit.epochs", "3", "--highway.rounds", "2")
    made = start(tmp_path, "-m", "highwaygraph", "train", "cora", "--split", "random", *quick, "--out", "run")
    assert made.returncode == 0, made.stderr
    # The first process prints for both.
    assert made.stdout.count("cora: 2,708 nodes") == 1
    assert (tmp_path / "run" / "model.safetensors").is_file()
    made = start(tmp_path, "-m", "highwaygraph", "train", "cora", "--fit.batch_size", "0", "--out", "other")
    assert "Several processes train in mini-batches" in made.stderr
    assert not (tmp_path / "other").exists()


@pytest.mark.slow
def test_when_one_process_ends_the_run_ends_with_a_checkpoint(tmp_path) -> None:
    made = start(tmp_path, "-m", "tests.helpers.torchrun_process", str(tmp_path), "full", "dies")
    assert made.returncode != 0
    assert "Another process of this run has ended" in made.stderr
    assert not list(tmp_path.glob("*.json"))
    assert list((tmp_path / "saved").glob("*.safetensors"))


@pytest.mark.slow
def test_torchrun_starts_all_again_from_the_checkpoint(tmp_path) -> None:
    made = start(tmp_path, "--max-restarts=1", "-m", "tests.helpers.torchrun_process", str(tmp_path), "full", "dies")
    assert made.returncode == 0, made.stderr
    one, other = (json.loads((tmp_path / f"{i}.json").read_text()) for i in range(2))
    assert one == other
    # The first round was done.
    assert one["first"][0] == 2
    assert one["test"] > 0.6


@pytest.mark.slow
@pytest.mark.parametrize(("to", "number"), [("rank", signal.SIGKILL), ("torchrun", signal.SIGTERM)])
def test_three_processes_end_within_seconds_when_one_is_killed_or_all_are_stopped(tmp_path, to, number) -> None:
    words = ["-m", "highwaygraph", "train", "cora", "--split", "random", "--fit.batch_size", "64", "--out", "run"]
    words += ["--fit.epochs", "900", "--fit.min_epochs", "900", "--fit.patience", "900", "--checkpoint-every", "0"]
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    run = [*RUN[:-1], "--nproc-per-node=3", *words]
    process = subprocess.Popen(run, cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 120
    while not list(tmp_path.glob("run.unfinished/*/*.safetensors")) and time.monotonic() < end:
        time.sleep(0.1)
    ranks = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    # Not the first: the others wait for each other, and one of them for a process that it is not connected to.
    os.kill(int(ranks[2]) if to == "rank" else process.pid, number)
    start = time.monotonic()
    _, text = process.communicate(timeout=60)
    assert time.monotonic() - start < 10
    assert ("Another process of this run has ended" if to == "rank" else "Stopped; resume with") in text
    assert list(tmp_path.glob("run.unfinished/highways/*.safetensors"))


def test_after_an_error_the_system_ends_a_process_that_does_not_end(monkeypatch) -> None:
    limits = []
    for name in ("init_process_group", "destroy_process_group"):
        monkeypatch.setattr(dist, name, lambda *_, **__: None)
    monkeypatch.setattr(dist, "rendezvous", lambda _: iter([(dist.HashStore(), 0, 2)]))
    monkeypatch.setattr(signal, "setitimer", lambda _, seconds: limits.append(seconds))
    monkeypatch.setenv("WORLD_SIZE", "2")
    before = signal.getsignal(signal.SIGTERM)
    try:
        with process_group():
            pass
        assert limits == []
        with pytest.raises(LostProcessError, match="Another process of this run has ended"), process_group():
            raise RuntimeError("[gloo] Connection closed by peer")
    finally:
        signal.signal(signal.SIGTERM, before)
    with pytest.raises(KeyError), process_group():
        raise KeyError
    assert limits == [MOST_SECONDS] * 2


@pytest.fixture
def hosts() -> Iterator[list[str]]:
    """Two network namespaces with an address each and a cable between them, as two machines have."""
    names = [f"hg{os.getpid() % 10_000}{letter}" for letter in "ab"]
    steps = [f"link add {names[0]} type veth peer name {names[1]}"]
    for number, name in enumerate(names, 1):
        steps += [f"netns add {name}", f"link set {name} netns {name}", f"-n {name} link set lo up"]
        steps += [f"-n {name} addr add 10.213.7.{number}/24 dev {name}", f"-n {name} link set {name} up"]
    try:
        for step in steps:
            made = subprocess.run(["ip", *step.split()], capture_output=True, text=True, check=False)
            if made.returncode:
                pytest.skip(f"no network namespaces here: {made.stderr.strip()}")
        yield names
    except FileNotFoundError:
        pytest.skip("no network namespaces here: there is no command ip")
    finally:
        for name in names if shutil.which("ip") else ():
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


@pytest.mark.slow
def test_two_machines_train_together(tmp_path, hosts) -> None:
    path = os.pathsep.join([str(ROOT), *sys.path])
    meet = ["--nnodes=2", "--nproc-per-node=1", "--master-addr=10.213.7.1", "--master-port=29517"]
    both = [
        subprocess.Popen(
            [
                "ip",
                "netns",
                "exec",
                host,
                *RUN[:3],
                *meet,
                f"--node-rank={i}",
                "-m",
                "tests.helpers.torchrun_process",
                tmp_path,
                "full",
            ],
            env=os.environ | {"PYTHONPATH": path, "GLOO_SOCKET_IFNAME": host},
            stderr=subprocess.PIPE,
        )
        for i, host in enumerate(hosts)
    ]
    said = [process.communicate(timeout=300)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    one, other = (json.loads((tmp_path / f"{i}.json").read_text()) for i in range(2))
    assert one == other
    assert one["world"] == 2


def test_alone_nothing_changes() -> None:
    module, part = torch.nn.Linear(2, 2), torch.ones(3, 2)
    assert (world_size(), rank(), shard(7)) == (1, 0, slice(0, 7))
    assert gather(part) is part
    assert data_parallel(module) is module
