"""The same seed in fresh processes, with one thread and with two."""

import hashlib
import os
import subprocess
import sys

import pytest

SCRIPT = """
import hashlib, sys, torch
import highwaygraph as hg
from tests.helpers.graphs import block_graph
torch.set_num_threads(int(sys.argv[3]))
data = hg.load("cora") if sys.argv[4] == "cora" else block_graph()
data = hg.split(data, train=5, val=5, seed=0) if sys.argv[4] == "cora" else data
batches = {"fit.batch_size": 20} if "mini-batches" in sys.argv else {}
config = hg.override(hg.PRESETS[sys.argv[2]], {"fit.epochs": 12, "fit.device": "cpu", "highway.rounds": 3, **batches})
result = hg.train(hg.models.build(sys.argv[1], data, hidden=16), data, config, seed=7)
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


@pytest.mark.parametrize(
    ("model", "preset", "data"),
    [
        pytest.param("gcn", "full", "cora", marks=pytest.mark.slow),
        ("gat", "plus", "small"),
        pytest.param("sage", "plus", "mini-batches", marks=pytest.mark.slow),
    ],
)
def test_one_seed_is_bit_identical_in_fresh_processes_and_with_two_threads(model, preset, data) -> None:
    once, again, more = (digest(model, preset, threads, data) for threads in ("1", "1", "2"))
    assert len(once) == hashlib.sha256().digest_size * 2
    assert once == again == more
