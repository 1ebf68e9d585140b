"""The page of a comparison of runs: the paired differences, a figure of accuracy by hops, and all tables."""

import math
from pathlib import Path

from markupsafe import Markup

from highwaygraph.errors import RunError, shortened
from highwaygraph.report import html, svg_charts
from highwaygraph.report.charts import STYLES, PointChart, Series, proportion
from highwaygraph.report.comparison_text import gain_lines, notes, tables
from highwaygraph.report.comparison_values import RunComparison
from highwaygraph.runs.evaluation import shown_hops
from highwaygraph.runs.outputs import check_output

# Characters of a run's name in the legend of the figure, three of which are beside each other.
LONGEST_NAME = 20


# An element that only the page of a comparison has.
MARK = b'<main id="comparison">'


FILES = html.PageFiles(scripts=(*html.SCRIPTS, html.ASSETS / "sorting.js"))
"""Scripts of the page; the tables are those of the template and need no other data."""


def page(comparison: RunComparison) -> str:
    """Return the page as HTML.

    Args:
        comparison: The comparison.

    Returns:
        A self-contained page.
    """
    chart = hops_chart(comparison)
    values = {
        "title": f"Comparison of {len(comparison.runs)} runs",
        "lead": _lead(comparison),
        "numbers": _numbers(comparison),
        "lines": gain_lines(comparison),
        "notes": notes(comparison),
        "tables": tables(comparison),
        "figure": None if chart is None else Markup(svg_charts.draw(chart)),
    }
    return html.render("comparison.html", values, {}, files=FILES)


def check_page(path: Path) -> None:
    """Refuse to replace a file that is no earlier comparison, and files of runs and converted graphs.

    Args:
        path: The HTML file to write.
    """
    if path.suffix.lower() not in (".html", ".htm"):
        raise RunError(f"{path} has no suffix of a page: choose a name that ends in .html with --out.")
    check_output(path)
    if path.is_dir() or (path.is_file() and MARK not in path.read_bytes()):
        raise RunError(f"{path} exists already and is no comparison: choose another name with --out, or remove it.")


def write_page(comparison: RunComparison, path: Path) -> Path:
    """Write the page of a comparison.

    Args:
        comparison: The comparison.
        path: The HTML file; an earlier comparison is replaced, any other file is not.

    Returns:
        The file.
    """
    check_page(path)
    return html.write(path, page(comparison))


def hops_chart(comparison: RunComparison) -> PointChart | None:
    """Return accuracy by hops with 95 % intervals, one marker per run; None without scores or for too many runs."""
    if not comparison.hops or len(comparison.comparable) > len(STYLES):
        return None
    rows = [row for row in comparison.hops if any(score.nodes for score in row.scores)]
    names = [shown_hops(row.hops) for row in rows]
    series = []
    for place, run in enumerate(comparison.comparable):
        scores = [row.scores[place] for row in rows]
        points = [
            proportion(i, one.accuracy, one.nodes, f"hops {names[i]}") for i, one in enumerate(scores) if one.nodes
        ]
        series.append(Series(shortened(run.name, LONGEST_NAME), tuple(points), *STYLES[place]))
    return PointChart(
        name="hops",
        title="Test accuracy by hops to the nearest label, one marker per run",
        x_label="hops to the nearest label of the node's class",
        y_label="test accuracy (%)",
        series=tuple(series),
        categories=tuple((name, "") for name in names),
    )


def _lead(comparison: RunComparison) -> str:
    graphs = list(dict.fromkeys(row.graph for row in comparison.runs))
    first = comparison.runs[0]
    return f"{', '.join(graphs)}. Every run is compared with the first one, {first.folder or first.name}."


def _numbers(comparison: RunComparison) -> list[tuple[str, str, str]]:
    """Return the headline numbers: the accuracy of every run, and for two runs their paired difference."""
    cards = []
    for row in comparison.runs:
        share, part = (row.val, "validation") if math.isnan(row.test) else (row.test, "test")
        cards.append((f"{100 * share:.1f} %", f"{row.name}, {part} accuracy", ""))
    gain = comparison.changes[0].gain if len(comparison.runs) == 2 and comparison.changes else None
    if gain is None:
        return cards
    low, high = gain.interval
    kind = "up" if low > 0 else "down" if high < 0 else ""
    return [*cards, (f"{gain.points:+.1f}", f"points, 95 % interval {low:+.1f} to {high:+.1f}", kind)]
