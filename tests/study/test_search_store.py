import pytest

from highwaygraph.config import Network
from highwaygraph.errors import RunError
from highwaygraph.graph.splits import split
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.study.search_store import NAME, count, finished, open_search, search_identity
from highwaygraph.study.tune import SPACE
from tests.helpers.graphs import block_graph

optuna = pytest.importorskip("optuna", reason="optuna is not installed")
FULL = PRESETS["full"]


def identity(data=None, network=None, config=FULL, space=SPACE):
    return search_identity(data or block_graph(), network or Network(), config, space)


def other_graph():
    data = block_graph()
    data.x = data.x + 1
    return data


OTHERS = {
    "its graph differs": identity(other_graph()),
    "its split differs": identity(split(block_graph(), train=2, val=2, seed=9)),
    "its search space differs": identity(space=SPACE | {"fit.lr": (1e-3, 1e-2)}),
    "model is gcn there and gat here": identity(network=Network(model="gat")),
    "fit.epochs is 200 there and 7 here": identity(config=override(FULL, {"fit.epochs": 7})),
    "seed is 0 there and 1 here": identity(config=override(FULL, {"seed": 1})),
    "highway.rounds is 5 there and 1 here": identity(config=PRESETS["typical"]),
}


@pytest.mark.parametrize("difference", OTHERS)
def test_the_store_of_another_search_is_refused(tmp_path, difference) -> None:
    open_search(optuna, tmp_path / "t.db", identity())
    with pytest.raises(RunError, match=rf"another search \({difference}\): choose another file with --storage"):
        open_search(optuna, tmp_path / "t.db", OTHERS[difference])


def test_options_that_the_trials_set_do_not_count() -> None:
    assert identity(network=Network(hidden=7), config=override(FULL, {"fit.lr": 0.5})) == identity()


def test_a_store_without_an_identity_is_refused_unless_it_is_empty(tmp_path) -> None:
    store = tmp_path / "t.db"
    assert count(optuna, store) == 0
    study = optuna.create_study(study_name=NAME, storage=f"sqlite:///{store}", direction="maximize")
    study.ask()
    assert finished(open_search(optuna, store, identity())) == []
    earlier = tmp_path / "earlier.db"
    study = optuna.create_study(study_name=NAME, storage=f"sqlite:///{earlier}", direction="maximize")
    study.tell(study.ask(), 0.5)
    assert count(optuna, earlier) == 1
    with pytest.raises(RunError, match=r"version 0\.1\.0 .*: choose another file with --storage"):
        open_search(optuna, earlier, identity())
