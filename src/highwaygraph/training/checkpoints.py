"""Checkpoints on disk: written atomically, verified by a checksum when read, with the previous one as a fallback."""

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
from highwaygraph.runtime.atomic import reason, remove_leftovers, write_atomic
from highwaygraph.runtime.distributed import rank
from highwaygraph.runtime.parsing import parse_json

# Seconds between two checkpoints, and the least ratio of that time to the time that writing one takes.
EVERY, LEAST_RATIO = 10.0, 20.0


# Checkpoints that stay on disk.
MAX_FILES = 2


# Hexadecimal digits of the checksum in a file name.
DIGITS = 16


class Snapshot(NamedTuple):
    """The content of a checkpoint: JSON values and named tensors."""

    facts: dict[str, Any]
    tensors: dict[str, Tensor]


class Checkpoints:
    """The checkpoints of one training, in a folder of their own; those of another training are refused.

    Args:
        folder: The folder; it is made when the first checkpoint is written.
        of: Facts that identify the training, as JSON values.
        every: Seconds between two checkpoints.
        stop: An event that ends the training after its epoch, with a checkpoint.
    """

    def __init__(self, folder: Path, of: Mapping[str, Any], *, every: float = EVERY, stop: Event | None = None) -> None:
        self.folder, self.every = folder, every
        self.of = hashlib.sha256(json.dumps(of, sort_keys=True).encode()).hexdigest()
        self.stop = stop or Event()
        self._due = time.monotonic() + every

    def due(self) -> bool:
        """Return whether the time for the next checkpoint has come."""
        return time.monotonic() >= self._due

    def save(self, snapshot: Snapshot) -> None:
        """Write a checkpoint and remove all but the last ones."""
        start, found = time.monotonic(), self._found()
        metadata = {"of": self.of, "facts": json.dumps(snapshot.facts)}
        tensors = {
            name: t.detach().cpu().clone(memory_format=torch.contiguous_format) for name, t in snapshot.tensors.items()
        }
        content = save(tensors, metadata)
        number = self._number(found[-1]) + 1 if found else 1
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomic(self.folder / f"{number:08d}-{_digest(content)}.safetensors", content)
        except OSError as error:
            raise FailedError(f"Cannot write a checkpoint to {self.folder}: {reason(error)}.") from error
        for old in found[: len(found) + 1 - MAX_FILES]:
            old.unlink(missing_ok=True)
        now = time.monotonic()
        self._due = now + max(self.every, LEAST_RATIO * (now - start))

    def latest(self) -> Snapshot | None:
        """Return the last intact checkpoint, None if there is none; warn of corrupted ones."""
        remove_leftovers(self.folder)
        for path in reversed(self._found()):
            try:
                return self._read(path)
            except (OSError, ValueError, KeyError, SafetensorError) as error:
                message = f"{path} is corrupted ({error}): the checkpoint before it is used, if there is one."
                warnings.warn(message, HighwayWarning, stacklevel=2)
                if rank() == 0:
                    # It would count among the files that stay on disk.
                    path.unlink(missing_ok=True)
        return None

    def _read(self, path: Path) -> Snapshot:
        if not path.stem.endswith(_digest(path.read_bytes())):
            raise ValueError("its checksum differs from the one in its name")
        with safe_open(path, "pt") as file:
            metadata = file.metadata()
            if metadata["of"] != self.of:
                raise RunError(
                    f"{self.folder} belongs to a training with other options or data: choose another folder."
                )
            return Snapshot(parse_json(metadata["facts"]), {name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118

    def _found(self) -> list[Path]:
        return sorted(self.folder.glob(f"{'[0-9]' * 8}-*.safetensors"))

    @staticmethod
    def _number(path: Path) -> int:
        return int(path.name[:8])


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGITS]
