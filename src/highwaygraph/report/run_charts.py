"""The charts of a run's page, one function each."""

from statistics import median

from highwaygraph.report.answer_text import NEEDED_SCORE, evaluated_on, reference_name, rounded, score_name
from highwaygraph.report.calibration_charts import reliability_charts
from highwaygraph.report.charts import (
    Cell,
    Chart,
    Colour,
    MatrixChart,
    Point,
    PointChart,
    Row,
    RowChart,
    Series,
    proportion,
)
from highwaygraph.report.highway_scores import HighwayBin, by_confidence, by_round
from highwaygraph.report.run_data import RunData, Side
from highwaygraph.report.training_charts import training_loss, validation_by_epoch, validation_by_round
from highwaygraph.runs.history import Candidate
from highwaygraph.runs.result import Result
from highwaygraph.training.candidates import LEAST_ERRORS

# Names in larger matrices are not legible.
MOST_NAMED, LONGEST_NAME = 24, 22


# Standard errors (their median) from which on a candidate is beyond the axis, unless it is among the nearest ones.
FAR_ERRORS, NEAREST = 4, 3


def run_charts(run: RunData) -> dict[str, Chart]:
    """Return every chart of a run by name.

    Args:
        run: The run.

    Returns:
        The charts; those of typical training, candidates, highways and validation where the run has values for them.
    """
    charts: list[Chart] = [hops(run), *(confusion(run, side) for side in run.sides)]
    charts += reliability_charts(run.reliability)
    if run.result.candidates:
        charts.append(candidates(run.result))
    if run.result.highways.size(1):
        charts.append(highway_precision(run, "confidence"))
        # One round has one precision, which the text states.
        charts += [highway_precision(run, "round")] if len(run.result.highway_round.unique()) > 1 else []
    if run.gain and run.gain.corrected + run.gain.newly_wrong:
        charts.append(changed(run))
    if bool(run.result.data.val_mask.any()):
        charts += [validation_by_round(run)] if len(run.result.rounds) > 1 else []
        charts.append(validation_by_epoch(run))
    charts.append(training_loss(run))
    return {chart.name: chart for chart in charts if not (isinstance(chart, PointChart) and chart.is_empty)}


def hops(run: RunData) -> PointChart:
    """Return accuracy by hops to the nearest label of the node's class; distances are not joined."""
    shown = [i for i, row in enumerate(run.ours.hops) if row.nodes]
    names = ["no path" if run.ours.hops[i].hops == "unreachable" else run.ours.hops[i].hops for i in shown]
    series = []
    for side in run.sides:
        points = [proportion(place, side.hops[i].accuracy, side.hops[i].nodes, f"{_hop_words(names[place])}")
                  for place, i in enumerate(shown)]  # fmt: skip
        series.append(_series(run, side, tuple(points)))
    return PointChart(
        name="hops",
        title=f"{run.evaluated_on.capitalize()} accuracy by hops to the nearest label of the node's class",
        x_label="hops to the nearest label of the node's class (nodes)",
        y_label="accuracy (%)",
        series=tuple(series),
        categories=tuple((name, f"({run.ours.hops[i].nodes:,})") for name, i in zip(names, shown, strict=True)),
    )


def confusion(run: RunData, side: Side) -> MatrixChart:
    """Return the confusion matrix of one training, shaded by the share of the true class."""
    counts, classes = side.confusion, run.classes
    total = counts.sum(dim=1).clamp(min=1)
    cells = []
    for row, column in counts.nonzero().tolist():
        count, share = int(counts[row, column]), float(counts[row, column] / total[row])
        title = f"{count:,} of {int(total[row]):,} {classes[row]} nodes predicted as {classes[column]} ({share:.0%})"
        colour: Colour = "blue" if row == column else "orange"
        cells.append(Cell(row, column, share, f"{count:,}", title, colour))
    names = tuple(_short(name) if len(classes) <= MOST_NAMED else "" for name in classes)
    name = "confusion" if side is run.ours else "confusion-typical"
    return MatrixChart(name, f"Confusion matrix of {side.name}", names, names, tuple(cells), "true class", "predicted")


def candidates(result: Result) -> RowChart:
    """Return the differences of the candidates' scores, with the errors that the choice allows for."""
    rows = []
    for one in result.candidates:
        width = LEAST_ERRORS * one.error
        chosen = one.name == result.answer
        text = (
            f"{one.name}: score {rounded(one.score):.3f}, difference {rounded(one.difference):+.3f}, standard error "
            f"{one.error:.3f}"
        )
        ends = one.difference - width, one.difference + width
        colour: Colour = "blue" if chosen else "muted"
        rows.append(Row(one.name, one.difference, *ends, text, colour, "circle" if chosen else "diamond"))
    label = f"difference in {score_name(result)} to {reference_name(result)}"
    title = f"Candidates compared on {evaluated_on(result)}"
    return RowChart("candidates", title, label, tuple(rows), _deciding_range(result.candidates))


def _deciding_range(compared: tuple[Candidate, ...]) -> tuple[float, float]:
    """Return the ends of the axis on which the differences that decide are visible.

    A candidate that is many standard errors worse, as the largest class often is, would otherwise set the scale.
    """
    reference = compared[-1]
    near = sorted(one.difference - LEAST_ERRORS * one.error for one in compared if one is not reference)
    above = max([0.0, *(one.difference + LEAST_ERRORS * one.error for one in compared)])
    errors = [one.error for one in compared if one.error]
    # The nearest candidates are shown whole, whatever their errors.
    # Differences that decide nothing, as of candidates that are right and certain everywhere, do not fill the axis.
    return min([-NEEDED_SCORE, -FAR_ERRORS * median(errors or [0.0]), *near[-NEAREST:]]), above


def highway_precision(run: RunData, by: str) -> PointChart:
    """Return the precision of highways by confidence or by round."""
    bins: list[HighwayBin] = by_confidence(run.result) if by == "confidence" else by_round(run.result)
    # Without intervals: highways that share a node are right or wrong together.
    points = [
        Point(place, 100 * one.precision, f"{by} {one.name}: {100 * one.precision:.1f} % of {one.known:,}")
        for place, one in enumerate(bins)
    ]
    label = "confidence at the end of the highway (%)" if by == "confidence" else "round that added the highway"
    return PointChart(
        name=f"highways-{by}",
        title=f"Precision of highways by {by}",
        x_label=f"{label} (highways)",
        y_label="precision (%)",
        series=(Series("highways", tuple(points)),),
        categories=tuple((one.name, f"({one.known:,})") for one in bins),
        y_range=(0, 100),
    )


def changed(run: RunData) -> PointChart:
    """Return the numbers of rescued and of lost nodes by distance."""
    chart = hops(run)
    shown = [place for place, row in enumerate(run.ours.hops) if row.nodes]
    gains = [run.gain_at(place) for place in shown]
    names = [_hop_words(name) for name, _ in chart.categories]
    rescued = tuple(
        Point(i, one.corrected, f"{names[i]}: {one.corrected:,} of {one.nodes:,}") for i, one in enumerate(gains)
    )
    lost = tuple(
        Point(i, one.newly_wrong, f"{names[i]}: {one.newly_wrong:,} of {one.nodes:,}") for i, one in enumerate(gains)
    )
    most = max([1, *(point.y for point in (*rescued, *lost))])
    return PointChart(
        name="changed",
        title="Rescued and lost nodes by hops to the nearest label of the node's class",
        x_label=chart.x_label,
        y_label="nodes",
        series=(Series("rescued", rescued, "green"), Series("lost", lost, "purple", "diamond")),
        categories=chart.categories,
        y_range=(0, most),
        whole=True,
    )


def _series(run: RunData, side: Side, points: tuple[Point, ...]) -> Series:
    if side is run.typical:
        return Series(side.name, points, "orange", "square")
    return Series(side.name, points)


def _hop_words(name: str) -> str:
    return "no path to a label" if name == "no path" else "1 hop" if name == "1" else f"{name} hops"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
