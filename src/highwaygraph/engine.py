"""Algorithm 1: rounds of training, each followed by the highways for the next; the only two loops."""

import copy
import math
from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam, Optimizer
from torch_geometric.data import Data
from torch_geometric.utils import degree

from highwaygraph.config import Config, override, preset
from highwaygraph.data.check import check
from highwaygraph.errors import FailedError, HighwayError, ModelError
from highwaygraph.gnn import Prepared
from highwaygraph.highway import calibrate, choose_anchors, correct, decide, first_of_each, is_first, is_new, propose
from highwaygraph.inputs import Features, batch, call, find_device, read
from highwaygraph.lessons import TrainsItself
from highwaygraph.metrics import accuracy, edge_precision
from highwaygraph.models import refuse_cached, reinitialise
from highwaygraph.pairs import joint_loss
from highwaygraph.results import Result, Stopped, evaluate
from highwaygraph.rounds import Epoch, Highways, Round, grow
from highwaygraph.seeds import generator, seeded
from highwaygraph.splits import check_split
from highwaygraph.tasks import Task, make_task

OnEpoch = Callable[[Epoch], object]


class Job(NamedTuple):
    """What stays the same through all rounds of a run; the model's weights are drawn anew in each."""

    model: nn.Module
    features: Features
    config: Config
    on_epoch: OnEpoch


class Fitted(NamedTuple):
    """The weights that validation chose in one round, and what they predict."""

    model: nn.Module
    logits: Tensor
    best: Epoch
    history: list[Epoch]


class Kept(NamedTuple):
    """The answer so far: a fitted model, the place of its round and the highways it was trained with."""

    fitted: Fitted
    place: int
    roads: Highways


def train(
    model: nn.Module,
    data: Data,
    config: Config | str = "full",
    seed: int | None = None,
    on_epoch: OnEpoch | None = None,
) -> Result:
    """Train a copy of any GNN by HighwayGraph, a config or a preset's name: pairs and rounds (Algorithm 1)."""
    config = preset(config) if isinstance(config, str) else config
    config = config if seed is None else override(config, {"seed": seed})
    data = check_split(check(data))
    refuse_cached(model)
    device = find_device(config.fit.device)
    features = read(model, data, config.fit)
    with seeded(config.seed, device):
        model = _copy(model, features, data, config)
    with seeded(config.seed, device):
        return _rounds(Job(model, features, config, on_epoch or (lambda _: None)), data)


def _rounds(job: Job, data: Data) -> Result:
    config = job.config
    anchors = _anchors(data, config)
    rounds: list[Round] = []
    history: list[Epoch] = []
    roads = Highways.none()
    kept: Kept | None = None
    stopped: Stopped | None = None
    while stopped is None:
        start, number = perf_counter(), len(rounds) + 1
        graph = grow(data, roads, config.highway.adds)
        fitted = fit(job, graph, number)
        improved = kept is None or score(fitted.best, config) > score(kept.fitted.best, config)
        if kept is None or improved or config.highway.keep == "last":
            kept = Kept(fitted, number - 1, roads)
        stopped = "validation" if not improved else "rounds" if number == config.highway.rounds else None
        added = Highways.none() if stopped else _explore(fitted, graph, anchors, number, config)
        if stopped is None and not len(added.round):
            stopped = "no new edges"
        rounds.append(_round(fitted, data, added, perf_counter() - start))
        history += fitted.history
        roads = roads.and_then(added)
    assert kept is not None
    return Result(
        model=kept.fitted.model,
        data=data,
        config=config,
        rounds=tuple(rounds),
        kept=kept.place,
        stopped=stopped,
        logits=kept.fitted.logits,
        roads=kept.roads,
        history=tuple(history),
    )


def fit(job: Job, graph: Data, number: int) -> Fitted:
    """Train freshly drawn weights on one graph and return the model with those that were best on validation."""
    # A copy per round: what has no reset_parameters starts from the values it was given, not from the last round's.
    model, config = copy.deepcopy(job.model), job.config
    task = make_task(model, job.features, graph, config, number)
    reinitialise(model)
    # Fused is faster, but only the plain one gives a user's own module the bits of a loop of their own.
    fused = isinstance(task.train, Prepared)
    optimizer = Adam(model.parameters(), lr=config.fit.lr, weight_decay=config.fit.weight_decay, fused=fused)
    history: list[Epoch] = []
    best: Epoch | None = None
    for epoch in range(1, config.fit.epochs + 1):
        loss, pair = _step(model, task, optimizer, config, epoch)
        history.append(Epoch(number, epoch, loss, pair, *_validate(model, task)))
        job.on_epoch(history[-1])
        if best is None or _better(history[-1], best, config):
            # Cloned: the live tensors go on changing.
            best, state = history[-1], {k: v.clone() for k, v in model.state_dict().items()}
        if epoch - best.epoch >= config.fit.patience:
            break
    assert best is not None
    model.load_state_dict(state)
    logits = evaluate(model, batch(model, job.features, graph))
    return Fitted(model.cpu(), logits.cpu(), best, history)


def score(epoch: Epoch, config: Config) -> float:
    """Return the validation score that weights and rounds are chosen by, higher is better."""
    return epoch.val if config.fit.monitor == "accuracy" else -epoch.val_loss


def _better(epoch: Epoch, best: Epoch, config: Config) -> bool:
    now, before = score(epoch, config), score(best, config)
    return now > before or (now == before and config.fit.ties == "last")


def _step(model: nn.Module, task: Task, optimizer: Optimizer, config: Config, epoch: int) -> tuple[float, float]:
    """Take one step, the model's own or one on the loss of Eq. 6, and return its loss with the pair part."""
    model.train()
    optimizer.zero_grad()
    own = model.own_loss(task.lesson, epoch) if isinstance(model, TrainsItself) else None
    value, pair = _descend(call(model, task.train), task, config) if own is None else (_backward(own), 0.0)
    optimizer.step()
    return _finite(value), pair


def _descend(logits: Tensor, task: Task, config: Config) -> tuple[float, float]:
    if task.pairs is None:
        return _backward(F.cross_entropy(logits, task.train_labels)), 0.0
    value, pair, gradient = joint_loss(logits, task.train_labels, task.pairs, config.pairs.weight)
    logits.backward(gradient)
    return value, pair


def _backward(loss: Tensor) -> float:
    loss.backward()
    return loss.item()


def _validate(model: nn.Module, task: Task) -> tuple[float, float]:
    logits = evaluate(model, task.val)
    loss = F.cross_entropy(logits, task.val_labels)
    right = (logits.argmax(dim=1) == task.val_labels).double().mean()
    return _finite(loss.item()), right.item()


def _explore(fitted: Fitted, graph: Data, anchors: Tensor, number: int, config: Config) -> Highways:
    """Return the highways that this round's predictions ask for and the graph does not have (Eq. 12-15)."""
    options = config.highway
    classes, confidence = decide(fitted.logits, graph.y, graph.train_mask)
    threshold = options.node_threshold
    if isinstance(threshold, str):
        val = graph.val_mask
        threshold = calibrate(confidence[val], classes[val] == graph.y[val], options.precision)
    found = propose(
        fitted.logits,
        classes,
        confidence,
        anchors,
        node_threshold=threshold,
        pair_threshold=options.pair_threshold,
        joint=options.joint,
    )
    edges = _adapt(found.edges, graph, anchors, number, config)
    new = is_new(graph.edge_index, edges, graph.num_nodes) & first_of_each(edges, graph.num_nodes)
    if options.adds == "labels":
        # One label a node, and none where it would judge itself.
        new &= ~(graph.train_mask | graph.val_mask)[edges[1]] & is_first(edges[1])
    return Highways(
        edges[:, new], edges.new_full((int(new.sum()),), number), found.confidence[new], found.pair_score[new]
    )


def _adapt(edges: Tensor, graph: Data, anchors: Tensor, number: int, config: Config) -> Tensor:
    """Return the edges as proposed, or as many of another kind to compare them with."""
    match config.highway.adds:
        case "random-edges":
            return torch.randint(graph.num_nodes, edges.shape, generator=generator(config.seed, f"edges {number}"))
        case "true-edges":
            return correct(edges, anchors, graph.y)
        case _:
            return edges


def _round(fitted: Fitted, data: Data, added: Highways, seconds: float) -> Round:
    return Round(
        epochs=len(fitted.history),
        val=fitted.best.val,
        test=accuracy(fitted.logits.argmax(dim=1), data.y, data.test_mask),
        edges_added=added.edges.size(1),
        edge_precision=edge_precision(added.edges, data.y, ~data.train_mask),
        seconds=seconds,
    )


def _anchors(data: Data, config: Config) -> Tensor:
    options = config.highway
    return choose_anchors(
        data.y,
        data.train_mask,
        options.anchors,
        generator(config.seed, "anchors"),
        rule=options.anchor_rule,
        degree=degree(data.edge_index[0], data.num_nodes, dtype=torch.long),
    )


def _copy(model: nn.Module, features: Features, data: Data, config: Config) -> nn.Module:
    """Return a copy that has seen the graph once: lazy layers have shapes, and its answer fits the labels."""
    model = copy.deepcopy(model).to(find_device(config.fit.device))
    try:
        logits = evaluate(model, batch(model, features, data))
    except HighwayError:
        raise
    except Exception as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(f"The model cannot be called on this graph ({data.x.size(1)} features): {what}.") from error
    classes = int(data.y.max()) + 1
    if logits.size(1) < classes:
        raise ModelError(f"The model tells {logits.size(1)} classes apart, but the labels name {classes}.")
    uses_pairs = config.pairs.weight or (config.highway.rounds > 1 and config.highway.joint)
    if uses_pairs and logits.logsumexp(dim=1).abs().max() < 1e-4:
        raise ModelError("The model returns log-probabilities: return the logits, without log_softmax at the end.")
    return model


def _finite(loss: float) -> float:
    if not math.isfinite(loss):
        raise FailedError("The loss is no longer a number: lower fit.lr, or scale the features with fit.features=row.")
    return loss
