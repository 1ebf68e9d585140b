"""Where a training stands, on disk: written whole or not at all, checked when read, the one before kept beside it."""

import hashlib
import json
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from highwaygraph.errors import FailedError, HighwayWarning, RunError
from highwaygraph.runtime.atomic import write_atomic
from highwaygraph.runtime.distributed import rank

# Seconds between two, and how many times longer than writing one takes it has to be.
EVERY, AT_LEAST = 10.0, 20.0


KEPT = 2


DIGITS = 16


class Snapshot(NamedTuple):
    """Numbers and words (JSON), and tensors by name."""

    facts: dict[str, Any]
    tensors: dict[str, Tensor]


class Checkpoints:
    """The checkpoints of one training in a folder of their own; those of another are refused."""

    def __init__(self, folder: Path, of: Mapping[str, Any], *, every: float = EVERY, stop: Event | None = None) -> None:
        self.folder, self.every = folder, every
        self.of = hashlib.sha256(json.dumps(of, sort_keys=True).encode()).hexdigest()
        self.stop = stop or Event()
        """Set by whoever wants the training to end; it does so after the epoch, with a checkpoint."""
        self._due = time.monotonic() + every

    def due(self) -> bool:
        """Tell whether it is time for another."""
        return time.monotonic() >= self._due

    def save(self, snapshot: Snapshot) -> None:
        """Write one and remove all but the last few."""
        start, found = time.monotonic(), self._found()
        words = {"of": self.of, "facts": json.dumps(snapshot.facts)}
        tensors = {
            name: t.detach().cpu().clone(memory_format=torch.contiguous_format) for name, t in snapshot.tensors.items()
        }
        content = save(tensors, words)
        number = self._number(found[-1]) + 1 if found else 1
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomic(self.folder / f"{number:08d}-{_digest(content)}.safetensors", content)
        except OSError as error:
            raise FailedError(f"Cannot write a checkpoint to {self.folder}: {error.strerror}.") from error
        for old in found[: len(found) + 1 - KEPT]:
            old.unlink(missing_ok=True)
        now = time.monotonic()
        self._due = now + max(self.every, AT_LEAST * (now - start))

    def latest(self) -> Snapshot | None:
        """Return the last one that is whole, saying so where a later one is not."""
        for left in self.folder.glob(".*.part"):
            left.unlink(missing_ok=True)
        for path in reversed(self._found()):
            try:
                return self._read(path)
            except (OSError, ValueError, KeyError, SafetensorError) as error:
                words = f"{path} is damaged ({error}): going on from the checkpoint before it, if there is one."
                warnings.warn(words, HighwayWarning, stacklevel=2)
                if rank() == 0:
                    # Or it would count as one of those that are kept.
                    path.unlink(missing_ok=True)
        return None

    def _read(self, path: Path) -> Snapshot:
        if not path.stem.endswith(_digest(path.read_bytes())):
            raise ValueError("its content is not what its name says")
        with safe_open(path, "pt") as file:
            words = file.metadata()
            if words["of"] != self.of:
                raise RunError(
                    f"{self.folder} belongs to a training with other options or data: choose another folder."
                )
            return Snapshot(json.loads(words["facts"]), {name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118

    def _found(self) -> list[Path]:
        return sorted(self.folder.glob(f"{'[0-9]' * 8}-*.safetensors"))

    @staticmethod
    def _number(path: Path) -> int:
        return int(path.name[:8])


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGITS]
