"""The page of a comparison of runs: the paired differences, a figure of accuracy by hops, and all tables."""

import math
from pathlib import Path

from markupsafe import Markup
from matplotlib.figure import Figure

from highwaygraph.errors import RunError, shortened
from highwaygraph.report import html, style
from highwaygraph.report.comparison_text import gain_lines, notes, tables
from highwaygraph.report.comparison_values import RunComparison
from highwaygraph.report.study_figures import LINE_STYLES
from highwaygraph.runs.outputs import check_output
from highwaygraph.training.gain import QUANTILE
from highwaygraph.training.metrics import HopAccuracy

# Characters of a run's name in the legend of the figure, three of which are beside each other.
LONGEST_NAME = 20


# An element that only the page of a comparison has.
MARK = b'<main id="comparison">'


def page(comparison: RunComparison) -> str:
    """Return the page as HTML.

    Args:
        comparison: The comparison.

    Returns:
        A self-contained page.
    """
    values = {
        "title": f"Comparison of {len(comparison.runs)} runs",
        "lead": _lead(comparison),
        "numbers": _numbers(comparison),
        "lines": gain_lines(comparison),
        "notes": notes(comparison),
        "tables": tables(comparison),
        "figure": _inline(hops_figure(comparison)),
    }
    return html.render("comparison.html", values, {})


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


def hops_figure(comparison: RunComparison) -> Figure | None:
    """Return accuracy by hops with 95 % intervals, one marker per run; None without scores or for too many runs."""
    if not comparison.hops or len(comparison.comparable) > len(LINE_STYLES):
        return None
    rows = [row for row in comparison.hops if any(score.nodes for score in row.scores)]
    with style.context():
        figure = style.new()
        axis = figure.subplots()
        for place, run in enumerate(comparison.comparable):
            colour, marker, _ = LINE_STYLES[place]
            # Beside each other, so that no interval hides another. Distances are not joined: "no path" is no number.
            at = [i + 0.12 * (place - (len(comparison.comparable) - 1) / 2) for i in range(len(rows))]
            scores, name = [row.scores[place] for row in rows], shortened(run.name, LONGEST_NAME)
            axis.errorbar(at, [100 * score.accuracy for score in scores], _error_bars(scores), label=name, color=colour,
                          marker=marker, linestyle="none", capsize=2)  # fmt: skip
        axis.set_xticks(range(len(rows)), ["no path" if row.hops == "unreachable" else row.hops for row in rows])
        axis.set_xlabel("hops to the nearest label of the node's class")
        axis.set_ylabel("test accuracy (%)")
        # Above the axes, where it hides no interval.
        axis.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
    return figure


def wilson_interval(score: HopAccuracy) -> tuple[float, float]:
    """Return the 95 % interval of an accuracy after Wilson (1927), which has a width for 0 and 100 % too.

    Args:
        score: The accuracy on a number of nodes.

    Returns:
        Both ends as fractions, NaN without nodes.

    Example:
        >>> [round(end, 2) for end in wilson_interval(HopAccuracy("1", 10, 1.0))]
        [0.72, 1.0]
    """
    if not score.nodes:
        return math.nan, math.nan
    share, nodes, square = score.accuracy, score.nodes, QUANTILE**2
    centre = (share + square / (2 * nodes)) / (1 + square / nodes)
    width = QUANTILE * math.sqrt(share * (1 - share) / nodes + square / (4 * nodes**2)) / (1 + square / nodes)
    return max(centre - width, 0.0), min(centre + width, 1.0)


def _error_bars(scores: list[HopAccuracy]) -> list[list[float]]:
    """Return the distances from each accuracy to both ends of its interval, in points."""
    ends = [wilson_interval(score) for score in scores]
    below = [100 * max(score.accuracy - low, 0.0) for score, (low, _) in zip(scores, ends, strict=True)]
    above = [100 * max(high - score.accuracy, 0.0) for score, (_, high) in zip(scores, ends, strict=True)]
    return [below, above]


def _inline(figure: Figure | None) -> Markup | None:
    if figure is None:
        return None
    with style.context():
        return Markup(style.inline(figure, "hops", "Test accuracy by hops to the nearest label, one marker per run"))


def _lead(comparison: RunComparison) -> str:
    graphs = list(dict.fromkeys(row.graph for row in comparison.runs))
    return f"{', '.join(graphs)}. Every run is compared with {comparison.runs[0].name}."


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
