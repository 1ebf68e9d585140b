"""Reliability diagrams of a run before and after calibration, with the calibration errors in words and as a table."""

import math

from highwaygraph.report.charts import Point, PointChart, Series, proportion
from highwaygraph.report.reliability import LEAST_NODES, BeforeAfter, Reliability, RunReliability

# The accuracy of a smaller bin is mostly noise.
LEAST_IN_BIN = 5


DISTANCES = ("up to 1 hop", "2 hops", "3 or more hops or no path")
"""Distance of each group from the nearest label of any class."""


HEADS = ("Distance to any label", "Nodes", "Before %", "After %", "By chance %")


def reliability_charts(found: RunReliability) -> list[PointChart]:
    """Return the diagram of all evaluated nodes, and one per distance that has nodes enough.

    Args:
        found: The reliability of a run.

    Returns:
        The charts; the first one is without points where every range of confidence has few nodes.
    """
    title = "Accuracy of predictions by their confidence"
    charts = [_diagram("reliability", title, found.overall)]
    return charts + [_diagram(f"reliability-{n}", f"{title}, {words}", one) for n, words, one in _distances(found)]


def distance_captions(found: RunReliability) -> dict[str, str]:
    """Return the captions of the diagrams by distance, by the name of the chart.

    Args:
        found: The reliability of a run.

    Returns:
        A sentence for every distance that has nodes enough.
    """
    captions = {}
    for number, words, one in _distances(found):
        before, after, _ = _errors(one)
        errors = f"calibration error {before} % before and {after} % after calibration"
        captions[f"reliability-{number}"] = f"{words.capitalize()}: {one.before.nodes:,} nodes, {errors}."
    return captions


def calibration_note(found: RunReliability) -> str:
    """Return the expected calibration errors of all evaluated nodes, as far as their number allows it.

    Args:
        found: The reliability of a run.

    Returns:
        A few sentences.
    """
    one = found.overall
    if one.after is None:
        return (
            "There are neither test nodes nor folds: the diagram shows the confidences of the validation nodes before "
            "calibration. After it there is no diagram, because these nodes calibrate."
        )
    if not one.has_enough:
        return (
            f"The {one.before.nodes:,} {found.source} nodes are too few for a calibration error, which takes at least "
            f"{LEAST_NODES}."
        )
    return (
        f"Expected calibration error of the {one.before.nodes:,} {found.source} nodes: {_percent(one.before.error)} % "
        f"before calibration, {_percent(one.after.error)} % after it. By chance alone, probabilities without any error "
        f"would show about {_percent(one.after.chance)} % on as many nodes. {_temperature_text(found.temperatures)}"
    )


def calibration_rows(found: RunReliability) -> list[list[str]]:
    """Return the calibration errors by distance, for HEADS; a dash where nodes are too few.

    Args:
        found: The reliability of a run.

    Returns:
        A row per distance with nodes, and one of all nodes; none without calibrated probabilities, or where all are
        dashes.
    """
    if not found.overall.has_enough:
        return []
    named = [*zip(DISTANCES, found.by_distance, strict=True), ("all", found.overall)]
    shown = [(name, one) for name, one in named if one.after is not None and one.before.nodes]
    return [[name, f"{one.before.nodes:,}", *_errors(one)] for name, one in shown]


def _distances(found: RunReliability) -> list[tuple[int, str, BeforeAfter]]:
    """Return the distances that have calibrated nodes enough: a number, words and the reliability."""
    named = zip(DISTANCES, found.by_distance, strict=True)
    return [
        (number, f"{name} to the nearest label of any class", one)
        for number, (name, one) in enumerate(named, start=1)
        if one.has_enough and one.after is not None
    ]


def _errors(one: BeforeAfter) -> list[str]:
    if one.after is None or not one.has_enough:
        return ["-", "-", "-"]
    return [_percent(one.before.error), _percent(one.after.error), _percent(one.after.chance)]


def _temperature_text(temperatures: tuple[float, ...]) -> str:
    if all(math.isclose(one, 1, abs_tol=0.005) for one in temperatures):
        return "The fitted temperature is 1: calibration changes no confidence."
    if len(set(temperatures)) == 1:
        return f"All logits are divided by the temperature {temperatures[0]:.2f}."
    named = (f"{one:.2f} ({name})" for one, name in zip(temperatures, DISTANCES, strict=True))
    return f"Logits are divided by a temperature per distance: {'; '.join(named)}."


def _diagram(name: str, title: str, one: BeforeAfter) -> PointChart:
    is_same = one.after == one.before
    first = "before and after calibration" if is_same else "before calibration"
    series = [Series(first, _points(one.before), "orange", "square")]
    if one.after is not None and not is_same:
        series.append(Series("after calibration", _points(one.after)))
    return PointChart(
        name=name,
        title=title,
        x_label="confidence (%)",
        y_label="accuracy (%)",
        series=tuple(series),
        x_range=(0, 100),
        y_range=(0, 100),
        diagonal=True,
    )


def _points(one: Reliability) -> tuple[Point, ...]:
    shown = [b for b in one.bins if b.nodes >= LEAST_IN_BIN]
    return tuple(
        proportion(100 * b.confidence, b.accuracy, b.nodes, f"confidence {100 * b.confidence:.0f} %, accuracy")
        for b in shown
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
