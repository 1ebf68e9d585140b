"""Calibrated probabilities of a run: temperature scaling on held-out predictions, by hops where that is better."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from highwaygraph.graph.bfs import UNREACHABLE
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import hops_from
from highwaygraph.nn.calibration import fit_temperature
from highwaygraph.runs.folds import OutOfFold
from highwaygraph.runs.other_graphs import fitted

if TYPE_CHECKING:
    from highwaygraph.runs.result import Result

# Groups of distance: one hop to the nearest label, two, and more or no path.
GROUPS = 3


# Parts of the held-out nodes by which one temperature is compared with one per group, and the fewest nodes per group.
PARTS, LEAST_NODES = 5, 30


# Nodes of unknown class that are added to the held-out ones; a few correct predictions are no certainty.
SMOOTHING = 1.0


class HeldOutPredictions(NamedTuple):
    """Predictions of labelled nodes that were not trained on."""

    logits: Float[Tensor, "k c"]
    labels: Int[Tensor, "k"]
    group: Int[Tensor, "k"]
    """Group of the node's hops to the nearest label that was trained on."""


@dataclass(frozen=True)
class Calibration:
    """Temperatures that logits are divided by.

    Example:
        >>> Calibration((2.0, 2.0, 2.0)).probs(torch.tensor([[2.0, 0.0]]), torch.tensor([1])).round(decimals=2)
        tensor([[0.7300, 0.2700]])
    """

    temperatures: tuple[float, ...]
    """Temperature of every group of distance; equal ones where distance makes no difference."""

    @property
    def is_by_distance(self) -> bool:
        """Whether the groups have different temperatures."""
        return len(set(self.temperatures)) > 1

    def probs(self, logits: Float[Tensor, "n c"], group: Int[Tensor, "n"]) -> Float[Tensor, "n c"]:
        """Return calibrated probabilities.

        Args:
            logits: The logits of nodes.
            group: The group of distance of each.

        Returns:
            Probabilities of the same shape.
        """
        return (logits / torch.tensor(self.temperatures, dtype=logits.dtype)[group][:, None]).softmax(dim=1)


def distance_groups(data: Graph, train: Bool[Tensor, "n"]) -> Int[Tensor, "n"]:
    """Return the group of every node by its hops to the nearest training node, from 0.

    Args:
        data: The graph.
        train: The training nodes.

    Returns:
        0 for up to one hop, 1 for two, 2 for more and for nodes without a path.
    """
    hops = hops_from(data, train.nonzero().flatten())
    return torch.where(hops == UNREACHABLE, GROUPS - 1, (hops - 1).clamp(0, GROUPS - 1))


def held_out_predictions(result: "Result") -> HeldOutPredictions:
    """Return the predictions that a run is calibrated on: out-of-fold, or of validation nodes.

    Args:
        result: A finished run.

    Returns:
        The predictions.
    """
    data, folds = result.data, result.folds
    if folds is not None:
        return HeldOutPredictions(_rescaled(result.logits, folds), folds.labels, _fold_groups(data, folds))
    val = data.val_mask
    return HeldOutPredictions(result.logits[val], data.y[val], distance_groups(data, data.train_mask)[val])


def fit_calibration(found: HeldOutPredictions) -> Calibration:
    """Return the temperatures that fit held-out predictions best.

    A temperature per group of distance is used where it predicts other held-out nodes better than one for all.

    Args:
        found: Predictions of nodes that were not trained on.

    Returns:
        The calibration; the temperature is 1 where there are no such nodes.

    Example:
        >>> certain, labels = torch.tensor([[9.0, 0.0]]).expand(30, -1), torch.tensor([0, 0, 1]).repeat(10)
        >>> fit_calibration(HeldOutPredictions(certain, labels, torch.zeros(30).long())).temperatures[0] > 9
        True
    """
    if not len(found.labels):
        return Calibration((1.0,) * GROUPS)
    one, several = _one(found), _several(found)
    if several == one:
        return one
    part = torch.arange(len(found.labels)) % PARTS
    gain = torch.zeros(())
    for number in range(PARTS):
        rest, held = _rows(found, part != number), _rows(found, part == number)
        gain += _log_likelihood(_several(rest), held) - _log_likelihood(_one(rest), held)
    return several if float(gain) > 0 else one


def run_calibration(result: "Result") -> Calibration:
    """Return the calibration of a run, fitted on its held-out predictions."""
    return fitted(result, ("calibration",), lambda: fit_calibration(held_out_predictions(result)))


def calibrated_probs(result: "Result", data: Graph | None = None) -> Float[Tensor, "n c"]:
    """Return the calibrated class probabilities of every node.

    Args:
        result: A finished run.
        data: Another graph; the training graph if None.

    Returns:
        Probabilities; nodes of another graph are far from every label.
    """
    calibration = run_calibration(result)
    logits = result.predict_logits(data)
    graph = result.data if data is None else data
    if data is None or (data.num_attached and data.has_split):
        group = distance_groups(graph, graph.train_mask)
    else:
        group = torch.full((len(logits),), GROUPS - 1)
    return calibration.probs(logits, group)


def _rescaled(logits: Tensor, folds: OutOfFold) -> Tensor:
    """Return the out-of-fold logits on the scale of the model of all labels, which has other epochs and weights.

    The scale is the mean deviation of a node's logits, of the nodes without a label: those of its own training nodes
    are larger.
    """
    unlabelled = torch.ones(len(logits), dtype=torch.bool)
    unlabelled[folds.nodes] = False
    scale = _scale(logits[unlabelled] if bool(unlabelled.any()) else logits)
    rescaled = folds.logits.clone()
    for number in range(len(folds.folds)):
        rows = folds.fold == number
        rescaled[rows] *= scale / _scale(folds.logits[rows]).clamp(min=1e-6)
    return rescaled


def _scale(logits: Tensor) -> Tensor:
    return logits.std(dim=1, correction=0).mean()


def _fold_groups(data: Graph, folds: OutOfFold) -> Tensor:
    """Return the group of every labelled node by its hops to the labels of the other folds."""
    group = torch.empty_like(folds.fold)
    for number in range(len(folds.folds)):
        held_out = folds.fold == number
        train = torch.zeros(data.num_nodes, dtype=torch.bool)
        train[folds.nodes[~held_out]] = True
        group[held_out] = distance_groups(data, train)[folds.nodes[held_out]]
    return group


def _one(found: HeldOutPredictions) -> Calibration:
    return Calibration((fit_temperature(found.logits.double(), found.labels, SMOOTHING),) * GROUPS)


def _several(found: HeldOutPredictions) -> Calibration:
    """Return a temperature per group; a group of few nodes has that of all."""
    overall = _one(found).temperatures[0]
    parts = [_rows(found, found.group == number) for number in range(GROUPS)]
    return Calibration(
        tuple(
            fit_temperature(one.logits.double(), one.labels, SMOOTHING) if len(one.labels) >= LEAST_NODES else overall
            for one in parts
        )
    )


def _rows(found: HeldOutPredictions, rows: Tensor) -> HeldOutPredictions:
    return HeldOutPredictions(*(column[rows] for column in found))


def _log_likelihood(calibration: Calibration, found: HeldOutPredictions) -> Tensor:
    probs = calibration.probs(found.logits.double(), found.group).clamp(min=1e-12)
    return probs.log().gather(1, found.labels[:, None]).sum()
