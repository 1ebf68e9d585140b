"""The tracker of MLflow, read back by MLflow's client from a database in a folder."""

from typing import Any

import pytest

import highwaygraph as hg
from highwaygraph.errors import ConfigError
from highwaygraph.training import checkpoints as checkpoints_module
from tests.helpers.tracked import train

pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("error::highwaygraph.errors.HighwayWarning"),
]
mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed", exc_type=ImportError)
pytest.importorskip("sqlalchemy", reason="sqlalchemy is not installed")


def read(folder: Any) -> tuple[Any, Any]:
    """Return the client and the only run in a folder."""
    client = mlflow.MlflowClient(tracking_uri=f"sqlite:///{folder}/mlflow.db")
    experiment = client.get_experiment_by_name("highwaygraph")
    (run,) = client.search_runs([experiment.experiment_id])
    return client, run


def series(client: Any, run: Any, name: str) -> list[tuple[int, float]]:
    return sorted((metric.step, metric.value) for metric in client.get_metric_history(run.info.run_id, name))


def test_epochs_rounds_options_and_the_outcome_are_recorded(tmp_path) -> None:
    result = train([hg.MLflowTracker(tmp_path)])
    client, run = read(tmp_path)
    assert run.info.status == "FINISHED"
    assert run.data.params["fit.epochs"] == "6"
    assert run.data.params["data.nodes"] == "180"
    assert series(client, run, "train/loss") == [(i, pytest.approx(e.loss)) for i, e in enumerate(result.history, 1)]
    assert series(client, run, "round/test") == [(i, pytest.approx(r.test)) for i, r in enumerate(result.rounds, 1)]
    assert run.data.metrics["result/test"] == pytest.approx(result.test)
    assert {path.name for path in tmp_path.iterdir()} == {"mlflow.db"}


def test_a_resumed_training_continues_its_run(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(checkpoints_module, "LEAST_RATIO", 0.0)
    place = tmp_path / "mlflow"
    train([hg.MLflowTracker(place)], tmp_path / "saved", stop=9)
    assert read(place)[1].info.status == "KILLED"
    result = train([f"mlflow:{place}"], tmp_path / "saved")
    client, run = read(place)
    assert run.info.status == "FINISHED"
    assert series(client, run, "train/loss") == [(i, pytest.approx(e.loss)) for i, e in enumerate(result.history, 1)]


def test_an_address_with_a_password_is_refused() -> None:
    with pytest.raises(ConfigError, match="must not hold a password") as refused:
        hg.MLflowTracker("http://me:secret@localhost:5000")
    assert "secret" not in str(refused.value)
