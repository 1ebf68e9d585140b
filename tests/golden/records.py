"""Digests of logits, and a sample of them for machines whose arithmetic differs in the last bits.

`python -m tests.golden.records` writes them anew; do so only for a change that is meant to change results.
"""

import hashlib
import json
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tests.golden import recipes

PATH = Path(__file__).with_name("digests.json")
ROOT = Path(__file__).resolve().parents[2]


def machine() -> str:
    """Return what the last bits of a float depend on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else [platform.processor()]
    name = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), lines[0])
    return f"{name}, {torch.backends.cpu.get_cpu_capability()}, torch {torch.__version__}, {platform.python_version()}"


def record(logits: Tensor) -> dict[str, Any]:
    """Return the digest of all logits and a sample of rows."""
    digest = hashlib.sha256(logits.contiguous().numpy().tobytes()).hexdigest()[:16]
    return {"digest": digest, "sample": [[round(v, 5) for v in row] for row in logits[::600].tolist()]}


def records(found: Iterable[tuple[str, Tensor]]) -> dict[str, Any]:
    """Return the records by name."""
    return {name: record(logits) for name, logits in found}


def two_processes() -> dict[str, Any]:
    """Return the records of the runs in mini-batches by two processes."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "found.json"
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
        subprocess.run([*command, "-m", "tests.golden.process", str(out)], cwd=ROOT, check=True, timeout=900)
        found: dict[str, Any] = json.loads(out.read_text())
        return found


def every() -> dict[str, Any]:
    """Return all records."""
    torch.set_num_threads(1)
    single = [recipes.whole_graph(), recipes.mini_batches(), recipes.others()]
    return {name: value for part in single for name, value in records(part).items()} | two_processes()


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in every().items()]
    PATH.write_text(f'{{"machine": {json.dumps(machine())}, "records": {{\n' + ",\n".join(lines) + "\n}}\n")
