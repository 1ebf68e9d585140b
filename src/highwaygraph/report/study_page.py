"""The page of a study: every setting compared with the paper and, with standard errors, with the baseline."""

import json
from pathlib import Path
from typing import Any

from markupsafe import Markup

from highwaygraph.report import html, print_figures, study_charts, style, svg_charts
from highwaygraph.report.charts import Chart
from highwaygraph.study.aggregate import Row, aggregate, format_row, headers
from highwaygraph.study.records import Record
from highwaygraph.study.spec import Study, cell_key, cells


class StudyReport:
    """The charts and the page of a study.

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
        found = (
            study_charts.forest(study, self.rows),
            study_charts.by_hops(study, self.records),
            study_charts.heat_map(study, self.rows),
        )
        self.charts: dict[str, Chart] = {chart.name: chart for chart in found if chart is not None}

    def page(self) -> str:
        """Return the page as HTML."""
        drawn = {name: Markup(svg_charts.draw(chart)) for name, chart in self.charts.items()}
        return html.render("study.html", self._values() | {"figures": drawn}, {})

    def save_figures(self, folder: Path) -> list[Path]:
        """Write every chart as SVG, PDF and PNG and return the files."""
        with style.context():
            return [
                path
                for name, chart in self.charts.items()
                for path in style.save(print_figures.draw(chart), name, folder)
            ]

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
            "baseline": study_charts.baseline_name(study),
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
