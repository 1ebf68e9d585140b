"""`suggest`: the nodes to label next, with the reason for each."""

import copy
from collections.abc import Collection, Iterator
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Int
from torch import Tensor
from torch_geometric.data import Data

from highwaygraph.data.tables.read_log import counted
from highwaygraph.errors import ConfigError, DataError, did_you_mean, shortened
from highwaygraph.graph.bfs import UNREACHABLE
from highwaygraph.graph.graph import Graph, as_graph
from highwaygraph.graph.hetero import refuse_several_types
from highwaygraph.graph.multilabel import refuse_several_labels
from highwaygraph.graph.queries import hops_from
from highwaygraph.graph.validate import validate
from highwaygraph.labelling.reasons import Facts, newly_covered, reason
from highwaygraph.labelling.strategies import STRATEGIES
from highwaygraph.labelling.table import Suggestion, SuggestionTable
from highwaygraph.labelling.task import Choice, Task
from highwaygraph.runs.calibrated import calibrated_probs
from highwaygraph.runs.predictions import class_names
from highwaygraph.runs.result import Result, check_result

Labels = Literal["all", "train", "none"]


def suggest(
    data: Data,
    n: int = 20,
    result: Result | None = None,
    strategy: str = "auto",
    *,
    labels: Labels = "all",
    seed: int = 0,
    skip: Collection[int | str] = (),
) -> SuggestionTable:
    """Return the nodes to label next, with the reason for each.

    Args:
        data: A graph; label -1 means unlabelled, and no label at all is a cold start.
        n: Number of nodes.
        result: A training on these nodes, whose predictions show where labels are missing.
        strategy: auto, or random, degree, pagerank, entropy, density, medoids (FeatProp), age, coverage (Grain).
        labels: Labels that count as known: all of them; those of training nodes, for a trial on a graph whose labels
            are all known; or none.
        seed: Seed of the random generators.
        skip: Ids of nodes that are not to be suggested, such as those that an annotator could not label.

    Returns:
        The suggestions, best first; no labelled node is among them.

    Example:
        >>> import highwaygraph as hg
        >>> found = hg.suggest(hg.load("cora"), n=5, labels="none")
        >>> len(found), found[0].hops
        (5, None)
    """
    if strategy not in STRATEGIES:
        raise ConfigError(f"There is no strategy {strategy!r}.{did_you_mean(strategy, STRATEGIES)}")
    graph = _graph(data)
    refuse_several_labels(graph, "A suggestion of nodes to label", "choose them yourself, or by one of the labels")
    labelled, allowed = _known(graph, labels)
    allowed[_positions(graph, skip)] = False
    _check_count(n, int(allowed.sum()), graph)
    task = Task(graph, labelled, allowed, *_probs(graph, result), seed)
    return SuggestionTable(strategy, tuple(_rows(task, STRATEGIES[strategy](task, n), result)))


def _graph(data: Data) -> Graph:
    """Return the validated graph; one without y has no labels, which is no fault here."""
    if isinstance(data, Data) and getattr(data, "y", None) is None and isinstance(getattr(data, "x", None), Tensor):
        data = copy.copy(as_graph(data))
        data.y = torch.full((len(data.x),), -1)
    graph = validate(data)
    refuse_several_types(graph, "Suggestions are", "choose the nodes to label at random")
    return graph


def _known(graph: Graph, labels: Labels) -> tuple[Int[Tensor, "l"], Bool[Tensor, "n"]]:
    """Return the labelled nodes and the mask of nodes that may be suggested."""
    if labels not in get_args(Labels):
        raise ConfigError(f"labels is one of {', '.join(get_args(Labels))}, not {labels!r}.")
    used = graph.y >= 0
    if labels == "none":
        return torch.empty(0, dtype=torch.long), torch.ones_like(used)
    if labels == "all":
        return used.nonzero().flatten(), ~used
    if not graph.has_split or graph.train_mask.dim() != 1:
        raise DataError("The graph has no single train_mask, which labels='train' needs: draw one with hg.split(data).")
    # Labels of validation nodes are in use too, although no node is trained on them.
    held_out = graph.val_mask if "val_mask" in graph else torch.zeros_like(used)
    return graph.train_mask.nonzero().flatten(), ~(graph.train_mask | held_out)


def _positions(graph: Graph, ids: Collection[int | str]) -> Int[Tensor, "k"]:
    if not ids:
        return torch.empty(0, dtype=torch.long)
    place = {node: i for i, node in enumerate(graph.ids or range(graph.num_nodes))}
    unknown = [node for node in ids if node not in place]
    if unknown:
        raise DataError(
            f"skip names {counted(len(unknown), 'nodes')} that the graph does not have (first: "
            f"{shortened(str(unknown[0]))}). Give ids of nodes."
        )
    return torch.tensor([place[node] for node in ids])


def _check_count(n: int, free: int, graph: Graph) -> None:
    if n < 1:
        raise ConfigError(f"The number of suggestions is at least 1, not {n}.")
    if not free:
        raise DataError(
            f"All {graph.num_nodes:,} nodes are labelled or left out, so that none is left to suggest. For a trial, "
            "labels='train' (--labels train) counts the labels of training nodes only, labels='none' no label."
        )
    if n > free:
        nodes = counted(free, "nodes without a label")
        raise DataError(f"{n:,} suggestions are more than the {nodes}: lower n (-n) to {free}.")


def _probs(graph: Graph, result: Result | None) -> tuple[Tensor | None, Tensor | None]:
    """Return the probabilities of the run's selected model, and those of typical training where it was run too."""
    if result is None:
        return None, None
    check_result(result)
    if len(result.logits) != graph.num_nodes:
        raise DataError(
            f"The run predicts {len(result.logits):,} nodes, and the graph has {graph.num_nodes:,}: give the graph "
            "that the run was trained on."
        )
    baseline = result.baseline
    return result.predict_proba(), None if baseline is None else baseline.logits.softmax(dim=1)


def _rows(task: Task, choice: Choice, result: Result | None) -> Iterator[Suggestion]:
    # Shown as `highway predict` writes them; strategies were measured with probabilities as they are.
    probs = None if result is None else calibrated_probs(result)
    nodes = choice.nodes.tolist()
    hops = hops_from(task.graph, task.labelled) if len(task.labelled) else None
    covered = newly_covered(task.adjacency, hops, nodes)
    ids = task.graph.ids
    for place, node in enumerate(nodes):
        distance = None if hops is None else int(hops[node])
        facts = _with_predictions(task, node, probs, Facts(choice.reasons[place], covered[place], distance))
        yield Suggestion(
            id=node if ids is None else ids[node],
            node=node,
            score=round(float(choice.scores[place]), 6),
            reason=reason(facts),
            covered=facts.covered,
            hops=None if distance == UNREACHABLE else distance,
            predicted=facts.predicted or None,
            confidence=None if probs is None else round(facts.confidence, 6),
        )


def _with_predictions(task: Task, node: int, probs: Tensor | None, facts: Facts) -> Facts:
    if probs is None:
        return facts
    names = class_names(task.graph, probs.size(1))
    confidence, best = probs[node].max(dim=0)
    other = "" if task.other_probs is None else names[int(task.other_probs[node].argmax())]
    return facts._replace(predicted=names[int(best)], confidence=float(confidence), other=other)
