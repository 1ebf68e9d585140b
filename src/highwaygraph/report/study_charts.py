"""The charts of a study: paired differences, accuracy by hops, and a heat map of two axes."""

from collections import defaultdict
from statistics import fmean
from typing import Any

from highwaygraph.report.charts import STYLES, Cell, MatrixChart, Point, PointChart, Row, RowChart, Series
from highwaygraph.study.aggregate import Row as SettingRow
from highwaygraph.study.aggregate import varied_axes
from highwaygraph.study.records import Record
from highwaygraph.study.spec import Study

HOPS = ("1", "2", "3", "4", "5+", "unreachable")


def setting_name(study: Study, setting: dict[str, Any]) -> str:
    """Return the name of a setting."""
    # A number needs the name of its axis.
    return ", ".join(str(v) if isinstance(v := setting[name], str) else f"{name} {v}" for name in varied_axes(study))


def forest(study: Study, rows: list[SettingRow]) -> RowChart | None:
    """Return the forest plot of paired differences with two standard errors, or None without a baseline."""
    compared = [r for r in rows if r.difference is not None]
    if not compared:
        return None
    label = f"points against {baseline_name(study)}, two standard errors"
    title = "Paired differences to the baseline with two standard errors"
    return RowChart("forest", title, label, tuple(_difference(study, row) for row in compared))


def _difference(study: Study, row: SettingRow) -> Row:
    gap, error, name = row.difference or 0.0, 2 * (row.standard_error or 0.0), setting_name(study, row.setting)
    text = f"{name}: {gap:+.1f} points, two standard errors {error:.1f}"
    if gap - error > 0:
        return Row(name, gap, gap - error, gap + error, text, "blue")
    if gap + error < 0:
        return Row(name, gap, gap - error, gap + error, text, "orange", "square")
    return Row(name, gap, gap - error, gap + error, text, "muted", "diamond")


def baseline_name(study: Study) -> str:
    """Return the name of the baseline of the differences."""
    return ", ".join(f"{name} {value}" for name, value in study.baseline.items()) or "the baseline"


def by_hops(study: Study, records: list[Record]) -> PointChart | None:
    """Return accuracy by hops, one series per value of the axis that the study compares; distances are not joined."""
    axis_name = next(iter(study.baseline), None) or next(iter(varied_axes(study)), None)
    lines: dict[Any, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        for hop in record.facts.get("hops", []):
            if hop["accuracy"] is not None:
                lines[record.cell.get(axis_name or "")][hop["hops"]].append(100 * hop["accuracy"])
    if not lines:
        return None
    series = [
        Series(str(value), _means(line), *style) for (value, line), style in zip(lines.items(), STYLES, strict=False)
    ]
    return PointChart(
        name="by-distance",
        title=f"Mean accuracy by hops to the nearest label, one marker per {axis_name or 'study'}",
        x_label="hops to the nearest label of the node's class",
        y_label="test accuracy (%)",
        series=tuple(series),
        categories=tuple((name, "") for name in (*HOPS[:-1], "no path")),
    )


def _means(line: dict[str, list[float]]) -> tuple[Point, ...]:
    means = [(place, fmean(line[hop]), len(line[hop])) for place, hop in enumerate(HOPS) if line[hop]]
    return tuple(Point(i, mean, f"{HOPS[i]}: {mean:.1f} %, mean of {count:,}") for i, mean, count in means)


def heat_map(study: Study, rows: list[SettingRow]) -> MatrixChart | None:
    """Return the heat map of a study with two axes, or None with more or fewer."""
    axes = varied_axes(study)
    if len(axes) != 2:
        return None
    down, across = (study.grid[name] for name in axes)
    low, high = min(r.mean for r in rows), max(r.mean for r in rows)
    cells = []
    for r in rows:
        place = down.index(r.setting[axes[0]]), across.index(r.setting[axes[1]])
        share = (r.mean - low) / max(high - low, 1e-9)
        cells.append(Cell(*place, share, f"{r.mean:.1f}", f"{setting_name(study, r.setting)}: {r.mean:.1f} %"))
    names = tuple(map(str, down)), tuple(map(str, across))
    title = "Mean accuracy, one axis against the other"
    return MatrixChart("heat", title, *names, tuple(cells), axes[0], axes[1])
