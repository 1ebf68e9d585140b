"""One training with its baseline, written to a run folder or reopened from it, and a search over many trainings."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event
from typing import NamedTuple

from highwaygraph.cli.output import print_error
from highwaygraph.config import Config, Network
from highwaygraph.errors import ConfigError, RunError
from highwaygraph.graph.fingerprint import data_hash, split_hash
from highwaygraph.graph.folds import all_labels, labelled_nodes
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.splits import classes_below
from highwaygraph.nn.factory import network_for, network_of
from highwaygraph.nn.scaling import with_scaling
from highwaygraph.options import override
from highwaygraph.presets import typical_of
from highwaygraph.runs.folder import check_writable, is_run
from highwaygraph.runs.folds import Fold
from highwaygraph.runs.lock import graceful_stop, remove_checkpoints, run_lock
from highwaygraph.runs.open import open_run
from highwaygraph.runs.result import Result
from highwaygraph.runs.trackers.protocol import Tracker
from highwaygraph.runtime import distributed
from highwaygraph.runtime.atomic import remove_leftovers
from highwaygraph.runtime.environment import keep_freed_memory
from highwaygraph.runtime.progress import counting_bar, spinner, stderr
from highwaygraph.study.tune import Tuned, count
from highwaygraph.study.tune import tune as search
from highwaygraph.training.checkpoints import Checkpoints
from highwaygraph.training.choose_network import Trial, choose_network
from highwaygraph.training.engine import checkpoints, train
from highwaygraph.training.folds.cross_validate import cross_validate
from highwaygraph.training.sized_config import same_choices, with_size
from highwaygraph.training.targets.adapted_config import adapted_config


class Target(NamedTuple):
    """Where a run is written, and whether the run there is replaced or resumed."""

    out: Path
    force: bool = False
    resume: bool = False
    command: str = ""
    """Command that repeats the run in another folder."""
    resume_command: str = ""
    """Command that resumes the run after an interruption."""
    checkpoint_every: float = 10.0
    """Least number of seconds between two checkpoints."""
    trackers: tuple[Tracker, ...] = ()
    """Trackers of the training; those of typical training for comparison would mix two curves."""


@contextmanager
def process_group() -> Iterator[bool]:
    """Join the processes that torchrun started, if any, and yield whether this process writes and prints for all."""
    try:
        with distributed.process_group():
            stderr.quiet = distributed.rank() > 0
            yield distributed.rank() == 0
    except distributed.LostProcessError as error:
        # The process that is gone may be the one that prints for all.
        stderr.quiet = False
        code = print_error(str(error), error.exit_code)
        # Not by sys.exit: torch's destructors may wait for the process that is gone.
        os._exit(code)


def train_or_reopen(
    graph: Graph, network: Network, config: Config, target: Target, folds: int = 0, *, with_baseline: bool
) -> Result:
    """Return the finished run in the folder where it is to be resumed, else train it.

    Args:
        graph: The graph with its split.
        network: The built-in network to train.
        config: All options.
        target: The run folder.
        folds: Number of folds, after which all labels train; 0 trains on the split.
        with_baseline: Also run typical training of the same network, where the options are others.

    Returns:
        The result, which has been written to the folder.
    """
    config = adapted_config(graph, config)
    if target.resume and is_run(target.out) and not target.force:
        # Of a process that was killed after it had moved the run into place.
        remove_leftovers(target.out.parent, target.out.name)
        remove_checkpoints(target.out)
        return reopen(target.out, config, network, graph, folds)
    check_writable(target.out, force=target.force)
    with_baseline = with_baseline and config != typical_of(config)
    if folds:
        return train_folds(graph, network, config, target, folds, with_baseline=with_baseline)
    return train_run(graph, network, config, target, with_baseline=with_baseline)


def train_run(graph: Graph, network: Network, config: Config, target: Target, *, with_baseline: bool) -> Result:
    """Train from the beginning or from the last checkpoint, and write the run."""
    keep_freed_memory()
    trials: tuple[Trial, ...] = ()
    if network.is_auto:
        with spinner("typical training of several networks, to choose one"):
            network, trials = choose_network(graph, network, config)
    model = network_for(network, graph)

    def run(chosen: Config, folder: Path, trackers: tuple[Tracker, ...] = ()) -> Result:
        saves = checkpoints(folder, model, graph, chosen, every=target.checkpoint_every, stop=stop)
        return train(model, graph, chosen, checkpoint=saves, trackers=trackers)

    with run_lock(target.out, resume=target.resume, force=target.force) as folder:
        config = with_size(model, with_scaling(graph, config.fit), config, folder / "highways")
        with graceful_stop(folder, target.resume_command, stderr.print) as stop:
            result = run(config, folder / "highways", target.trackers)
            if with_baseline and result.baseline is None:
                result = result.with_baseline(run(typical_of(config), folder / "typical"))
        if distributed.rank() == 0:
            networks = [trial._asdict() for trial in trials]
            result.save(target.out, force=target.force, command=target.command, networks=networks)
    return result


def train_folds(
    graph: Graph, network: Network, config: Config, target: Target, folds: int, *, with_baseline: bool
) -> Result:
    """Cross-validate, train on all labels, and write the run; finished folds are kept after an interruption."""
    keep_freed_memory()
    small = classes_below(graph.y[labelled_nodes(graph)], folds)
    if small:
        have, them = ("class has", "it") if len(small) == 1 else ("classes have", "them")
        stderr.print(f"{len(small)} {have} fewer labels than folds: some folds hold out none of {them}.")
    with (
        run_lock(target.out, resume=target.resume, force=target.force) as folder,
        graceful_stop(folder, target.resume_command, stderr.print, part="fold or epoch") as stop,
    ):
        found = cross_validate(
            network,
            graph,
            config,
            folds=folds,
            seed=config.seed,
            small_classes="share",
            baseline=with_baseline,
            folder=folder,
            on_fold=partial(_interrupt_if_set, stop),
        )
        saves = Checkpoints(folder / "refit", {}, every=target.checkpoint_every, stop=stop)
        result = found.refit(checkpoint=saves)
        result.save(target.out, force=target.force, command=target.command)
    return result


def _interrupt_if_set(stop: Event, _: Fold) -> None:
    if stop.is_set():
        raise KeyboardInterrupt


def reopen(path: Path, config: Config, network: Network, graph: Graph, folds: int = 0) -> Result:
    """Return the finished run in a folder, refusing one of other options or data."""
    result = open_run(path)
    trained = network_of(result.model)
    if network.is_auto and trained is not None:
        network = override(network, {"model": trained.model})
    config = same_choices(config, result.config)
    same = result.config == config and trained == network
    same = same and folds == (len(result.folds.folds) if result.folds else 0)
    graph = all_labels(graph) if folds else graph
    if not same or (data_hash(result.data), split_hash(result.data)) != (data_hash(graph), split_hash(graph)):
        raise RunError(f"{path} holds a run with other options or data: choose another folder, or --force.")
    return result


def tune(graph: Graph, network: Network, config: Config, storage: Path, trials: int) -> Tuned:
    """Run the missing trials of a search with a progress bar."""
    if network.is_auto:
        raise ConfigError("A search is about one network: name it with --model.")
    done = min(count(storage), trials)
    with counting_bar(f"tune {graph.name}, by validation accuracy", done, trials) as advance:

        def show_best(val: float) -> None:
            advance(f"best so far {100 * val:.1f} %")

        return search(graph, network, config, storage, trials=trials, on_trial=show_best)
