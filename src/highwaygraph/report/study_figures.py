"""The figures of a study: paired differences, accuracy by hops, and a heat map of two axes."""

from collections import defaultdict
from statistics import fmean
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from highwaygraph.report.style import BLUE, GREEN, INK, MUTED, ORANGE, PURPLE, new
from highwaygraph.study.aggregate import Row, varied_axes
from highwaygraph.study.records import Record
from highwaygraph.study.spec import Study

HOPS = ("1", "2", "3", "4", "5+", "unreachable")


LINE_STYLES = [(ORANGE, "s", "--"), (BLUE, "o", "-"), (GREEN, "^", ":"), (PURPLE, "D", "-."), (INK, "v", "-"),
         (MUTED, "x", "--")]  # fmt: skip


def setting_name(study: Study, setting: dict[str, Any]) -> str:
    """Return the name of a setting."""
    # A number needs the name of its axis.
    return ", ".join(str(v) if isinstance(v := setting[name], str) else f"{name} {v}" for name in varied_axes(study))


def forest(study: Study, rows: list[Row]) -> Figure | None:
    """Return the forest plot of paired differences with two standard errors, or None without a baseline."""
    compared = [r for r in rows if r.difference is not None]
    if not compared:
        return None
    figure = new(5.2, 0.8 + 0.2 * len(compared))
    axis = figure.subplots()
    axis.axvline(0, color=MUTED, linewidth=1)
    for place, row in enumerate(compared):
        gap, error = row.difference or 0.0, 2 * (row.standard_error or 0.0)
        colour = BLUE if gap - error > 0 else ORANGE if gap + error < 0 else MUTED
        marker = "o" if gap - error > 0 else "s" if gap + error < 0 else "d"
        axis.errorbar(gap, place, xerr=error, color=colour, marker=marker, markersize=4, capsize=2, linewidth=1.2)
    axis.set_yticks(range(len(compared)), [setting_name(study, r.setting) for r in compared], fontsize=8)
    axis.set_ylim(len(compared) - 0.4, -0.6)
    axis.grid(axis="y", visible=False)
    axis.set_xlabel(f"points against {baseline_name(study)}, two standard errors")
    return figure


def baseline_name(study: Study) -> str:
    """Return the name of the baseline of the differences."""
    return ", ".join(f"{name} {value}" for name, value in study.baseline.items()) or "the baseline"


def by_hops(study: Study, records: list[Record]) -> Figure | None:
    """Return accuracy by hops, one line per value of the axis that the study compares."""
    axis_name = next(iter(study.baseline), None) or next(iter(varied_axes(study)), None)
    lines: dict[Any, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        for hop in record.facts.get("hops", []):
            if hop["accuracy"] is not None:
                lines[record.cell.get(axis_name or "")][hop["hops"]].append(100 * hop["accuracy"])
    if not lines:
        return None
    figure = new(5.2, 3.4)
    axis = figure.subplots()
    for (value, line), (colour, marker, style) in zip(lines.items(), LINE_STYLES, strict=False):
        at = [(place, fmean(line[hop])) for place, hop in enumerate(HOPS) if line[hop]]
        axis.plot(*zip(*at, strict=True), color=colour, marker=marker, linestyle=style, label=str(value))
    axis.set_xticks(range(len(HOPS)), [*HOPS[:-1], "none"])
    axis.set_xlabel("hops to the nearest label of the node's class")
    axis.set_ylabel("test accuracy (%)")
    axis.legend(title=axis_name, fontsize=8, title_fontsize=8)
    return figure


def heat_map(study: Study, rows: list[Row]) -> Figure | None:
    """Return the heat map of a study with two axes, or None with more or fewer."""
    axes = varied_axes(study)
    if len(axes) != 2:
        return None
    down, across = (study.grid[name] for name in axes)
    means = {(r.setting[axes[0]], r.setting[axes[1]]): r.mean for r in rows}
    low, high = min(means.values()), max(means.values())
    figure = new(5.2, 1.2 + 0.45 * len(down))
    axis = figure.subplots()
    axis.grid(visible=False)
    for (row, column), mean in means.items():
        x, y = across.index(column), down.index(row)
        share = (mean - low) / max(high - low, 1e-9)
        axis.fill_between([x - 0.5, x + 0.5], y - 0.5, y + 0.5, color=BLUE, alpha=0.05 + 0.45 * share, linewidth=0)
        axis.text(x, y, f"{mean:.1f}", ha="center", va="center", fontsize=9)
    axis.set_xticks(np.arange(len(across)), [str(v) for v in across])
    axis.set_yticks(np.arange(len(down)), [str(v) for v in down])
    axis.set_xlim(-0.5, len(across) - 0.5)
    axis.set_ylim(len(down) - 0.5, -0.5)
    axis.set_xlabel(axes[1])
    axis.set_ylabel(axes[0])
    return figure
