"""The charts of a run's training: the validation score that decides by round and by epoch, and the training loss."""

import math
from itertools import groupby
from typing import NamedTuple

from highwaygraph.report.charts import Colour, Point, PointChart, Series, proportion
from highwaygraph.report.run_data import RunData
from highwaygraph.runs.history import Epoch, Round

ROUND_COLOURS: tuple[Colour, ...] = ("blue", "green", "purple", "ink", "muted")


class Score(NamedTuple):
    """A validation score by which epochs and rounds are compared."""

    name: str
    epoch: str
    """Attribute of an epoch."""
    factor: float
    """Factor from the attribute to the axis: per cent, except for the loss."""
    unit: str


SCORES = {
    "loss": Score("validation loss", "val_loss", 1.0, ""),
    "accuracy": Score("validation accuracy", "val", 100.0, " (%)"),
    "f1": Score("macro F1 on validation", "val_f1", 100.0, " (%)"),
    "balanced_accuracy": Score("balanced accuracy on validation", "val_balanced_accuracy", 100.0, " (%)"),
}
"""The deciding score of each fit.monitor."""


def deciding_score(run: RunData) -> Score:
    """Return the score that selected epoch and round; the accuracy in runs of version 0.1, which have no other."""
    known = not any(math.isnan(one.score) for one in run.result.rounds)
    return SCORES[run.result.config.fit.monitor if known else "accuracy"]


def validation_by_round(run: RunData) -> PointChart:
    """Return the deciding score by round: an accuracy with its interval, any other score on an axis from 0."""
    result, score = run.result, deciding_score(run)
    nodes = int(result.data.val_mask.sum())
    points = tuple(_round(place, one, score, nodes) for place, one in enumerate(result.rounds))
    names = [(str(i), "selected" if i == result.best_round else "") for i in range(1, len(points) + 1)]
    title, label = f"{_first_upper(score.name)} by round", score.name + score.unit
    # Without an interval, an axis cut at the values would show any difference as a large one.
    values = (0.0, score.factor if score.unit else 0.0, *(point.y for point in points))
    ends = None if score.epoch == "val" else (min(values), max(values) or 1.0)
    return PointChart("rounds", title, "round", label, (Series(score.name, points),), tuple(names), ends)


def validation_by_epoch(run: RunData) -> PointChart:
    """Return the deciding score by epoch, one line per round."""
    score = deciding_score(run)
    label = score.name + score.unit
    return _curves(run, score, PointChart("curve-validation", f"{_first_upper(label)} by epoch", "epoch", label, ()))


def training_loss(run: RunData) -> PointChart:
    """Return the training loss by epoch, one line per round."""
    chart = PointChart("curve-loss", "Training loss by epoch", "epoch", "training loss", ())
    return _curves(run, Score("training loss", "loss", 1.0, ""), chart)


def _round(place: int, one: Round, score: Score, nodes: int) -> Point:
    name = f"round {place + 1}"
    if score.epoch == "val":
        return proportion(place, one.val, nodes, name)
    # The score of a loss has a minus sign, because the highest one is selected.
    value = -one.score if score.epoch == "val_loss" else score.factor * one.score
    return Point(place, value, f"{name}: {value:.3f}" if score.epoch == "val_loss" else f"{name}: {value:.1f} %")


def _curves(run: RunData, score: Score, chart: PointChart) -> PointChart:
    series = [_curve(f"round {number}", list(own), score, ROUND_COLOURS[(number - 1) % len(ROUND_COLOURS)])
              for number, own in groupby(run.ours.history, lambda e: e.round)]  # fmt: skip
    if run.typical:
        series.insert(0, _curve("typical training", list(run.typical.history), score, "orange"))
    return PointChart(chart.name, chart.title, chart.x_label, chart.y_label, tuple(series))


def _curve(name: str, epochs: list[Epoch], score: Score, colour: Colour) -> Series:
    points = tuple(Point(e.epoch, score.factor * getattr(e, score.epoch)) for e in epochs)
    return Series(name, points, colour, joined=True, dashed=colour == "orange")


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]
