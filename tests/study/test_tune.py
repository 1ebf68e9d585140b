import sqlite3

import pytest

from highwaygraph.config import Network
from highwaygraph.errors import FailedError, RunError
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.study.tune import apply, count, tune
from tests.helpers.graphs import block_graph

optuna = pytest.importorskip("optuna", reason="optuna is not installed")
QUICK = override(PRESETS["full"], {"fit.epochs": 4, "fit.device": "cpu", "highway.rounds": 2})


def test_a_search_resumes(tmp_path) -> None:
    store, scores = tmp_path / "deep" / "t.db", []
    data, network = block_graph(), Network(hidden=8)
    assert count(store) == 0
    first = tune(data, network, QUICK, store, trials=2, on_trial=scores.append)
    assert (first.trials, len(scores), count(store)) == (2, 2, 2)
    again = tune(data, network, QUICK, store, trials=3, on_trial=scores.append)
    assert (again.trials, len(scores)) == (3, 3)
    assert again.val >= first.val
    assert tune(data, network, QUICK, store, trials=3) == again
    assert {"fit.lr", "network.hidden", "pairs.weight"} <= set(again.options)


def test_equal_accuracies_are_decided_by_log_likelihood(tmp_path, monkeypatch) -> None:
    likelihoods = iter([-0.5, -0.1, -0.3])

    def scored(_optuna: object, trial, *_: object) -> float:
        trial.set_user_attr("log_likelihood", next(likelihoods))
        return 1.0

    monkeypatch.setattr("highwaygraph.study.tune._score", scored)
    found = tune(block_graph(), Network(hidden=8), QUICK, tmp_path / "t.db", trials=3)
    assert [trial.number for trial in found.tied] == [1, 2, 3]
    assert [trial.number for trial in found.ordered] == [2, 3, 1]
    assert found.options == found.history[1].options


def test_a_trial_stores_its_log_likelihood_on_validation(tmp_path) -> None:
    found = tune(block_graph(), Network(hidden=8), QUICK, tmp_path / "t.db", trials=1)
    assert found.history[0].log_likelihood is not None
    assert found.history[0].log_likelihood < 0


def test_options_of_a_trial_are_applied() -> None:
    network, config = apply(Network(), QUICK, {"network.hidden": 32, "fit.lr": 0.5})
    assert (network.hidden, config.fit.lr) == (32, 0.5)


def test_a_search_without_a_finished_trial_is_reported(tmp_path) -> None:
    data = block_graph()
    # Every trial fails, whatever its options are.
    data.x[:] = float("nan")
    with pytest.raises(FailedError, match="No trial finished"):
        tune(data, Network(hidden=8), QUICK, tmp_path / "t.db", trials=1)


def trials(store) -> list[tuple]:
    study = optuna.load_study(study_name="highway", storage=f"sqlite:///{store}")
    return [(one.params, one.values, one.state.name) for one in study.trials if one.state.is_finished()]


def test_a_continued_search_has_the_trials_of_an_uninterrupted_one(tmp_path) -> None:
    data, network = block_graph(), Network(hidden=8)
    tune(data, network, QUICK, tmp_path / "once.db", trials=4)
    expected = trials(tmp_path / "once.db")
    assert all(expected[i][0] != expected[k][0] for i in range(4) for k in range(i))
    tune(data, network, QUICK, tmp_path / "twice.db", trials=2)
    tune(data, network, QUICK, tmp_path / "twice.db", trials=4)
    assert trials(tmp_path / "twice.db") == expected


def test_an_interrupted_trial_is_repeated(tmp_path, monkeypatch) -> None:
    def interrupted(*_: object) -> float:
        raise KeyboardInterrupt

    data, network = block_graph(), Network(hidden=8)
    tune(data, network, QUICK, tmp_path / "once.db", trials=2)
    tune(data, network, QUICK, tmp_path / "twice.db", trials=1)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("highwaygraph.study.tune._score", interrupted)
        tune(data, network, QUICK, tmp_path / "twice.db", trials=2)
    tune(data, network, QUICK, tmp_path / "twice.db", trials=2)
    assert trials(tmp_path / "twice.db") == trials(tmp_path / "once.db")


def test_a_store_of_another_network_is_refused(tmp_path) -> None:
    tune(block_graph(), Network(hidden=8), QUICK, tmp_path / "t.db", trials=1)
    with pytest.raises(RunError, match="model is gcn there and sage here"):
        tune(block_graph(), Network(model="sage"), QUICK, tmp_path / "t.db", trials=1)


def test_a_store_that_cannot_be_used_is_a_sentence(tmp_path) -> None:
    store = tmp_path / "t.db"
    store.write_bytes(b"no database at all" * 100)
    for use in (count, lambda path: tune(block_graph(), Network(hidden=8), QUICK, path, trials=1)):
        with pytest.raises(FailedError, match=r"Cannot use .*t\.db as a store of trials \(file is not a database\)"):
            use(store)
    with pytest.raises(RunError, match=r"Cannot write to .*t\.db"):
        tune(block_graph(), Network(hidden=8), QUICK, store / "below.db", trials=1)


def test_a_store_that_is_read_only_is_a_sentence(tmp_path) -> None:
    store, data = tmp_path / "t.db", block_graph()
    tune(data, Network(hidden=8), QUICK, store, trials=1)
    # Read-only for any user: the mode of a file does not bind root.
    with sqlite3.connect(store) as database:
        database.execute(
            "CREATE TRIGGER closed BEFORE INSERT ON trials BEGIN SELECT RAISE(ABORT, 'attempt to write'); END"
        )
    with pytest.raises(FailedError, match=r"as a store of trials \(attempt to write\): choose another with --storage"):
        tune(data, Network(hidden=8), QUICK, store, trials=2)
