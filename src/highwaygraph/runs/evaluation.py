"""The predictions that a run's scores are computed on: of test nodes, or out-of-fold where there are none."""

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from jaxtyping import Int
from torch import Tensor

from highwaygraph.graph.folds import with_masks
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import hops_from, hops_to_own_class
from highwaygraph.runs.folds import OutOfFold

if TYPE_CHECKING:
    from highwaygraph.runs.result import Result

Source = Literal["test", "validation", "out-of-fold"]

EVALUATED: dict[Source, str] = {"test": "test nodes", "validation": "test nodes", "out-of-fold": "held-out nodes"}
"""Name of the evaluated nodes in tables, by their source."""


def shown_hops(name: str) -> str:
    """Return the name of a distance in tables and charts.

    Args:
        name: The `hops` of a row of accuracies by distance.

    Example:
        >>> shown_hops("5+"), shown_hops("unreachable")
        ('5+', 'no path')
    """
    return "no path" if name == "unreachable" else name


class Evaluation(NamedTuple):
    """A result whose test nodes are those that its scores are computed on."""

    result: "Result"
    hops: Int[Tensor, "n"]
    """Hops of every node to the nearest label of its class that its prediction used."""
    source: Source
    """Part of the graph that is evaluated."""


def evaluation(result: "Result") -> Evaluation:
    """Return the result as it is scored.

    Without test nodes, a model that was trained on all labels is scored by the out-of-fold predictions of its training
    nodes: they become the test nodes, with these predictions.

    Args:
        result: A finished run.

    Returns:
        The result to be scored; only without test nodes and with folds it is another one.
    """
    data, folds = result.data, result.folds
    if folds is None or bool(data.test_mask.any()):
        source: Source = "test" if bool(data.test_mask.any()) else "validation"
        return Evaluation(result, hops_to_own_class(data), source)
    scored = copy.copy(data)
    scored.test_mask = data.train_mask
    share = float((folds.predict() == folds.labels).double().mean())
    baseline, rounds, candidates = result.baseline, result.rounds, result.candidates
    if baseline is not None and folds.typical is not None:
        test = float((folds.typical.argmax(dim=1) == folds.labels).double().mean())
        logits = _replaced(baseline.logits, folds, folds.typical)
        baseline = replace(baseline, logits=logits, round=replace(baseline.round, test=test))
    changed = replace(
        result,
        data=scored,
        logits=_replaced(result.logits, folds, folds.logits),
        baseline=baseline,
        rounds=rounds if candidates else (*rounds[:-1], replace(rounds[-1], test=share)),
        candidates=tuple(replace(one, test=share if one.name == result.answer else one.val) for one in candidates),
    )
    return Evaluation(changed, fold_hops(data, folds), "out-of-fold")


def fold_hops(
    data: Graph, folds: OutOfFold, measure: Callable[[Graph], Int[Tensor, "n"]] = hops_to_own_class
) -> Int[Tensor, "n"]:
    """Return the hops of every node to the nearest label; for a labelled node, of the other folds.

    Args:
        data: The graph.
        folds: The folds of its labelled nodes.
        measure: Returns the hops to the nearest training node of a graph: of the node's class, or of any.

    Returns:
        A distance per node.
    """
    hops = measure(data)
    none = folds.nodes[:0]
    for number in range(len(folds.folds)):
        held_out = folds.fold == number
        rest = with_masks(data, folds.nodes[~held_out], none, none)
        hops[folds.nodes[held_out]] = measure(rest)[folds.nodes[held_out]]
    return hops


def label_hops(data: Graph) -> Int[Tensor, "n"]:
    """Return the hops of every node to the nearest training node of any class."""
    return hops_from(data, data.train_mask.nonzero().flatten())


def _replaced(logits: Tensor, folds: OutOfFold, held_out: Tensor) -> Tensor:
    return logits.index_copy(0, folds.nodes, held_out.to(logits.dtype))
