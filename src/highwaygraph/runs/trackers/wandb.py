"""Epochs, rounds and the outcome of a training as a run of Weights & Biases, offline unless WANDB_MODE is set."""

import os
from typing import Any

from highwaygraph.runs.history import Epoch, Round
from highwaygraph.runs.trackers.protocol import RunEnd, RunStart, epoch_metrics, round_metrics
from highwaygraph.runtime.environment import require_extra

EXIT_CODES = {"finished": 0, "interrupted": 130, "failed": 1}


class WandbTracker:
    """A tracker that records every training as a run of Weights & Biases.

    Runs are written to the folder `wandb` and uploaded by `wandb sync`. With `WANDB_MODE=online` they are uploaded at
    once; the key is read from the environment by wandb itself.

    Args:
        project: Name of the project.
        folder: Folder in which `wandb` is written; the one of `WANDB_DIR` or the working directory if None.

    Example:
        >>> import highwaygraph as hg
        >>> hg.train(model, data, trackers=[hg.WandbTracker()])  # doctest: +SKIP
    """

    def __init__(self, project: str = "highwaygraph", folder: str | os.PathLike[str] | None = None) -> None:
        self._wandb = require_extra("wandb", "Tracking with Weights & Biases", "wandb")
        self.project = project
        self.folder = None if folder is None else os.fspath(folder)
        self._run: Any = None
        self._step = 0

    def on_start(self, start: RunStart) -> None:
        """Begin a run with all options, or continue the one of the same training.

        Args:
            start: The training that begins or resumes.
        """
        if self.folder is not None:
            os.makedirs(self.folder, exist_ok=True)
        self._run = self._wandb.init(
            project=self.project,
            dir=self.folder,
            id=start.id,
            name=start.name,
            config=dict(start.options),
            mode=os.environ.get("WANDB_MODE", "offline"),
            resume="allow",
            # A run that the caller has begun stays as it is.
            reinit="create_new",
            save_code=False,
            settings=self._wandb.Settings(silent=True, console="off", disable_git=True),
        )
        self._step = start.step
        self._run.define_metric("round")
        self._run.define_metric("round/*", step_metric="round")

    def on_epoch(self, epoch: Epoch, step: int) -> None:
        """Record the losses and scores of an epoch.

        Args:
            epoch: Losses and scores of the epoch.
            step: Number of the epoch, over all rounds, from 1.
        """
        self._step = step
        self._run.log(epoch_metrics(epoch), step=step)

    def on_round(self, record: Round, number: int) -> None:
        """Record the values of a round beside those of its last epoch.

        Args:
            record: The values of the round.
            number: Number of the round, from 1.
        """
        self._run.log(round_metrics(record) | {"round": number}, step=self._step)

    def on_end(self, end: RunEnd) -> None:
        """Record the outcome and end the run.

        Args:
            end: The outcome.
        """
        self._run.summary.update(dict(end.metrics))
        self._run.finish(exit_code=EXIT_CODES[end.status])
