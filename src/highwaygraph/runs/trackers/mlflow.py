"""Epochs, rounds and the outcome of a training as a run of MLflow."""

import os
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from highwaygraph.errors import ConfigError
from highwaygraph.runs.history import Epoch, Round
from highwaygraph.runs.trackers.protocol import Metrics, RunEnd, RunStart, epoch_metrics, round_metrics
from highwaygraph.runtime.environment import require_extra

# A request costs more than a short epoch: metrics are sent together, at most so many and at the latest after seconds.
MAX_BATCH, FLUSH_SECONDS = 900, 5.0
# Longest value of a parameter and most parameters of a request, by MLflow's limits.
MAX_VALUE, MAX_PARAMETERS = 500, 100
ID_TAG = "highwaygraph.id"
STATUSES = {"finished": "FINISHED", "interrupted": "KILLED", "failed": "FAILED"}


class MLflowTracker:
    """A tracker that records every training as a run of MLflow.

    Args:
        target: A folder, in which `mlflow.db` is written; or a tracking URI such as `http://localhost:5000`; or empty
            for the one of `MLFLOW_TRACKING_URI`. A URI must not hold a password.
        experiment: Name of the experiment.

    Example:
        >>> import highwaygraph as hg
        >>> hg.train(model, data, trackers=[hg.MLflowTracker("runs/mlflow")])  # doctest: +SKIP
    """

    def __init__(self, target: str | os.PathLike[str] = "", experiment: str = "highwaygraph") -> None:
        self._mlflow = require_extra("mlflow", "Tracking with MLflow", "mlflow")
        self.target, self.experiment = os.fspath(target), experiment
        if "@" in urlsplit(self.target).netloc:
            raise ConfigError(
                "The address of MLflow must not hold a password, as a run records its command: "
                "set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD."
            )
        self._client: Any = None
        self._run = ""
        self._metrics: list[Any] = []
        self._sent = 0.0

    def on_start(self, start: RunStart) -> None:
        """Create a run with all options, or continue the one of the same training.

        Args:
            start: The training that begins or resumes.
        """
        self._client = self._mlflow.MlflowClient(tracking_uri=self._uri())
        experiment = self._experiment()
        found = self._client.search_runs([experiment], f"tags.`{ID_TAG}` = '{start.id}'") if start.step else []
        if found:
            self._run = found[0].info.run_id
            self._client.update_run(self._run, status="RUNNING")
            return
        made = self._client.create_run(experiment, tags={ID_TAG: start.id}, run_name=start.name)
        self._run = made.info.run_id
        entity = self._mlflow.entities.Param
        options = [entity(name, str(value)[:MAX_VALUE]) for name, value in start.options.items()]
        for first in range(0, len(options), MAX_PARAMETERS):
            self._client.log_batch(self._run, params=options[first : first + MAX_PARAMETERS])

    def on_epoch(self, epoch: Epoch, step: int) -> None:
        """Collect the losses and scores of an epoch, and send them if it is time.

        Args:
            epoch: Losses and scores of the epoch.
            step: Number of the epoch, over all rounds, from 1.
        """
        self._collect(epoch_metrics(epoch), step)
        if len(self._metrics) >= MAX_BATCH or time.monotonic() - self._sent > FLUSH_SECONDS:
            self._send()

    def on_round(self, record: Round, number: int) -> None:
        """Send the values of a round; their step is its number.

        Args:
            record: The values of the round.
            number: Number of the round, from 1.
        """
        self._collect(round_metrics(record), number)
        self._send()

    def on_end(self, end: RunEnd) -> None:
        """Send the outcome and end the run with its status.

        Args:
            end: The outcome.
        """
        self._collect(dict(end.metrics), 0)
        self._send()
        self._client.set_terminated(self._run, STATUSES[end.status])

    def _uri(self) -> str | None:
        if not self.target or "://" in self.target:
            return self.target or None
        # MLflow has given up its folders of text files for databases.
        require_extra("sqlalchemy", "Tracking with MLflow in a folder", "mlflow")
        Path(self.target).mkdir(parents=True, exist_ok=True)
        return f"sqlite:///{Path(self.target).absolute()}/mlflow.db"

    def _experiment(self) -> str:
        found = self._client.get_experiment_by_name(self.experiment)
        if found is not None:
            return str(found.experiment_id)
        # Without a location, MLflow would make a folder in the working directory.
        is_folder = self.target and "://" not in self.target
        place = (Path(self.target).absolute() / "artifacts").as_uri() if is_folder else None
        return str(self._client.create_experiment(self.experiment, artifact_location=place))

    def _collect(self, metrics: Metrics, step: int) -> None:
        entity, now = self._mlflow.entities.Metric, int(1000 * time.time())
        self._metrics += [entity(name, value, now, step) for name, value in metrics.items()]

    def _send(self) -> None:
        if self._metrics:
            self._client.log_batch(self._run, metrics=self._metrics)
        self._metrics, self._sent = [], time.monotonic()
