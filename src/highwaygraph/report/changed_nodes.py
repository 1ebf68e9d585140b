"""The nodes whose predicted class differs between two runs on one graph, as records and as a table for files."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from jaxtyping import Float, Int
from torch import Tensor

from highwaygraph.graph.bfs import UNREACHABLE
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import hops_from
from highwaygraph.graph.validate import MASKS
from highwaygraph.runs import predictions
from highwaygraph.runs.calibrated import calibrated_probs
from highwaygraph.runs.result import Result

Effect = Literal["became right", "became wrong", "both wrong", ""]
"""The change beside the class in the data; empty where this class is unknown."""


@dataclass(frozen=True)
class ChangedNode:
    """A node whose predicted class in a run is another one than in the first run.

    Classes, confidences, hops, labels and parts are those of `highway predict`.
    """

    id: int | str
    run: str
    """Name of the run that is compared with the first one."""
    predicted: str
    """Class that this run predicts."""
    confidence: float
    """Calibrated probability of this class."""
    label: str | None
    """The class in the data, None where it is unknown."""
    part: str
    """Part of this run's split: train, val, test or none."""
    hops: int | None
    """Hops to the nearest training node of this run; None without a path."""
    first_class: str
    """Class that the first run predicts."""
    first_confidence: float
    first_hops: int | None
    effect: Effect

    def as_dict(self) -> dict[str, Any]:
        """Return the columns of the node by their names in files, where `class` is that of `highway predict`."""
        return {"class" if name == "predicted" else name: value for name, value in asdict(self).items()}


class _Side(NamedTuple):
    """The predictions of one of the two runs."""

    predicted: Int[Tensor, "n"]
    confidence: Float[Tensor, "n"]
    hops: Int[Tensor, "n"]
    classes: list[str]

    def at(self, node: int) -> tuple[str, float, int | None]:
        """Return class, confidence and hops of a node."""
        hops = int(self.hops[node])
        confidence = round(float(self.confidence[node]), predictions.DIGITS)
        return self.classes[int(self.predicted[node])], confidence, None if hops == UNREACHABLE else hops


def changed_nodes(name: str, first: Result, other: Result) -> tuple[ChangedNode, ...]:
    """Return the nodes whose predicted class differs.

    Args:
        name: Name of the other run.
        first: The first run.
        other: Another run on the same graph.

    Returns:
        The nodes with a known class first; of these, test nodes before others, and within these by decreasing
        confidence of the other run.
    """
    before, after, data = _side(first), _side(other), other.data
    nodes = (before.predicted != after.predicted).nonzero().flatten().tolist()
    known, test, confidence = (data.y >= 0), data.test_mask, after.confidence
    nodes.sort(key=lambda node: (not bool(known[node]), not bool(test[node]), -float(confidence[node])))
    return tuple(_changed(name, data, before, after, node) for node in nodes)


def to_columns(nodes: Iterable[ChangedNode]) -> predictions.Columns:
    """Return the nodes as the columns of a file.

    Args:
        nodes: The nodes.

    Returns:
        The columns of `highway predict`, those of the first run with `first_` before their names, and the effect.
    """
    names = ["class" if name == "predicted" else name for name in ChangedNode.__dataclass_fields__]
    rows = [one.as_dict() for one in nodes]
    return {name: [row[name] for row in rows] for name in names}


def write(nodes: Iterable[ChangedNode], path: Path) -> None:
    """Write the nodes as CSV or Parquet; an earlier output is replaced, any other file is not.

    Args:
        nodes: The nodes.
        path: The file.
    """
    predictions.write(to_columns(nodes), path)


def _side(result: Result) -> _Side:
    probs, data = calibrated_probs(result), result.data
    hops = hops_from(data, data.train_mask.nonzero().flatten())
    return _Side(result.predict(), probs.max(dim=1).values, hops, predictions.class_names(data, probs.size(1)))


def _changed(name: str, data: Graph, before: _Side, after: _Side, node: int) -> ChangedNode:
    predicted, confidence, hops = after.at(node)
    first_class, first_confidence, first_hops = before.at(node)
    label = int(data.y[node])
    return ChangedNode(
        id=node if data.ids is None else data.ids[node],
        run=name,
        predicted=predicted,
        confidence=confidence,
        label=after.classes[label] if label >= 0 else None,
        part=next((mask.removesuffix("_mask") for mask in MASKS if bool(data[mask][node])), "none"),
        hops=hops,
        first_class=first_class,
        first_confidence=first_confidence,
        first_hops=first_hops,
        effect=_effect(label, int(before.predicted[node]), int(after.predicted[node])),
    )


def _effect(label: int, before: int, after: int) -> Effect:
    if label < 0:
        return ""
    return "became right" if after == label else "became wrong" if before == label else "both wrong"
