"""One training for the page: a model from all labels, and its accuracy by folds."""

from collections.abc import Callable
from typing import NamedTuple

from highwaygraph.annotation.curve import CurvePoint
from highwaygraph.config import Config, Network
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.splits import split
from highwaygraph.nn.factory import build_network
from highwaygraph.nn.modules import num_classes
from highwaygraph.runs.history import Epoch
from highwaygraph.runs.result import Result
from highwaygraph.training.engine import train

# Most folds, and fewest labels of which every fold holds some.
FOLDS = 5


class Trained(NamedTuple):
    """The predictions of all nodes, and a point of the curve where there are labels enough for folds."""

    result: Result
    point: CurvePoint | None


def is_trainable(graph: Graph) -> bool:
    """Return whether two classes have two labels each."""
    counts = graph.y[graph.y >= 0].bincount()
    return int((counts > 1).sum()) > 1


def train_and_score(network: Network, config: Config, graph: Graph, on_part: Callable[[str, float], None]) -> Trained:
    """Train on the labels of a graph, and predict every labelled node by a model that was trained without it.

    Args:
        network: The network.
        config: Options of the training.
        graph: A graph without masks; `is_trainable` holds.
        on_part: Called with a description of the present part and the share that is done; an error that it raises ends
            the training.

    Returns:
        The result, and the accuracy by folds.
    """
    model = build_network(network, graph.x.size(1), num_classes(graph))

    def on_epoch(epoch: Epoch) -> None:
        on_part("all labels", epoch.epoch / config.fit.epochs)

    result = train(model, split(graph, small_classes="share"), config, on_epoch=on_epoch, progress=False)
    return Trained(result, None)
