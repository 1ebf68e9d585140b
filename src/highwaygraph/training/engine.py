"""Algorithm 1: the loop over rounds, each followed by the highways of the next."""

import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from torch import nn
from torch_geometric.data import Data

from highwaygraph.config import Config
from highwaygraph.errors import ConfigError, RunError
from highwaygraph.graph.fingerprint import data_hash, split_hash
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import with_edge_index
from highwaygraph.graph.splits import validate_split
from highwaygraph.graph.validate import validate
from highwaygraph.nn.batches import own_inputs
from highwaygraph.nn.factory import is_built_in
from highwaygraph.nn.features import prepare_features, resolve_features
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.modules import refuse_cached
from highwaygraph.options import override
from highwaygraph.presets import preset
from highwaygraph.runs.history import HighwayTable, OnEpoch, Round, StopReason
from highwaygraph.runs.result import Result
from highwaygraph.runtime.distributed import gather, rank, world_size
from highwaygraph.runtime.environment import find_device
from highwaygraph.runtime.progress import training_bar
from highwaygraph.runtime.rng import own_generator, seeded
from highwaygraph.runtime.threads import choose_threads, own_threads
from highwaygraph.training.checkpoints import Checkpoints, Snapshot
from highwaygraph.training.fit import Context, fit
from highwaygraph.training.metrics import accuracy, edge_precision
from highwaygraph.training.preflight import check_arguments, check_forward, check_weights, prepare_minibatches
from highwaygraph.training.propose import pick_anchors, propose_highways, round_graphs, union
from highwaygraph.training.selection import stop_reason, update_best, warn_collapse
from highwaygraph.training.state import RoundState, TrainingState, num_epochs, restore_state
from highwaygraph.training.workload import step_work


def train(
    model: nn.Module,
    data: Data,
    config: Config | str = "plus",
    seed: int | None = None,
    on_epoch: OnEpoch | None = None,
    *,
    checkpoint: Checkpoints | str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> Result:
    """Train a copy of any GNN with HighwayGraph: pair co-training and rounds of highways (Algorithm 1).

    Args:
        model: Any module with `forward(x, edge_index[, edge_weight])` that returns logits; it is copied, never changed.
        data: A graph with `x`, `edge_index`, `y` and the masks of a split; label -1 means unlabelled.
        config: A config, or the name of a preset.
        seed: Replaces the seed of the config.
        on_epoch: Called with the record of every epoch.
        checkpoint: Folder for checkpoints; an interrupted training resumes from the last one, bit-identically.
        progress: Show a progress bar on a terminal and in notebooks.

    Returns:
        The result, with the weights and predictions of the selected round.

    Global random states and torch's number of threads stay the same. Built-in networks may be trained in several
    threads at once; other modules, and any network on a GPU, use the global generators: a second thread is refused.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), train=20, val=30, seed=0)
        >>> model = hg.models.build("gcn", data, hidden=8)
        >>> config = hg.override(hg.PRESETS["full"], {"fit.epochs": 3, "highway.rounds": 1})
        >>> hg.train(model, data, config, seed=0, progress=False).predict().shape
        torch.Size([2708])
    """
    check_arguments(model, config)
    config = preset(config) if isinstance(config, str) else config
    config = config if seed is None else override(config, {"seed": seed})
    with _threads(model, graph := validate_split(validate(data)), config):
        return _train(model, graph, config, on_epoch, checkpoint, progress=progress)


def _train(
    model: nn.Module,
    whole: Graph,
    config: Config,
    on_epoch: OnEpoch | None,
    checkpoint: Checkpoints | str | os.PathLike[str] | None,
    *,
    progress: bool,
) -> Result:
    """Prepare the graph and the features, and train all rounds."""
    config = resolve_features(config, whole)
    refuse_cached(model)
    if world_size() > 1 and not config.fit.batch_size:
        raise ConfigError(
            "Several processes train in mini-batches: set their size with --fit.batch_size (fit.batch_size)."
        )
    check_weights(model, whole)
    graph = prepare_minibatches(model, whole, config) if config.fit.batch_size else with_edge_index(whole)
    features, graph = own_inputs(model, prepare_features(model, graph, config.fit), graph)
    with _random_numbers(model, config):
        model = check_forward(model, features, graph, config)
    saved = checkpoint if isinstance(checkpoint, Checkpoints | None) else checkpoints(checkpoint, model, whole, config)
    shown = progress and on_epoch is None and rank() == 0
    with training_bar("HighwayGraph", config.highway.rounds, config.fit.epochs, shown=shown) as report:
        context = Context(model, features, config, on_epoch or report, saved)
        with _random_numbers(model, config):
            result = _run_rounds(context, graph)
    return replace(result, data=whole)


def _threads(model: nn.Module, graph: Graph, config: Config) -> AbstractContextManager[None]:
    """Return the block in which the training sets torch's threads; the caller's number does not change."""
    if find_device(config.fit.device).type != "cpu":
        return nullcontext()
    return own_threads(choose_threads(step_work(model, graph, config), config.fit.num_threads))


def _random_numbers(model: nn.Module, config: Config) -> AbstractContextManager[None]:
    """Return the block in which the training draws its random numbers; the caller's random state does not change."""
    device = find_device(config.fit.device)
    # On a GPU, and in any other module, dropout draws from the global generators.
    own = is_built_in(model) and device.type == "cpu"
    return own_generator(config.seed) if own else seeded(config.seed, device)


def checkpoints(
    folder: str | os.PathLike[str], model: nn.Module, data: Graph, config: Config, **more: Any
) -> Checkpoints:
    """Return the checkpoints of a training; those of another graph, config or network are refused.

    Args:
        folder: The folder of the checkpoints.
        model: The model; of a user's module, its name and the shapes of its weights are compared.
        data: The graph with its split.
        config: All options.
        **more: Further arguments of `Checkpoints`, such as `every`.

    Returns:
        The checkpoints, for `train(..., checkpoint=...)`.
    """
    identity = {
        "data": data_hash(data),
        "split": split_hash(data),
        "config": config.model_dump(),
        "world": world_size(),
        "model": type(model).__name__,
        "network": model.network.model_dump() if isinstance(model, GNN) else None,
        "shapes": {name: list(value.shape) for name, value in model.state_dict().items()},
    }
    return Checkpoints(Path(folder), identity, **more)


def _run_rounds(context: Context, data: Graph) -> Result:
    state, saved = _start_or_resume(context)
    # The last bits of a sum depend on the number of threads: a resumed training takes the number that it began with.
    with own_threads(state.num_threads):
        return _remaining_rounds(context, data, state, saved)


def _remaining_rounds(context: Context, data: Graph, state: TrainingState, saved: Snapshot | None) -> Result:
    config = context.config
    anchors = pick_anchors(data, config)
    stopped = None
    while stopped is None:
        start, number = perf_counter(), len(state.rounds) + 1
        graph, views = round_graphs(data, state.highways, config)
        finished = fit(context, state, graph, views, saved)
        saved = None
        update_best(state, finished, data, config)
        stopped = stop_reason(number, state.last_improvement, config)
        added: list[HighwayTable] = []
        if stopped is None and number + 1 >= config.highway.start:
            added = propose_highways(finished.logits, graph, anchors, number, config)
            stopped = None if any(len(table.round) for table in added) else "no new edges"
        state.rounds.append(_record(finished, data, union(added, data.num_nodes), perf_counter() - start))
        state.history += finished.history
        # Partners are sampled again in every round; highways of anchors accumulate.
        state.highways = added if config.highway.targets == "partners" else state.highways + added
    return _result(state, data, config, stopped)


def _start_or_resume(context: Context) -> tuple[TrainingState, Snapshot | None]:
    """Return the state at the start of a training, or at its last checkpoint together with that checkpoint."""
    saved = context.checkpoints.latest() if context.checkpoints else None
    if saved is None:
        model = context.model
        initial = {} if isinstance(model, GNN) else {k: v.clone() for k, v in model.state_dict().items()}
        state = TrainingState(initial=initial)
    else:
        state = restore_state(saved, context.model)
        if state.initial:
            context.model.load_state_dict(state.initial)
    found = gather(torch.tensor([[len(state.rounds), num_epochs(saved) if saved else -1]]))
    if bool((found != found[0]).any()):
        raise RunError("The processes find different checkpoints: put --out on a disk that all machines share.")
    return state, saved


def _record(finished: RoundState, data: Graph, added: HighwayTable, seconds: float) -> Round:
    assert finished.best is not None
    return Round(
        epochs=len(finished.history),
        val=finished.best.val,
        test=accuracy(finished.logits.argmax(dim=1), data.y, data.test_mask),
        edges_added=added.edges.size(1),
        edge_precision=edge_precision(added.edges, data.y, ~data.train_mask),
        seconds=seconds,
    )


def _result(state: TrainingState, data: Graph, config: Config, stopped: StopReason) -> Result:
    best = state.best
    assert best is not None
    warn_collapse(best.logits, data)
    return Result(
        model=best.model,
        data=data,
        config=config,
        rounds=tuple(state.rounds),
        best_round=best.number,
        stopped=stopped,
        logits=best.logits,
        highway_table=union(best.highways, data.num_nodes),
        history=tuple(state.history),
        num_threads=state.num_threads,
    )
