"""Algorithm 1: rounds of training, each followed by the highways for the next; the only two loops."""

import copy
from typing import NamedTuple

from torch import nn
from torch.optim import Adam
from torch_geometric.data import Data

from highwaygraph.config import Config
from highwaygraph.errors import FailedError
from highwaygraph.nn.batches import answer
from highwaygraph.nn.features import Features, Mapped, is_prepared
from highwaygraph.nn.modules import reinitialise
from highwaygraph.runs.history import Epoch, OnEpoch
from highwaygraph.runtime.distributed import agree, anybody, rank
from highwaygraph.runtime.environment import find_device
from highwaygraph.training.batches import Setting, make_task
from highwaygraph.training.checkpoints import Checkpoints, Snapshot
from highwaygraph.training.minibatches import sampled_task
from highwaygraph.training.selection import better
from highwaygraph.training.state import Fitted, Fitting, Standing, restore, snapshot
from highwaygraph.training.step import step, validate


class Job(NamedTuple):
    """What stays the same through all rounds of a run; the model's weights are drawn anew in each."""

    model: nn.Module
    features: Features
    config: Config
    on_epoch: OnEpoch
    saves: Checkpoints | None = None


class Course(NamedTuple):
    """What a round goes on from: the rounds before it and, where it was interrupted, its own beginning."""

    standing: Standing
    saved: Snapshot | None


def fit(job: Job, graph: Data, number: int, setting: Setting | None = None, course: Course | None = None) -> Fitted:
    """Train freshly drawn weights, or saved ones on, and return the model with those that were best on validation."""
    # A copy per round: what has no reset_parameters starts from the values it was given, not from the last round's.
    model, config, saves = copy.deepcopy(job.model), job.config, job.saves
    make = sampled_task if isinstance(job.features, Mapped) else make_task
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
    logits = answer(model, job.features, graph)
    if not logits.isfinite().all():
        raise FailedError(f"The logits of round {number} are not all numbers: lower fit.lr, or look at the features.")
    return Fitted(model.cpu(), logits.cpu(), now.best, now.history)


def _begin(model: nn.Module, config: Config, saved: Snapshot | None) -> Fitting:
    """Return the start of a round, or the middle of it where it was saved."""
    if saved is None:
        reinitialise(model)
    agree(model)
    # Fused is faster, but only the plain one gives a user's own module the bits of a loop of their own.
    fused = is_prepared(model, config.fit)
    optimizer = Adam(model.parameters(), lr=config.fit.lr, weight_decay=config.fit.weight_decay, fused=fused)
    now = Fitting(model, optimizer)
    if saved is not None:
        restore(now, saved, find_device(config.fit.device))
    return now


def _save(saves: Checkpoints, standing: Standing, fitting: Fitting, config: Config) -> None:
    """Write a checkpoint if it is time for one, and end here if any of the processes was asked to."""
    stop, began = anybody(saves.stop.is_set()), bool(standing.rounds) and len(fitting.history) == 1
    if rank() == 0 and (stop or began or saves.due()):
        saves.save(snapshot(standing, fitting, find_device(config.fit.device)))
    if stop:
        raise KeyboardInterrupt
