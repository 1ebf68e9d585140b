"""Precision of a run's highways by confidence and by round, and the nodes that the answer rescued or lost."""

from itertools import pairwise
from typing import Any, NamedTuple

import torch
from torch import Tensor

from highwaygraph.graph.bfs import UNREACHABLE
from highwaygraph.report.run_data import RunData
from highwaygraph.runs.result import Result

# Ends of the bins of confidence, in per cent.
BINS = (0, 50, 60, 70, 80, 90, 100)


# Rescued and lost nodes listed on a page.
MOST_CHANGED = 300


CHANGED_HEADS = ("Node", "Outcome", "True class", "Typical training", "Answer", "Confidence %", "Hops to its class",
                 "Hops to any label", "Highways")  # fmt: skip


class HighwayBin(NamedTuple):
    """Highways of similar confidence, or of one round."""

    name: str
    precision: float
    """Fraction of them whose ends have the same true class."""
    known: int
    """Highways to nodes whose label is known and was not used for training: the denominator of the precision."""


def by_confidence(result: Result) -> list[HighwayBin]:
    """Return the precision of highways in ranges of confidence, without empty ranges."""
    percent = 100 * result.highway_confidence
    last = len(BINS) - 2
    groups = [
        (f"{low} to {high}" if low else f"below {high}", (percent >= low) & ((percent < high) | (place == last)))
        for place, (low, high) in enumerate(pairwise(BINS))
    ]
    return _bins(result, groups)


def by_round(result: Result) -> list[HighwayBin]:
    """Return the precision of the highways that each round added."""
    return _bins(result, [(str(one), result.highway_round == one) for one in result.highway_round.unique().tolist()])


def evaluated_highways(result: Result) -> tuple[Tensor, Tensor]:
    """Return which highways have a precision, and which of all highways join nodes of one true class."""
    data, edges = result.data, result.highways
    true = data.y[edges]
    known = (true >= 0).all(dim=0) & ~data.train_mask[edges[1]]
    return known, known & (true[0] == true[1])


class ChangedNodes(NamedTuple):
    """The evaluated nodes that only one training classifies correctly, the most remote ones first."""

    rescued: list[int]
    lost: list[int]


def changed_nodes(run: RunData) -> ChangedNodes:
    """Return the nodes that the answer rescued and lost.

    Args:
        run: The run.

    Returns:
        At most MOST_CHANGED nodes, rescued ones before lost ones, and of each at least half as many where there are
        more; none without typical training.
    """
    if run.typical is None:
        return ChangedNodes([], [])
    data, ours = run.result.data, run.ours
    right, before = ours.predicted == data.y, run.typical.predicted == data.y
    # Nodes without a path are the most remote ones.
    distance = torch.where(ours.hop_distance == UNREACHABLE, data.num_nodes, ours.hop_distance)
    order = distance.argsort(descending=True, stable=True)
    rescued, lost = (
        order[(ours.evaluated & one & ~other)[order]].tolist() for one, other in ((right, before), (before, right))
    )
    half = MOST_CHANGED // 2
    listed = max(MOST_CHANGED - len(rescued), half), max(MOST_CHANGED - len(lost), half)
    return ChangedNodes(rescued[: listed[1]], lost[: listed[0]])


def changed_rows(run: RunData, nodes: ChangedNodes) -> list[list[Any]]:
    """Return the rows of these nodes for CHANGED_HEADS."""
    if run.typical is None:
        return []
    data, ours, typical = run.result.data, run.ours, run.typical
    count = torch.bincount(run.result.highways.flatten(), minlength=data.num_nodes)
    ids = data.ids or range(data.num_nodes)
    return [
        [
            ids[i],
            outcome,
            *(run.classes[int(part[i])] for part in (data.y, typical.predicted, ours.predicted)),
            round(100 * float(run.confidence[i])),
            _hops(int(ours.hop_distance[i])),
            _hops(int(run.label_hops[i])),
            int(count[i]),
        ]
        for outcome, listed in nodes._asdict().items()
        for i in listed
    ]


def _bins(result: Result, groups: list[tuple[str, Tensor]]) -> list[HighwayBin]:
    known, correct = evaluated_highways(result)
    counted = [(name, int((known & part).sum()), int((correct & part).sum())) for name, part in groups]
    return [HighwayBin(name, hit / count, count) for name, count, hit in counted if count]


def _hops(hops: int) -> str | int:
    return "no path" if hops == UNREACHABLE else hops
