import pytest

from highwaygraph.config import Network
from highwaygraph.errors import FailedError
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.study.tune import apply, count, tune
from tests.helpers.graphs import block_graph

pytest.importorskip("optuna", reason="optuna is not installed")
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


def test_options_of_a_trial_are_applied() -> None:
    network, config = apply(Network(), QUICK, {"network.hidden": 32, "fit.lr": 0.5})
    assert (network.hidden, config.fit.lr) == (32, 0.5)


def test_a_search_without_a_finished_trial_is_reported(tmp_path) -> None:
    data = block_graph()
    data.x[:] = 1e38
    with pytest.raises(FailedError, match="No trial finished"):
        tune(data, Network(hidden=8), QUICK, tmp_path / "t.db", trials=1)
