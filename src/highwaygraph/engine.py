"""Algorithm 1: rounds of training, each followed by the highways for the next; the only two loops."""

import copy
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.optim import Adam
from torch_geometric.data import Data

from highwaygraph.admission import by_lots, look_once
from highwaygraph.checkpoints import Checkpoints, Snapshot
from highwaygraph.config import Config, preset
from highwaygraph.data.check import check
from highwaygraph.data.hashes import data_hash, split_hash
from highwaygraph.errors import ConfigError, FailedError, RunError
from highwaygraph.explore import explore, graphs, pick_anchors, union
from highwaygraph.gnn import GNN
from highwaygraph.inputs import Features, Mapped, decided, find_device, is_prepared, listed, read
from highwaygraph.judging import better, judge, reason, tell_collapse
from highwaygraph.metrics import accuracy, edge_precision
from highwaygraph.models import refuse_cached, reinitialise
from highwaygraph.ranks import agree, anybody, gather, rank, world
from highwaygraph.results import Result, answer
from highwaygraph.rounds import Epoch, Highways, Round
from highwaygraph.sampled import sampled_task
from highwaygraph.seeds import seeded
from highwaygraph.splits import check_split
from highwaygraph.standing import Fitted, Fitting, Standing, restore, snapshot, standing_of
from highwaygraph.steps import step, validate
from highwaygraph.tasks import Setting, make_task
from highwaygraph.values import override

OnEpoch = Callable[[Epoch], object]


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


def train(
    model: nn.Module,
    data: Data,
    config: Config | str = "plus",
    seed: int | None = None,
    on_epoch: OnEpoch | None = None,
    *,
    checkpoint: Checkpoints | str | os.PathLike[str] | None = None,
) -> Result:
    """Train a copy of any GNN by HighwayGraph, a config or a preset's name: pairs and rounds (Algorithm 1).

    With a folder for checkpoints, a training that was interrupted goes on from there, to the same bits.
    """
    config = preset(config) if isinstance(config, str) else config
    config = config if seed is None else override(config, {"seed": seed})
    data = check_split(check(data))
    config = decided(config, data)
    refuse_cached(model)
    if world() > 1 and not config.fit.batch:
        raise ConfigError("Several processes train by lots: say how large they are, with --fit.batch (fit.batch).")
    graph = by_lots(model, data, config) if config.fit.batch else listed(data)
    device = find_device(config.fit.device)
    features = read(model, graph, config.fit)
    with seeded(config.seed, device):
        model = look_once(model, features, graph, config)
    saves = checkpoint if isinstance(checkpoint, Checkpoints | None) else checkpoints(checkpoint, model, data, config)
    with seeded(config.seed, device):
        result = _rounds(Job(model, features, config, on_epoch or (lambda _: None), saves), graph)
    return replace(result, data=data)


def checkpoints(
    folder: str | os.PathLike[str], model: nn.Module, data: Data, config: Config, **more: Any
) -> Checkpoints:
    """Return where such a training keeps its checkpoints; those of another graph, config or network are refused.

    Of a module of one's own, only its name and the shapes of its weights are compared.
    """
    known = {
        "data": data_hash(data),
        "split": split_hash(data),
        "config": config.model_dump(),
        "world": world(),
        "model": type(model).__name__,
        "network": model.network.model_dump() if isinstance(model, GNN) else None,
        "shapes": {name: list(value.shape) for name, value in model.state_dict().items()},
    }
    return Checkpoints(Path(folder), known, **more)


def _rounds(job: Job, data: Data) -> Result:
    config, options = job.config, job.config.highway
    anchors = pick_anchors(data, config)
    now, saved = _resume(job)
    stopped = None
    while stopped is None:
        start, number = perf_counter(), len(now.rounds) + 1
        graph, drawn = graphs(data, now.roads, config)
        fitted = fit(job, graph, number, Setting(drawn, now.shares), Course(now, saved))
        saved = None
        judge(now, fitted, data, config)
        stopped = reason(number, now.best, config)
        added: list[Highways] = []
        if stopped is None and number + 1 >= options.start:
            added = explore(fitted.logits, graph, anchors, number, config)
            stopped = None if any(len(one.round) for one in added) else "no new edges"
        now.rounds.append(_round(fitted, data, union(added, data.num_nodes), perf_counter() - start))
        now.history += fitted.history
        # Partners are drawn anew; what leads to an anchor stays.
        now.roads = added if options.links == "partners" else now.roads + added
    assert now.kept is not None
    tell_collapse(now.kept.logits, data)
    return Result(
        model=now.kept.model,
        data=data,
        config=config,
        rounds=tuple(now.rounds),
        kept=now.kept.place,
        stopped=stopped,
        logits=now.kept.logits,
        roads=union(now.kept.roads, data.num_nodes),
        history=tuple(now.history),
    )


def _resume(job: Job) -> tuple[Standing, Snapshot | None]:
    """Return where the training stands: at its beginning, or where it was interrupted."""
    saved = job.saves.latest() if job.saves else None
    if saved is None:
        own = {} if isinstance(job.model, GNN) else {k: v.clone() for k, v in job.model.state_dict().items()}
        now = Standing(start=own)
    else:
        now = standing_of(saved, job.model)
        if now.start:
            job.model.load_state_dict(now.start)
    found = gather(torch.tensor([[len(now.rounds), len(saved.tensors["present"]) if saved else -1]]))
    if bool((found != found[0]).any()):
        raise RunError("The processes find different checkpoints: put --out on a disk that all machines share.")
    return now, saved


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


def _round(fitted: Fitted, data: Data, added: Highways, seconds: float) -> Round:
    return Round(
        epochs=len(fitted.history),
        val=fitted.best.val,
        test=accuracy(fitted.logits.argmax(dim=1), data.y, data.test_mask),
        edges_added=added.edges.size(1),
        edge_precision=edge_precision(added.edges, data.y, ~data.train_mask),
        seconds=seconds,
    )
