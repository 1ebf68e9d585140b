"""Algorithm 1: rounds of training, each followed by the highways for the next; the only two loops."""

import copy
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

from torch import Tensor, nn
from torch.optim import Adam
from torch_geometric.data import Data

from highwaygraph.config import Config, preset
from highwaygraph.data.check import check
from highwaygraph.edges import is_directed
from highwaygraph.errors import ConfigError, HighwayError, ModelError
from highwaygraph.explore import explore, graphs, pick_anchors, union
from highwaygraph.gnn import GNN
from highwaygraph.inputs import Features, Mapped, batches, by_rows, find_device, is_prepared, listed, read
from highwaygraph.lessons import TrainsItself
from highwaygraph.metrics import accuracy, edge_precision
from highwaygraph.models import refuse_cached, reinitialise
from highwaygraph.ranks import agree, world
from highwaygraph.results import Result, Stopped, answer, evaluate
from highwaygraph.rounds import Epoch, Highways, Round
from highwaygraph.sampled import sampled_task
from highwaygraph.seeds import seeded
from highwaygraph.splits import check_split
from highwaygraph.steps import node_loss, step, validate
from highwaygraph.tasks import Setting, make_task
from highwaygraph.values import override
from highwaygraph.views import class_shares, class_weights

LOOK = 16
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
    """The answer so far: a fitted model, its score, the place of its round and the highways it was trained with."""

    fitted: Fitted
    score: float
    place: int
    roads: list[Highways]


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
    if world() > 1 and not config.fit.batch:
        raise ConfigError("Several processes train by lots: say how large they are, with --fit.batch (fit.batch).")
    graph = _by_lots(model, data, config) if config.fit.batch else listed(data)
    device = find_device(config.fit.device)
    features = read(model, graph, config.fit)
    with seeded(config.seed, device):
        model = _copy(model, features, graph, config)
    with seeded(config.seed, device):
        result = _rounds(Job(model, features, config, on_epoch or (lambda _: None)), graph)
    return replace(result, data=data)


def _by_lots(model: nn.Module, data: Data, config: Config) -> Data:
    """Return the graph ready for lots, refusing what needs all of it at once."""
    if isinstance(model, TrainsItself):
        raise ConfigError(f"{type(model).__name__} trains on the whole graph at once: leave out fit.batch.")
    if config.highway.adds == "labels":
        raise ConfigError("highway.adds=labels trains on the whole graph at once: leave out fit.batch.")
    if isinstance(model, GNN) and model.network.model == "hyper" and "rows" not in data and is_directed(data):
        raise ConfigError("hyper trains by lots on undirected graphs: add the reverse edges, or leave out fit.batch.")
    return by_rows(data)


def _rounds(job: Job, data: Data) -> Result:
    config, options = job.config, job.config.highway
    anchors = pick_anchors(data, config)
    rounds: list[Round] = []
    history: list[Epoch] = []
    roads: list[Highways] = []
    shares, kept, best, stopped = None, None, 0, None
    while stopped is None:
        start, number = perf_counter(), len(rounds) + 1
        graph, drawn = graphs(data, roads, config)
        fitted = fit(job, graph, number, Setting(drawn, shares))
        improved = kept is None or score(fitted.best, config) > kept.score
        best = number if improved else best
        if kept is None or improved or options.keep == "last":
            kept = Kept(fitted, score(fitted.best, config), number - 1, roads)
        if config.views.align and shares is None:
            shares = _shares(fitted.logits, data)
            kept = kept._replace(score=_rescore(kept.fitted, data, shares, config))
        stopped = _reason(number, best, config)
        added: list[Highways] = []
        if stopped is None and number + 1 >= options.start:
            added = explore(fitted.logits, graph, anchors, number, config)
            stopped = None if any(len(one.round) for one in added) else "no new edges"
        rounds.append(_round(fitted, data, union(added, data.num_nodes), perf_counter() - start))
        history += fitted.history
        # Partners are drawn anew; what leads to an anchor stays.
        roads = added if options.links == "partners" else roads + added
    assert kept is not None
    return Result(
        model=kept.fitted.model,
        data=data,
        config=config,
        rounds=tuple(rounds),
        kept=kept.place,
        stopped=stopped,
        logits=kept.fitted.logits,
        roads=union(kept.roads, data.num_nodes),
        history=tuple(history),
    )


def fit(job: Job, graph: Data, number: int, setting: Setting | None = None) -> Fitted:
    """Train freshly drawn weights on one graph and return the model with those that were best on validation."""
    # A copy per round: what has no reset_parameters starts from the values it was given, not from the last round's.
    model, config = copy.deepcopy(job.model), job.config
    make = sampled_task if isinstance(job.features, Mapped) else make_task
    task = make(model, job.features, graph, config, number, setting=setting)  # type: ignore[arg-type]
    reinitialise(model)
    agree(model)
    # Fused is faster, but only the plain one gives a user's own module the bits of a loop of their own.
    fused = is_prepared(model, config.fit)
    optimizer = Adam(model.parameters(), lr=config.fit.lr, weight_decay=config.fit.weight_decay, fused=fused)
    history: list[Epoch] = []
    best: Epoch | None = None
    for epoch in range(1, config.fit.epochs + 1):
        loss, pair = step(model, task, optimizer, config, epoch)
        history.append(Epoch(number, epoch, loss, pair, *validate(model, task)))
        job.on_epoch(history[-1])
        if best is None or _better(history[-1], best, config):
            # Cloned: the live tensors go on changing.
            best, state = history[-1], {k: v.clone() for k, v in model.state_dict().items()}
        if epoch >= config.fit.min_epochs and epoch - best.epoch >= config.fit.patience:
            break
    assert best is not None
    model.load_state_dict(state)
    logits = answer(model, job.features, graph)
    return Fitted(model.cpu(), logits.cpu(), best, history)


def score(epoch: Epoch, config: Config) -> float:
    """Return the validation score that weights and rounds are chosen by, higher is better."""
    match config.fit.monitor:
        case "accuracy":
            return epoch.val
        case "f1":
            return epoch.val_f1
        case "loss":
            return -epoch.val_loss


def _better(epoch: Epoch, best: Epoch, config: Config) -> bool:
    now, before = score(epoch, config), score(best, config)
    return now > before or (now == before and config.fit.ties == "last")


def _reason(number: int, best: int, config: Config) -> Stopped | None:
    if number - best >= config.highway.tries:
        return "validation"
    return "rounds" if number == config.highway.rounds else None


def _shares(logits: Tensor, data: Data) -> Tensor:
    chances, val = logits.softmax(dim=1), data.val_mask
    return class_shares(chances, chances[val], data.y[val])


def _rescore(fitted: Fitted, data: Data, shares: Tensor, config: Config) -> float:
    """Return the first round's score as later ones are scored: with validation weighted by the shares."""
    if config.fit.monitor != "loss":
        return score(fitted.best, config)
    labels = data.y[data.val_mask]
    return -node_loss(fitted.logits[data.val_mask], labels, class_weights(shares, labels)).item()


def _round(fitted: Fitted, data: Data, added: Highways, seconds: float) -> Round:
    return Round(
        epochs=len(fitted.history),
        val=fitted.best.val,
        test=accuracy(fitted.logits.argmax(dim=1), data.y, data.test_mask),
        edges_added=added.edges.size(1),
        edge_precision=edge_precision(added.edges, data.y, ~data.train_mask),
        seconds=seconds,
    )


def _copy(model: nn.Module, features: Features, data: Data, config: Config) -> nn.Module:
    """Return a copy that has seen the graph once: lazy layers have shapes, and its answer fits the labels."""
    model = copy.deepcopy(model).to(find_device(config.fit.device))
    try:
        # A few nodes tell as much as all.
        logits = evaluate(model, batches(model, features, data)(data.train_mask.nonzero().flatten()[:LOOK]))
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
