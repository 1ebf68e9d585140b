"""Predictions of a run's answer for another graph, or for new nodes attached to its own."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from torch import Tensor

from highwaygraph.data.load import load
from highwaygraph.errors import DataError, HighwayWarning
from highwaygraph.graph.augment import augment
from highwaygraph.graph.edge_values import refuse_other_values, with_highway_values
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.hetero import like_other_types
from highwaygraph.graph.queries import is_weighted, with_csr, with_edge_index, without_weights
from highwaygraph.graph.validate import validate
from highwaygraph.nn.baselines.fit import BASELINES, LABEL_BASELINES, Baseline, fit_baselines
from highwaygraph.nn.batches import own_inputs, predict_logits
from highwaygraph.nn.features import prepare_features, scale_other_types
from highwaygraph.nn.forward_inputs import forward_inputs
from highwaygraph.nn.functional import shift_logits, weighted_sum
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.highway_relation import with_highway_relation
from highwaygraph.nn.votes.voter import Voter
from highwaygraph.runs.history import COMBINATION, ROUND, VOTES
from highwaygraph.runs.predictions import without_labels
from highwaygraph.runtime.environment import find_device

if TYPE_CHECKING:
    from highwaygraph.runs.result import Result

T = TypeVar("T")


# Baselines and voters of results that predict again and again.
_KEPT: "WeakKeyDictionary[Result, dict[tuple[str, ...], Any]]" = WeakKeyDictionary()


def keep_fitted(result: "Result") -> None:
    """Keep the baselines and voters of a result in memory after its next prediction, as a service needs them again.

    Args:
        result: A finished run; they are kept as long as it is.
    """
    _KEPT.setdefault(result, {})


def fitted(result: "Result", key: tuple[str, ...], fit: Callable[[], T]) -> T:
    """Return the part of a result that is kept under this key, or fit it; see `keep_fitted`."""
    kept = _KEPT.get(result)
    if kept is None:
        return fit()
    if key not in kept:
        kept[key] = fit()
    found: T = kept[key]
    return found


def load_like(result: "Result", source: Any, edges: Any = None, *, attach: bool = False, **columns: Any) -> Graph:
    """Return another graph, read by the schema of a run.

    Args:
        result: The run.
        source: The other graph, or its table of nodes, as for `load`.
        edges: Table of edges, where it is not beside the table of nodes.
        attach: Treat the graph as new nodes of the run's graph; its edges may refer to existing node ids.
        columns: Columns of tables by role, as for `load`.

    Returns:
        The other graph, or the run's graph with the new nodes; without weights where the run's graph has none.
    """
    schema = result.schema(attach=attach) if attach or result.data.encoders is not None else None
    data = load(source, edges, labels=False, schema=schema, **columns)
    if attach and data.num_attached is None:
        raise DataError(f"New nodes are read from two tables, of nodes and of edges: {source} is not one of these.")
    return data if is_weighted(result.data) else without_weights(data)


def other_logits(result: "Result", graph: Graph) -> Tensor:
    """Return the logits of every node of another graph.

    Args:
        result: A finished run.
        graph: A graph with the same features; new nodes of the run's own graph come last.

    Returns:
        The logits of the run's answer; simple baselines are fitted again on the training graph, in about a second,
        and its nodes vote again.
    """
    if graph.num_attached and result.config.highway.predict == "highways":
        # New nodes come last: the highways lead to the same node numbers as before.
        graph = with_highway_values(graph, like=result.data)
        graph = augment(graph, result.highway_table.edges, result.config.highway.control)
    other, width = validate(without_labels(graph)), result.data.x.size(1)
    if other.x.size(1) != width:
        raise DataError(f"The model was trained on {width} features, but this graph has {other.x.size(1)}.")
    other.scaling = result.data.scaling
    if result.data.hetero is not None or other.hetero is not None:
        other = like_other_types(other, result.data)
    return shift_logits(_answer_logits(result, other), result.threshold_shift)


def _answer_logits(result: "Result", other: Graph) -> Tensor:
    if result.answer == COMBINATION:
        weights = {one.name: one.weight / one.temperature for one in result.candidates if one.weight}
        logits = baseline_logits(result, other, [name for name in weights if name in BASELINES])
        votes = {name: _vote_logits(result, other, name) for name in weights if name in VOTES.values()}
        return weighted_sum({ROUND: _model_logits(result, other), **logits, **votes}, weights)
    if result.answer in VOTES.values():
        return _vote_logits(result, other, result.answer)
    if result.answer in (*BASELINES, *LABEL_BASELINES) and _can_predict(result.answer, other):
        return baseline_logits(result, other, [result.answer])[result.answer]
    return _model_logits(result, other)


def _model_logits(result: "Result", other: Graph) -> Tensor:
    if result.data.hetero is None and not isinstance(result.model, GNN):
        # Built-in networks use neither types nor features of edges.
        refuse_other_values(other, result.data, forward_inputs(result.model).optional)
    model = result.model.to(find_device(result.config.fit.device))
    other = with_csr(other) if result.config.fit.labels_per_batch else with_edge_index(other)
    features, other = own_inputs(model, prepare_features(model, other, result.config.fit), other)
    other = scale_other_types(other, result.config.fit)
    other = with_highway_relation(model, features, other, needed=False)
    return predict_logits(model, features, other).cpu()


def baseline_logits(result: "Result", other: Graph, names: list[str]) -> dict[str, Tensor]:
    """Return the logits of simple baselines, fitted again on the training graph.

    Args:
        result: A finished run.
        other: The graph to predict.
        names: Names of the baselines.

    Returns:
        The logits by name.
    """
    if not names:
        return {}

    train, found = _baselines(result, names)
    # Label propagation predicts the graph that it was fitted on, or that graph with new nodes.
    scaled = train if other is result.data else result.scaled(with_edge_index(other))
    return {one.name: one.predict(scaled) for one in found}


def _baselines(result: "Result", names: list[str]) -> tuple[Graph, list[Baseline]]:
    """Return the scaled training graph and fitted baselines; kept ones are not fitted again."""
    train = fitted(result, ("scaled",), lambda: result.scaled(result.data))
    folds, classes = result.folds.fold if result.folds else None, result.logits.size(1)

    def fit(name: str) -> list[Baseline]:
        return list(fit_baselines(train, classes, only=[name], folds=folds))

    return train, [one for name in names for one in fitted(result, ("baseline", name), partial(fit, name))]


def _vote_logits(result: "Result", other: Graph, name: str) -> Tensor:
    """Return the votes of the training graph's nodes, with their predictions by the selected round."""
    config, view = result.config, next(view for view in VOTES if VOTES[view] == name)
    if view == "structure" or config.votes.control != "none":
        raise DataError("Votes of structure and control experiments do not predict other graphs: train without them.")

    def prepare() -> tuple[Voter, Tensor]:
        voter = Voter(view, result.data, config.votes, config.fit, config.seed)
        return voter, _model_logits(result, result.data)

    voter, logits = fitted(result, ("voter", view), prepare)
    return voter.other_logits(logits, other)


def _can_predict(answer: str, other: Graph) -> bool:
    """Return whether the baseline that is the answer can predict a graph; warn if the model has to instead."""
    if answer != "label propagation" or other.num_attached:
        return True
    message = "Label propagation needs labels, which another graph has not: the model of the best round predicts it."
    warnings.warn(message, HighwayWarning, stacklevel=6)
    return False
