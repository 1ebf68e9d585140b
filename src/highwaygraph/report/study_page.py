"""The page of a study: every setting compared with the paper and, with standard errors, with the baseline."""

import json
from pathlib import Path
from typing import Any

from markupsafe import Markup
from matplotlib.figure import Figure

from highwaygraph.report import html, study_figures, style
from highwaygraph.study.aggregate import Row, aggregate, format_row, headers
from highwaygraph.study.records import Record
from highwaygraph.study.spec import Study, cell_key, cells

ALTERNATIVES = {
    "forest": "Paired differences to the baseline with two standard errors",
    "by-distance": "Accuracy by hops to the nearest label",
    "heat": "Mean accuracy, one axis against the other",
}


class StudyReport:
    """The figures and the page of a study.

    Args:
        study: The study.
        records: Its finished cells; a part of them suffices.
    """

    def __init__(self, study: Study, records: list[Record]) -> None:
        keys = {cell_key(cell) for cell in cells(study)}
        self.study = study
        self.records = [record for record in records if cell_key(record.cell) in keys]
        self.rows = aggregate(study, self.records)
        self.total = len(keys)
        with style.context():
            figures = {
                "forest": study_figures.forest(study, self.rows),
                "by-distance": study_figures.by_hops(study, self.records),
                "heat": study_figures.heat_map(study, self.rows),
            }
        self.figures: dict[str, Figure] = {name: figure for name, figure in figures.items() if figure is not None}

    def page(self) -> str:
        """Return the page as HTML."""
        with style.context():
            figures = {n: Markup(style.inline(f, n, ALTERNATIVES[n])) for n, f in self.figures.items()}
        return html.render("study.html", self._values() | {"figures": figures}, {})

    def save_figures(self, folder: Path) -> list[Path]:
        """Write every figure as SVG, PDF and PNG and return the files."""
        with style.context():
            return [path for name, figure in self.figures.items() for path in style.save(figure, name, folder)]

    def _values(self) -> dict[str, Any]:
        study, done = self.study, len(self.records)
        sizes = study.grid.get("train", [study.train])
        train = str(sizes[0]) if len(sizes) == 1 else f"{min(sizes)} to {max(sizes)}"
        random = f"{train} training and {study.val} validation nodes per class, the rest for test{_other_sizes(study)}"
        protocol = "the datasets' own split" if study.protocol == "public" else random
        versions = self.records[0].facts.get("versions") if self.records else None
        return {
            "title": study.title,
            "lead": f"{done:,} of {self.total:,} runs; {protocol}.",
            "numbers": headline(self.rows, done),
            "baseline": study_figures.baseline_name(study),
            "heads": headers(study),
            "table": [format_row(study, row) for row in self.rows],
            "has_paper": bool(study.paper),
            "command": f"highway study {study.name}",
            "configuration": json.dumps({"study": study.model_dump(), "versions": versions}, indent=1),
        }


def _other_sizes(study: Study) -> str:
    """Return the datasets whose random splits have other sizes than those of the study."""
    counts = {"class": "per class", "graph": "in all, classes in their proportions"}
    parts = [f"{one.dataset}: {one.train} and {one.val} {counts[one.per]}" for one in study.sizes]
    return f" ({'; '.join(parts)})" if parts else ""


def headline(found: list[Row], done: int) -> list[tuple[str, str, str]]:
    """Return the headline numbers: runs, settings, and settings clearly better or worse than the baseline."""
    compared = [(r.difference, r.standard_error or 0.0) for r in found if r.difference is not None]
    cards = [(f"{done:,}", "runs", ""), (f"{len(found):,}", "settings", "")]
    if not compared:
        return cards
    better = sum(gap > 2 * error for gap, error in compared)
    worse = sum(gap < -2 * error for gap, error in compared)
    mean = sum(gap for gap, _ in compared) / len(compared)
    cards.append((f"{mean:+.1f}", "points on average against the baseline", "up" if mean > 0 else "down"))
    return [*cards, (f"{better} / {worse}", f"clearly better / worse, of {len(compared)}", "")]
