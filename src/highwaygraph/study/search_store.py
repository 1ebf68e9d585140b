"""The SQLite file of a search: its trials, and the graph, split, network and options that they belong to."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from highwaygraph.config import Config, Network
from highwaygraph.errors import FailedError, HighwayError, RunError
from highwaygraph.graph.fingerprint import data_hash, split_hash
from highwaygraph.graph.graph import Graph
from highwaygraph.options import dotted

NAME = "highway"


# Name of the study's attribute that holds its identity.
IDENTITY = "identity"


def search_identity(data: Graph, network: Network, config: Config, space: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts that two searches must share to share their trials, as JSON values.

    Args:
        data: The graph with its split.
        network: The network to start from.
        config: The config to start from.
        space: The search space; its options are set by the trials, so their values here do not count.

    Returns:
        The hashes of graph and split, the fixed options by dotted name, and the search space.
    """
    options = dotted(network, "network.") | dotted(config)
    fixed = {name: value for name, value in options.items() if name not in space}
    facts = {"graph": data_hash(data), "split": split_hash(data), "search space": dict(space), "options": fixed}
    found: dict[str, Any] = json.loads(json.dumps(facts))
    return found


def open_search(optuna: Any, store: Path, identity: Mapping[str, Any]) -> Any:
    """Return Optuna's study in the file; refuse one of another graph, split, search space or other options.

    Args:
        optuna: The package.
        store: The SQLite file; it is made if it is not there.
        identity: The facts returned by `search_identity`.

    Returns:
        The study, without a sampler of its own.
    """
    store.parent.mkdir(parents=True, exist_ok=True)
    study = optuna.create_study(
        study_name=NAME,
        storage=f"sqlite:///{store}",
        load_if_exists=True,
        direction="maximize",
        # A trial is pruned after a round whose score is below the median of the other trials.
        pruner=optuna.pruners.MedianPruner(n_startup_trials=5),
    )
    stored = study.user_attrs.get(IDENTITY)
    if stored is None and finished(study):
        raise RunError(
            f"{store} was written by version 0.1.0 and does not name the graph and the options of its trials: "
            "choose another file with --storage."
        )
    if stored is None:
        study.set_user_attr(IDENTITY, dict(identity))
    elif stored != identity:
        raise RunError(
            f"{store} holds the trials of another search ({_difference(stored, identity)}): "
            "choose another file with --storage, or repeat the command of that search."
        )
    return study


def count(optuna: Any, store: Path) -> int:
    """Return the number of finished trials in the file, 0 where there is none."""
    if not store.exists():
        return 0
    return len(finished(optuna.load_study(study_name=NAME, storage=f"sqlite:///{store}")))


def finished(study: Any) -> list[Any]:
    """Return the finished trials of a study; one that was interrupted is not finished."""
    return [trial for trial in study.get_trials(deepcopy=False) if trial.state.is_finished()]


def _difference(stored: Mapping[str, Any], identity: Mapping[str, Any]) -> str:
    """Return the first difference between two identities: an option with both values, or the name of the part."""
    parts = [name for name in identity if name != "options" and stored.get(name) != identity[name]]
    if parts:
        return f"its {' and its '.join(parts)} {'differ' if len(parts) > 1 else 'differs'}"
    before, now = stored.get("options", {}), identity["options"]
    name = next(name for name in sorted({*before, *now}) if before.get(name) != now.get(name))
    return f"{name.removeprefix('network.')} is {before.get(name)} there and {now.get(name)} here"


@contextmanager
def explained_store(store: Path) -> Iterator[None]:
    """Turn a store that cannot be opened, read or written into one sentence."""
    try:
        yield
    except HighwayError:
        raise
    except Exception as error:
        # SQLAlchemy, which Optuna stores by, chains the error of SQLite.
        kinds = (OSError, sqlite3.Error, KeyError, ValueError)
        cause = next((each for each in _causes(error) if isinstance(each, kinds)), None)
        if cause is None:
            raise
        reason = next(iter(str(cause).splitlines()), type(cause).__name__)
        raise FailedError(
            f"Cannot use {store} as a store of trials ({reason}): choose another with --storage."
        ) from error


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__
