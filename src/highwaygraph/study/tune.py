"""Hyper-parameter search with Optuna: by validation accuracy, resumable, with pruning after every round."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from torch import Tensor
from torch.nn import functional as F

from highwaygraph.config import Config, Network
from highwaygraph.errors import FailedError, HighwayError
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.factory import network_for
from highwaygraph.options import override
from highwaygraph.runs.history import Epoch
from highwaygraph.runs.lock import file_lock
from highwaygraph.runtime.environment import require_extra
from highwaygraph.study.search_store import count as stored_trials
from highwaygraph.study.search_store import explained_store, finished, open_search, search_identity
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


COMPLETE = "COMPLETE"


# Name of a trial's attribute that holds its log-likelihood on validation.
LIKELIHOOD = "log_likelihood"


PAIRS: dict[str, Range] = {"pairs.weight": [0.0, 0.1, 0.5, 1.0]}


class TrialRecord(NamedTuple):
    """A finished trial."""

    number: int
    """Its number, from 1."""
    val: float | None
    """Validation accuracy; None of a trial that failed, the last one of a trial that was pruned."""
    state: str
    """COMPLETE, PRUNED or FAIL."""
    options: dict[str, Any]
    log_likelihood: float | None = None
    """Mean log-likelihood on validation, which decides between equal accuracies; None in earlier stores."""


class Tuned(NamedTuple):
    """The best trial: its validation accuracy, its options, and the number of finished trials."""

    val: float
    options: dict[str, Any]
    trials: int
    history: tuple[TrialRecord, ...] = ()
    """All finished trials in their order."""

    @property
    def ordered(self) -> list[TrialRecord]:
        """The finished trials, the best one first."""
        return sorted(self.history, key=_rank)

    @property
    def tied(self) -> list[TrialRecord]:
        """The trials with the best validation accuracy, in their order."""
        return [trial for trial in self.history if trial.state == COMPLETE and trial.val == self.val]


def _rank(trial: TrialRecord) -> tuple[bool, float, float, int]:
    """Return the sort key of a trial: validation accuracy, then log-likelihood, then its number."""
    likelihood = -math.inf if trial.log_likelihood is None else trial.log_likelihood
    return trial.state != COMPLETE, -(trial.val or 0.0), -likelihood, trial.number


def tune(
    data: Graph,
    network: Network,
    config: Config,
    store: Path,
    *,
    trials: int,
    on_trial: Callable[[float], object] = lambda _: None,
) -> Tuned:
    """Search the options of a run by validation accuracy.

    Args:
        data: The graph with its split.
        network: The network to start from.
        config: The config to start from.
        store: The SQLite file of the trials. An existing one is continued, with the trials of a search that was not
            stopped; one of another graph, split, network or other options is refused.
        trials: Number of trials in the store at the end.
        on_trial: Called with the best validation accuracy after each trial.

    Returns:
        The best trial; of equal accuracies, the one with the highest log-likelihood on validation.
    """
    with explained_store(store):
        return _tune(data, network, config, store, trials=trials, on_trial=on_trial)


def _tune(
    data: Graph, network: Network, config: Config, store: Path, *, trials: int, on_trial: Callable[[float], object]
) -> Tuned:
    optuna = _optuna()
    space = SPACE | (PAIRS if config.pairs.weight else {})

    def objective(trial: Any) -> float:
        options = {name: _suggest(trial, name, choice) for name, choice in space.items()}
        return _score(optuna, trial, data, *apply(network, config, options))

    busy = f"{store} is being searched by another process: wait for it, or choose another file with --storage."
    with file_lock(store.with_name(f".{store.name}.lock"), busy):
        study = open_search(optuna, store, search_identity(data, network, config, space))
        while (done := len(finished(study))) < trials:
            study.sampler = optuna.samplers.TPESampler(seed=_sampler_seed(config.seed, done))
            _run_trial(optuna, study, objective)
            on_trial(study.best_value if _complete(study) else 0.0)
    if not _complete(study):
        raise FailedError("No trial finished: try other data or options, or more trials.")
    history = tuple(map(_record, finished(study)))
    best = min(history, key=_rank)
    return Tuned(study.best_value, best.options, done, history)


def _record(trial: Any) -> TrialRecord:
    likelihood = trial.user_attrs.get(LIKELIHOOD)
    return TrialRecord(trial.number + 1, trial.value, trial.state.name, dict(trial.params), likelihood)


def apply(network: Network, config: Config, options: dict[str, Any]) -> tuple[Network, Config]:
    """Return the network and the config with the options of a trial."""
    own = {name.removeprefix("network."): value for name, value in options.items() if name.startswith("network.")}
    others = {name: value for name, value in options.items() if not name.startswith("network.")}
    return override(network, own), override(config, others)


def count(store: Path) -> int:
    """Return the number of finished trials in the store."""
    with explained_store(store):
        return stored_trials(_optuna(), store)


def _optuna() -> Any:
    optuna = require_extra("optuna", "tune", "tune")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


def _sampler_seed(seed: int, done: int) -> int:
    """Return the seed of the next trial's sampler, which depends on nothing but the seed and the finished trials.

    A search that was stopped thus samples what it would have sampled next.
    """
    return int(np.random.SeedSequence([seed, done]).generate_state(1)[0])


def _run_trial(optuna: Any, study: Any, objective: Callable[[Any], float]) -> None:
    """Store the score of the next trial, or its failure; an interrupted trial stays unfinished and does not count."""
    trial, states = study.ask(), optuna.trial.TrialState
    try:
        study.tell(trial, objective(trial))
    except optuna.TrialPruned:
        study.tell(trial, state=states.PRUNED)
    except HighwayError:
        study.tell(trial, state=states.FAIL)


def _score(optuna: Any, trial: Any, data: Graph, network: Network, config: Config) -> float:
    best: dict[int, float] = {}

    def watch(epoch: Epoch) -> None:
        if epoch.round > 1 and epoch.round - 1 in best and epoch.epoch == 1:
            trial.report(max(best.values()), epoch.round - 1)
            if trial.should_prune():
                raise optuna.TrialPruned
        best[epoch.round] = max(best.get(epoch.round, 0.0), epoch.val)

    model = network_for(network, data)
    # A trial is about the options of the rounds, whatever else would compete.
    result = train(model, data, override(config, {"select.typical": False, "select.baselines": False}), on_epoch=watch)
    trial.set_user_attr(LIKELIHOOD, _log_likelihood(result.logits[data.val_mask], data.y[data.val_mask]))
    return result.val


def _log_likelihood(logits: Tensor, labels: Tensor) -> float:
    """Return the mean log-probability of the labels, without a temperature: where all are right, any fits as well."""
    if labels.dim() > 1:
        return -float(F.binary_cross_entropy_with_logits(logits.double(), labels.double()))
    return -float(F.cross_entropy(logits.double(), labels))


def _suggest(trial: Any, name: str, choice: Range) -> Any:
    if isinstance(choice, list):
        return trial.suggest_categorical(name, choice)
    return trial.suggest_float(name, *choice, log=True)


def _complete(study: Any) -> bool:
    return any(trial.value is not None and trial.state.name == COMPLETE for trial in finished(study))
