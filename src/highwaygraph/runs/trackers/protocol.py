"""The protocol of an experiment tracker, and the records and names of metrics that it receives."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal, Protocol, runtime_checkable

from highwaygraph.runs.history import Epoch, Round

Status = Literal["finished", "interrupted", "failed"]
Metrics = dict[str, float]

EPOCH_NAMES = {
    "loss": "train/loss",
    "pair_loss": "train/pair_loss",
    "val_loss": "val/loss",
    "val": "val/accuracy",
    "val_f1": "val/f1",
    "val_balanced_accuracy": "val/balanced_accuracy",
}
"""Names of metrics by the fields of an epoch."""


@dataclass(frozen=True)
class RunStart:
    """The facts of a training that are known before its first epoch.

    Example:
        >>> RunStart("3f2a", "cora-gcn-3f2a", {"fit.lr": 0.01}, step=0).options["fit.lr"]
        0.01
    """

    id: str
    """Random id of the training; a resumed training has the id that it began with."""
    name: str
    """Name of graph, network and id, for a folder or a list of runs."""
    options: Mapping[str, str | int | float | bool]
    """All options by dotted name, and the sizes of the graph and of the network."""
    step: int
    """Number of epochs that the last checkpoint holds; 0 for a training that begins."""


@dataclass(frozen=True)
class RunEnd:
    """The outcome of a training.

    Example:
        >>> RunEnd("finished", {"result/test": 0.84}).status
        'finished'
    """

    status: Status
    """Whether the training finished, was interrupted (it can be resumed) or failed."""
    metrics: Mapping[str, float]
    """Scores of the answer and of typical training; empty unless finished."""


@runtime_checkable
class Tracker(Protocol):
    """An object that is called as a training begins, after its epochs and rounds, and as it ends.

    An error in `on_start` ends the training before its first epoch. After any later error, a warning is given, the
    tracker is not called again, and the training continues.

    Example:
        >>> import highwaygraph as hg
        >>> class LastAccuracy:
        ...     def on_start(self, start): ...
        ...     def on_epoch(self, epoch, step): self.val = epoch.val
        ...     def on_round(self, record, number): ...
        ...     def on_end(self, end): print(end.status)
        >>> isinstance(LastAccuracy(), hg.Tracker)
        True
        >>> data = hg.split(hg.load("cora"))
        >>> config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 2})
        >>> model = hg.models.build("gcn", data, hidden=8)
        >>> _ = hg.train(model, data, config, trackers=[LastAccuracy()], progress=False)
        finished
    """

    def on_start(self, start: RunStart) -> object:
        """Handle the beginning of a training, or its resumption where `start.step` is above 0.

        Args:
            start: The training that begins or resumes.
        """
        ...

    def on_epoch(self, epoch: Epoch, step: int) -> object:
        """Handle an epoch; `step` counts the epochs of all rounds from 1.

        Args:
            epoch: Losses and scores of the epoch.
            step: Number of the epoch, over all rounds, from 1.
        """
        ...

    def on_round(self, record: Round, number: int) -> object:
        """Handle a finished round; `number` counts from 1.

        Args:
            record: The values of the round.
            number: Number of the round, from 1.
        """
        ...

    def on_end(self, end: RunEnd) -> object:
        """Handle the end of a training.

        Args:
            end: The outcome.
        """
        ...


def epoch_metrics(epoch: Epoch) -> Metrics:
    """Return the losses and scores of an epoch by name; those that were not computed are left out.

    Example:
        >>> epoch_metrics(Epoch(round=1, epoch=3, loss=0.9, pair_loss=0.0, val_loss=0.8, val=0.75))
        {'train/loss': 0.9, 'train/pair_loss': 0.0, 'val/loss': 0.8, 'val/accuracy': 0.75}
    """
    return _finite({name: getattr(epoch, field) for field, name in EPOCH_NAMES.items()})


def round_metrics(record: Round) -> Metrics:
    """Return the values of a round by name; those that cannot be computed are left out."""
    return _finite({f"round/{name}": value for name, value in asdict(record).items()})


def _finite(metrics: Mapping[str, int | float]) -> Metrics:
    return {name: float(value) for name, value in metrics.items() if math.isfinite(value)}
