"""Epochs, rounds and the outcome of a training as TensorBoard's event files."""

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from highwaygraph.runs.history import Epoch, Round
from highwaygraph.runs.trackers.protocol import Metrics, RunEnd, RunStart, epoch_metrics, round_metrics
from highwaygraph.runtime.environment import require_extra

# Seconds after which events are written at the latest: fewer than between two checkpoints.
FLUSH_SECONDS = 5


class TensorBoardTracker:
    """A tracker that writes a folder of event files per training.

    Args:
        folder: Folder of all trainings, for `tensorboard --logdir`; each training gets a folder in it.

    Example:
        >>> import highwaygraph as hg
        >>> hg.train(model, data, trackers=[hg.TensorBoardTracker("runs/tensorboard")])  # doctest: +SKIP
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        require_extra("tensorboard", "Tracking with TensorBoard", "tensorboard")
        self.folder = Path(folder)
        self._writer: Any = None
        self._step = 0

    def on_start(self, start: RunStart) -> None:
        """Open the event file; events of a former process after the checkpoint are hidden.

        Args:
            start: The training that begins or resumes.
        """
        make = import_module("torch.utils.tensorboard").SummaryWriter
        purge = {"purge_step": start.step + 1} if start.step else {}
        self._writer = make(str(self.folder / start.name), flush_secs=FLUSH_SECONDS, **purge)
        self._step = start.step
        if start.step:
            return
        rows = "\n".join(f"| {name} | {value} |" for name, value in start.options.items())
        self._writer.add_text("options", f"| option | value |\n|---|---|\n{rows}")

    def on_epoch(self, epoch: Epoch, step: int) -> None:
        """Write the losses and scores of an epoch.

        Args:
            epoch: Losses and scores of the epoch.
            step: Number of the epoch, over all rounds, from 1.
        """
        self._step = step
        self._write(epoch_metrics(epoch), step)

    def on_round(self, record: Round, number: int) -> None:
        """Write the values of a round; their step is its number.

        Args:
            record: The values of the round.
            number: Number of the round, from 1.
        """
        self._write(round_metrics(record), number)
        self._writer.flush()

    def on_end(self, end: RunEnd) -> None:
        """Write the outcome and close the event file.

        Args:
            end: The outcome.
        """
        self._write(dict(end.metrics), self._step)
        self._writer.close()

    def _write(self, metrics: Metrics, step: int) -> None:
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, step)
