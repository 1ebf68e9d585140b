"""The same seed in fresh processes, with one thread and with two."""

import hashlib
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from highwaygraph.errors import FailedError
from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runtime import rng
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph
from tests.helpers.own_module import Own

SCRIPT = """
import hashlib, sys
import highwaygraph as hg
from tests.helpers.graphs import block_graph
data = hg.load("cora") if sys.argv[4] == "cora" else block_graph()
data = hg.split(data, train=5, val=5, seed=0) if sys.argv[4] == "cora" else data
batches = {"fit.batch_size": 20} if "mini-batches" in sys.argv else {}
short = {"fit.epochs": 12, "fit.device": "cpu", "fit.num_threads": int(sys.argv[3]), "highway.rounds": 3}
config = hg.override(hg.PRESETS[sys.argv[2]], short | batches)
result = hg.train(hg.models.build(sys.argv[1], data, hidden=16), data, config, seed=7)
assert result.num_threads == int(sys.argv[3])
content = result.logits.numpy().tobytes() + result.highways.numpy().tobytes() + str(result.history).encode()
print(hashlib.sha256(content).hexdigest())
"""


def digest(*arguments: str) -> str:
    """Return the checksum of the results of a training in a process of its own."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path]), "PYTHONHASHSEED": "random"}
    process = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], env=env, capture_output=True, text=True, check=True
    )
    return process.stdout.strip()


@pytest.mark.parametrize("threads", ["1", pytest.param("2", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("model", "preset", "data"),
    [
        pytest.param("gcn", "full", "cora", marks=pytest.mark.slow),
        pytest.param("gat", "plus", "small", marks=pytest.mark.slow),
        ("gcn", "full", "small"),
        pytest.param("sage", "plus", "mini-batches", marks=pytest.mark.slow),
    ],
)
def test_one_seed_is_bit_identical_in_fresh_processes(model, preset, data, threads) -> None:
    once, again = (digest(model, preset, threads, data) for _ in range(2))
    assert len(once) == hashlib.sha256().digest_size * 2
    assert once == again


def short(preset="plus", **options):
    return override(PRESETS[preset], {"fit.epochs": 6, "fit.device": "cpu", "highway.rounds": 2, **options})


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("gcn", {}),
        pytest.param("graphmix", {}, marks=pytest.mark.slow),
        pytest.param("grand", {"consistency.drop_nodes": 0.5}, marks=pytest.mark.slow),
        pytest.param("sage", {"fit.batch_size": 20}, marks=pytest.mark.slow),
    ],
)
def test_built_in_networks_train_in_several_threads_as_alone(name, options) -> None:
    data, config = block_graph(), short(**options)
    # Every thread waits for the others in every epoch, so that their random numbers would mix.
    together = threading.Barrier(3)

    def run(seed, on_epoch=lambda _: None):
        return train(build(name, data, hidden=8), data, config, seed=seed, on_epoch=on_epoch).logits

    alone = [run(seed) for seed in range(3)]
    before = torch.get_rng_state()
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda seed: run(seed, lambda _: _wait(together)), range(3)))
    assert all(torch.equal(a, b) for a, b in zip(alone, found, strict=True))
    torch.set_rng_state(before)


def _wait(barrier) -> None:
    # The trainings may differ in their number of epochs: those that are left continue alone.
    try:
        barrier.wait(timeout=0.05)
    except threading.BrokenBarrierError:
        return


def test_other_modules_train_in_one_thread_at_a_time(monkeypatch) -> None:
    monkeypatch.setattr(rng, "MOST_WAIT", 0.01)
    data, refused = block_graph(), []
    alone = train(Own(), data, short(), seed=1)

    def beside(epoch) -> None:
        if epoch.epoch == 2 and not refused:
            with ThreadPoolExecutor(1) as pool:
                refused.append(pool.submit(train, module, data, short(), 2).exception())
                # A built-in network is trained and built without the generators of the module.
                pool.submit(lambda: train(build("gcn", data, hidden=8), data, short(), 2)).result()

    module = Own()
    found = train(Own(), data, short(), seed=1, on_epoch=beside)
    assert isinstance(refused[0], FailedError)
    assert torch.equal(found.logits, alone.logits)


@pytest.mark.parametrize("error", [None, KeyError, KeyboardInterrupt])
@pytest.mark.parametrize("built_in", [True, False])
def test_a_training_leaves_the_global_random_state_unchanged(built_in, error) -> None:
    def interrupt(_: object) -> None:
        if error is not None:
            raise error

    data = block_graph()
    model = build("gcn", data, hidden=8) if built_in else Own()
    # Not Python's: the checks of annotations in these tests draw from it.
    states = torch.get_rng_state(), np.random.get_state()[1].tolist()
    try:
        train(model, data, short(), seed=1, on_epoch=interrupt)
    except (KeyError, KeyboardInterrupt):
        assert error is not None
    assert torch.equal(torch.get_rng_state(), states[0])
    assert np.random.get_state()[1].tolist() == states[1]
