"""One training for the page: a model from all labels, and its accuracy by folds."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from torch import Tensor

from highwaygraph.annotation.curve import CurvePoint
from highwaygraph.config import Config, Network
from highwaygraph.graph.folds import possible_folds
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.splits import split
from highwaygraph.nn.factory import network_for
from highwaygraph.runs.result import Result
from highwaygraph.training.engine import train
from highwaygraph.training.folds.cross_validate import CrossValidation, cross_validate

# Most folds of a training.
FOLDS = 5

OnPart = Callable[[str, float], None]


class Trained(NamedTuple):
    """The predictions of all nodes, and a point of the curve where there are labels enough for folds."""

    result: Result
    point: CurvePoint | None


def is_trainable(graph: Graph) -> bool:
    """Return whether two classes have two labels each."""
    return int((_counts(graph) > 1).sum()) > 1


def train_and_score(network: Network, config: Config, graph: Graph, on_part: OnPart) -> Trained:
    """Train on the labels of a graph, and predict every labelled node by a model that was trained without it.

    Args:
        network: The network.
        config: Options of the training.
        graph: A graph without masks; `is_trainable` holds.
        on_part: Called with a description of the present part and the share that is done; an error that it raises ends
            the training.

    Returns:
        The result of a training on all labels, and the accuracy by folds. With too few labels for folds, some of them
        validate, and there is no accuracy.
    """
    folds = possible_folds(graph, FOLDS)
    if not folds:
        on_part("some labels", 0.0)
        model = network_for(network, graph)
        return Trained(train(model, split(graph, small_classes="share"), config, progress=False), None)

    def begin(done: int) -> None:
        on_part(f"fold {min(done + 1, folds)} of {folds}", done / (folds + 1))

    begin(0)
    found = cross_validate(
        network,
        graph,
        config,
        folds=folds,
        seed=config.seed,
        # Processes would take all cores from the page, and start more slowly than a small training takes.
        workers=1,
        small_classes="share",
        baseline=False,
        progress=False,
        on_fold=lambda fold: begin(fold.number),
    )
    on_part("all labels", folds / (folds + 1))
    return Trained(found.refit(progress=False), _point(found))


def _counts(graph: Graph) -> Tensor:
    return graph.y[graph.y >= 0].bincount()


def _point(found: CrossValidation) -> CurvePoint:
    low, high = found.interval
    return CurvePoint(
        labels=len(found.nodes),
        classes=len(found.labels.unique()),
        accuracy=round(found.accuracy, 4),
        low=round(low, 4),
        high=round(high, 4),
        folds=len(found.folds),
        time=datetime.now(UTC).isoformat(timespec="seconds"),
    )
