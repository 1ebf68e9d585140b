"""The training of one fold: its nodes are held out, the others train and validate."""

import time
import warnings
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from highwaygraph.config import Config, Network
from highwaygraph.errors import HighwayWarning
from highwaygraph.graph.folds import Division, fold_graph
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.factory import network_for, network_of
from highwaygraph.nn.functional import shift_logits
from highwaygraph.options import override
from highwaygraph.presets import typical_of
from highwaygraph.runs.folds import Fold
from highwaygraph.runs.history import TYPICAL, Epoch
from highwaygraph.runs.result import Result
from highwaygraph.training.choose_network import choose_network
from highwaygraph.training.engine import train, train_candidates
from highwaygraph.training.metrics import accuracy
from highwaygraph.training.selection import better

ANSWER, BASELINE = "answer", "baseline"
"""Names of the logits of a fold's answer and of typical training as they predict, beside those of the candidates."""


@dataclass(frozen=True, eq=False)
class FoldTask:
    """The arguments that all folds share."""

    model: nn.Module | Network
    data: Graph
    config: Config
    division: Division
    val_share: float
    baseline: bool
    """Whether typical training is run for comparison."""


@dataclass(frozen=True, eq=False)
class TrainedFold:
    """The record of a fold, and the logits of its nodes by name of the candidate."""

    record: Fold
    logits: dict[str, Tensor]


def train_fold(task: FoldTask, number: int) -> TrainedFold:
    """Train one fold on one thread, so that its result does not depend on where it runs.

    Args:
        task: The arguments that all folds share.
        number: The fold, counted from 0.

    Returns:
        The record, and the logits of the fold's nodes; those of the answer are named ANSWER.
    """
    started = time.perf_counter()
    config = override(task.config, {"fit.num_threads": 1})
    graph = fold_graph(task.data, task.division, number, task.val_share, config.seed)
    with warnings.catch_warnings():
        # A fold may be smaller than a user would train on; the result on all labels is checked again.
        warnings.simplefilter("ignore", HighwayWarning)
        model = _build(task.model, graph, config)
        result, logits = train_candidates(model, graph, config, progress=False)
        typical = _typical(task, model, graph, config, result)
    held_out = graph.test_mask
    kept = {name: one[held_out] for name, one in logits.items()} | {ANSWER: result.logits[held_out]}
    record = _record(result, number, _name(model))
    if typical is not None:
        kept[BASELINE] = typical.logits[held_out]
        # As a candidate, its logits are those before the shift of a tuned threshold.
        kept.setdefault(TYPICAL, shift_logits(typical.logits, -typical.threshold_shift)[held_out])
        scored = accuracy(typical.logits.argmax(dim=1), graph.y, held_out)
        record = replace(record, typical=scored, typical_epochs=best_epochs(typical.history, typical.config)[0])
    return TrainedFold(replace(record, seconds=time.perf_counter() - started), kept)


def best_epochs(history: tuple[Epoch, ...], config: Config) -> tuple[int, ...]:
    """Return the selected epoch of every round.

    Args:
        history: The epochs of all rounds.
        config: All options, with the score that selects.

    Returns:
        An epoch per round, counted from 1.

    Example:
        >>> epochs = [Epoch(1, n, 1.0, 0.0, 1.0, val) for n, val in ((1, 0.5), (2, 0.7), (3, 0.6))]
        >>> best_epochs(tuple(epochs), Config())
        (2,)
    """
    best: dict[int, Epoch] = {}
    for epoch in history:
        if epoch.round not in best or better(epoch, best[epoch.round], config):
            best[epoch.round] = epoch
    return tuple(best[number].epoch for number in sorted(best))


def _build(model: nn.Module | Network, graph: Graph, config: Config) -> nn.Module:
    """Return the user's module, or a network built for the graph; auto is chosen on the fold's validation nodes."""
    if isinstance(model, nn.Module):
        return model
    network = choose_network(graph, model, config).network if model.is_auto else model
    return network_for(network, graph)


def _typical(task: FoldTask, model: nn.Module, graph: Graph, config: Config, result: Result) -> Result | None:
    """Return typical training where it is wanted; the candidates may include it, but not its epochs."""
    plain = typical_of(result.config)
    if plain == result.config:
        return result
    if not (task.baseline or config.select.typical):
        return None
    if result.baseline is not None:
        base = result.baseline
        return replace(result, logits=base.logits, history=base.history, config=plain)
    return train(model, graph, plain, progress=False)


def _record(result: Result, number: int, network: str) -> Fold:
    return Fold(
        number=number + 1,
        nodes=int(result.data.test_mask.sum()),
        accuracy=accuracy(result.logits.argmax(dim=1), result.data.y, result.data.test_mask),
        typical=float("nan"),
        val=result.val,
        best_round=result.best_round,
        epochs=best_epochs(result.history, result.config),
        answer=result.answer,
        network=network,
    )


def _name(model: nn.Module) -> str:
    network = network_of(model)
    return network.model if network else type(model).__name__


def pooled(division: Division, parts: list[Tensor]) -> Tensor:
    """Return the rows of all folds in the order of the labelled nodes.

    Args:
        division: The division of the labelled nodes.
        parts: A tensor per fold, with a row per node of the fold in ascending order.

    Returns:
        A row per labelled node.
    """
    rows = torch.empty(len(division.nodes), parts[0].size(1))
    for number, part in enumerate(parts):
        rows[division.number == number] = part.to(rows)
    return rows
