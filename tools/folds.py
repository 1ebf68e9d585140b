"""Write docs/folds.md from results/folds.jsonl: trained on training labels only, and on all labels after folds.

`python -m benchmarks folds` writes the records.
"""

from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean
from typing import Any, NamedTuple

from benchmarks.folds import cells, read
from tools.other_graphs import Scores, gap
from tools.pages import ROOT, fill_template, table

PAGE = ROOT / "docs/folds.md"
HEADS = ["graph and preset", "splits", "20 labels per class %", "all labels %", "difference", "accuracy by folds %"]
Record = dict[str, Any]


class Line(NamedTuple):
    """One graph with one preset."""

    title: str
    split: Scores
    """Test accuracies in per cent of training on the training labels."""
    folds: Scores
    """Those of training on all labels."""
    estimated: list[float]
    """Accuracies by folds in per cent."""


def lines(records: Iterable[Record]) -> list[Line]:
    """Return a line per graph and preset, in the order of the records."""
    found: dict[tuple[str, str], Line] = {}
    for one in records:
        cell = one["cell"]
        key = cell["dataset"], cell["preset"]
        title = f"{cell['dataset'].rpartition('/')[2]}, `{cell['preset']}`"
        line = found.setdefault(key, Line(title, {}, {}, []))
        line.split[cell["split"], 0] = 100 * one["split"]["test"]
        line.folds[cell["split"], 0] = 100 * one["folds"]["test"]
        line.estimated.append(100 * one["folds"]["accuracy"])
    return [found[key] for key in sorted(found)]


def results_table(found: list[Line]) -> str:
    """Return the table, with the standard error over splits behind every difference."""
    rows = []
    for line in found:
        means = (fmean(line.split.values()), fmean(line.folds.values()))
        difference = str(gap(line.folds, line.split))
        cells_of_row = [line.title, str(len(line.split)), *(f"{mean:.1f}" for mean in means), difference]
        rows.append([*cells_of_row, f"{fmean(line.estimated):.1f}"])
    return table(HEADS, rows)


def progress(records: list[Record]) -> str:
    """Return how many of the cells are measured; a graph that is missing is not."""
    wanted: dict[str, int] = defaultdict(int)
    for cell in cells():
        wanted[cell.dataset] += 1
    missing = sorted(set(wanted) - {one["cell"]["dataset"] for one in records})
    left = f" Not measured yet: {', '.join(name.rpartition('/')[2] for name in missing)}." if missing else ""
    return f"{len(records)} of {sum(wanted.values())} cells are measured.{left}"


def page() -> str:
    """Return the page."""
    records = read()
    return fill_template("folds", {"progress": progress(records), "results": results_table(lines(records))})


if __name__ == "__main__":
    PAGE.write_text(page())
    print(f"Written: {PAGE.relative_to(ROOT)}")
