"""Hyper-parameter search with Optuna: by validation accuracy, resumable, with pruning after every round."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from highwaygraph.config import Config, Network
from highwaygraph.errors import FailedError, HighwayError
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.factory import build_network
from highwaygraph.nn.modules import num_classes
from highwaygraph.options import override
from highwaygraph.runs.history import Epoch
from highwaygraph.runtime.environment import require_extra
from highwaygraph.training.engine import train

Range = tuple[float, float] | list[Any]


SPACE: dict[str, Range] = {
    "fit.lr": (5e-4, 3e-2),
    "fit.weight_decay": (1e-5, 1e-2),
    "fit.features": ["auto", "raw", "row"],
    "network.hidden": [32, 64, 128, 256],
    "network.dropout": [0.2, 0.35, 0.5, 0.65, 0.8],
}
"""The search space: a range on a logarithmic scale, or a list of choices."""


PAIRS: dict[str, Range] = {"pairs.weight": [0.0, 0.1, 0.5, 1.0]}


class Tuned(NamedTuple):
    """The best trial: its validation accuracy, its options, and the number of finished trials."""

    val: float
    options: dict[str, Any]
    trials: int


def tune(
    data: Graph,
    network: Network,
    config: Config,
    store: Path,
    *,
    trials: int,
    on_trial: Callable[[float], object] = lambda _: None,
) -> Tuned:
    """Search the options of a run.

    Args:
        data: The graph with its split.
        network: The network to start from.
        config: The config to start from.
        store: The SQLite file of the trials; an existing one is continued.
        trials: Number of trials in the store at the end.
        on_trial: Called with the best validation accuracy after each trial.

    Returns:
        The best trial by validation accuracy.
    """
    with _explained(store):
        return _tune(data, network, config, store, trials=trials, on_trial=on_trial)


def _tune(
    data: Graph, network: Network, config: Config, store: Path, *, trials: int, on_trial: Callable[[float], object]
) -> Tuned:
    optuna = require_extra("optuna", "tune", "tune")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = _study(optuna, store, config.seed)
    space = SPACE | (PAIRS if config.pairs.weight else {})

    def objective(trial: Any) -> float:
        options = {name: _suggest(trial, name, choice) for name, choice in space.items()}
        return _score(optuna, trial, data, *apply(network, config, options))

    def report(study: Any, _: Any) -> None:
        on_trial(study.best_value if _complete(study) else 0.0)

    done = len(_finished(study))
    study.optimize(objective, n_trials=max(trials - done, 0), callbacks=[report], catch=(HighwayError,))
    if not _complete(study):
        raise FailedError("No trial finished: try other data or options, or more trials.")
    return Tuned(study.best_value, dict(study.best_params), len(_finished(study)))


def apply(network: Network, config: Config, options: dict[str, Any]) -> tuple[Network, Config]:
    """Return the network and the config with the options of a trial."""
    own = {name.removeprefix("network."): value for name, value in options.items() if name.startswith("network.")}
    others = {name: value for name, value in options.items() if not name.startswith("network.")}
    return override(network, own), override(config, others)


def count(store: Path) -> int:
    """Return the number of finished trials in the store."""
    if not store.exists():
        return 0
    with _explained(store):
        return len(_finished(_study(require_extra("optuna", "tune", "tune"), store, 0)))


@contextmanager
def _explained(store: Path) -> Iterator[None]:
    """Turn a store that cannot be opened, read or written into one sentence."""
    try:
        yield
    except HighwayError:
        raise
    except Exception as error:
        # SQLAlchemy, which Optuna stores by, chains the error of SQLite.
        cause = next((each for each in _causes(error) if isinstance(each, OSError | sqlite3.Error)), None)
        if cause is None:
            raise
        reason = str(cause).splitlines()[0]
        raise FailedError(
            f"Cannot use {store} as a store of trials ({reason}): choose another with --storage."
        ) from error


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _study(optuna: Any, store: Path, seed: int) -> Any:
    store.parent.mkdir(parents=True, exist_ok=True)
    return optuna.create_study(
        study_name="highway",
        storage=f"sqlite:///{store}",
        load_if_exists=True,
        direction="maximize",
        sampler=optuna.samplers.TPESampler(seed=seed),
        # A trial is pruned after a round whose score is below the median of the other trials.
        pruner=optuna.pruners.MedianPruner(n_startup_trials=5),
    )


def _score(optuna: Any, trial: Any, data: Graph, network: Network, config: Config) -> float:
    best: dict[int, float] = {}

    def watch(epoch: Epoch) -> None:
        if epoch.round > 1 and epoch.round - 1 in best and epoch.epoch == 1:
            trial.report(max(best.values()), epoch.round - 1)
            if trial.should_prune():
                raise optuna.TrialPruned
        best[epoch.round] = max(best.get(epoch.round, 0.0), epoch.val)

    model = build_network(network, data.x.size(1), num_classes(data))
    return train(model, data, config, on_epoch=watch).val


def _suggest(trial: Any, name: str, choice: Range) -> Any:
    if isinstance(choice, list):
        return trial.suggest_categorical(name, choice)
    return trial.suggest_float(name, *choice, log=True)


def _finished(study: Any) -> list[Any]:
    return [trial for trial in study.get_trials(deepcopy=False) if trial.state.is_finished()]


def _complete(study: Any) -> bool:
    return any(trial.value is not None and trial.state.name == "COMPLETE" for trial in _finished(study))
