"""Algorithm 1: rounds of training, each followed by the highways for the next; the only two loops."""

import copy
from typing import NamedTuple

from torch import nn
from torch.optim import Adam

from highwaygraph.config import Config
from highwaygraph.errors import FailedError
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.batches import predict_logits
from highwaygraph.nn.features import Features, MappedFeatures, uses_kernels
from highwaygraph.nn.modules import reset_parameters
from highwaygraph.runs.history import Epoch, OnEpoch
from highwaygraph.runtime.distributed import any_rank, broadcast_parameters, rank
from highwaygraph.runtime.environment import find_device
from highwaygraph.training.batches import RoundInputs, full_graph_data
from highwaygraph.training.checkpoints import Checkpoints, Snapshot
from highwaygraph.training.minibatches import minibatch_data
from highwaygraph.training.selection import better
from highwaygraph.training.state import FitResult, RoundState, TrainingState, restore_round, snapshot
from highwaygraph.training.step import step, validate


class Context(NamedTuple):
    """What stays the same through all rounds of a run; the model's weights are drawn anew in each."""

    model: nn.Module
    features: Features
    config: Config
    on_epoch: OnEpoch
    saves: Checkpoints | None = None


class Resume(NamedTuple):
    """What a round goes on from: the rounds before it and, where it was interrupted, its own beginning."""

    standing: TrainingState
    saved: Snapshot | None


def fit(
    job: Context, graph: Graph, number: int, setting: RoundInputs | None = None, course: Resume | None = None
) -> FitResult:
    """Train freshly drawn weights, or saved ones on, and return the model with those that were best on validation."""
    # A copy per round: what has no reset_parameters starts from the values it was given, not from the last round's.
    model, config, saves = copy.deepcopy(job.model), job.config, job.saves
    make = minibatch_data if isinstance(job.features, MappedFeatures) else full_graph_data
    task = make(model, job.features, graph, config, number, setting=setting)  # type: ignore[arg-type]
    now = _begin(model, config, course.saved if course else None)
    for epoch in range(len(now.history) + 1, config.fit.epochs + 1):
        loss, pair = step(model, task, now.optimizer, config, epoch)
        now.history.append(Epoch(number, epoch, loss, pair, *validate(model, task, epoch)))
        job.on_epoch(now.history[-1])
        if now.best is None or better(now.history[-1], now.best, config):
            # Cloned: the live tensors go on changing.
            now.best, now.state = now.history[-1], {k: v.clone() for k, v in model.state_dict().items()}
        if epoch >= config.fit.min_epochs and epoch - now.best.epoch >= config.fit.patience:
            break
        if saves is not None and course is not None:
            _save(saves, course.standing, now, config)
    assert now.best is not None
    model.load_state_dict(now.state)
    logits = predict_logits(model, job.features, graph)
    if not logits.isfinite().all():
        raise FailedError(f"The logits of round {number} are not all numbers: lower fit.lr, or look at the features.")
    return FitResult(model.cpu(), logits.cpu(), now.best, now.history)


def _begin(model: nn.Module, config: Config, saved: Snapshot | None) -> RoundState:
    """Return the start of a round, or the middle of it where it was saved."""
    if saved is None:
        reset_parameters(model)
    broadcast_parameters(model)
    # Fused is faster, but only the plain one gives a user's own module the bits of a loop of their own.
    fused = uses_kernels(model, config.fit)
    optimizer = Adam(model.parameters(), lr=config.fit.lr, weight_decay=config.fit.weight_decay, fused=fused)
    now = RoundState(model, optimizer)
    if saved is not None:
        restore_round(now, saved, find_device(config.fit.device))
    return now


def _save(saves: Checkpoints, standing: TrainingState, fitting: RoundState, config: Config) -> None:
    """Write a checkpoint if it is time for one, and end here if any of the processes was asked to."""
    stop, began = any_rank(saves.stop.is_set()), bool(standing.rounds) and len(fitting.history) == 1
    if rank() == 0 and (stop or began or saves.due()):
        saves.save(snapshot(standing, fitting, find_device(config.fit.device)))
    if stop:
        raise KeyboardInterrupt
