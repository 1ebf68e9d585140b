"""The page of a run: whether it helped, where, for which classes, what decided, the nodes to check, and the graph."""

import base64
import io
import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from markupsafe import Markup
from matplotlib.figure import Figure
from torch import Tensor

from highwaygraph.report import (
    answer_text,
    calibration_charts,
    graph_json,
    html,
    print_figures,
    run_figures,
    run_text,
    style,
    svg_charts,
)
from highwaygraph.report.check_first import check_first
from highwaygraph.report.check_table import CheckTable
from highwaygraph.report.explanations import explained_nodes, explanation_document
from highwaygraph.report.headline import headline
from highwaygraph.report.highway_scores import CHANGED_HEADS, ChangedNodes, changed_nodes, changed_rows
from highwaygraph.report.opinions import read_opinions
from highwaygraph.report.overview import overview
from highwaygraph.report.run_charts import run_charts
from highwaygraph.report.run_data import RunData, read
from highwaygraph.report.style import colours
from highwaygraph.report.training_charts import deciding_score
from highwaygraph.runs import predictions
from highwaygraph.runs.other_graphs import keep_fitted
from highwaygraph.runs.result import Result
from highwaygraph.training.metrics import embed

# t-SNE takes most of the time of the figures. More nodes and steps separate the classes no better: as many of the ten
# nearest nodes in the figure are of a node's class.
MOST_EMBEDDED, EMBED_ITERATIONS = 1_000, 300


FILES = html.PageFiles(scripts=(*html.SCRIPTS, html.ASSETS / "explanation.js"))


class Report:
    """The page of a run, its figures and its table of nodes to check, each created once.

    Args:
        result: A run, its graph with an edge_index.
        meta: Its meta.json.
        source: Folder of the run, which commands on the page name.
    """

    def __init__(self, result: Result, meta: Mapping[str, Any], source: str = "RUN") -> None:
        self.meta, self.result, self.source = meta, result, source
        # The nodes to check and the explanations are based on the same baselines.
        keep_fitted(result)
        self.data = read(result)
        self.charts = run_charts(self.data)

    @cached_property
    def visible(self) -> graph_json.VisibleGraph:
        """The nodes and edges of the graph that are displayed."""
        checked = [one.node for one in self.check_table.checked.nodes]
        return graph_json.visible_graph(self.data, [*self.changed.rescued, *self.changed.lost, *checked])

    @cached_property
    def changed(self) -> ChangedNodes:
        """The nodes that the answer rescued and lost."""
        return changed_nodes(self.data)

    @cached_property
    def check_table(self) -> CheckTable:
        """The nodes to check first."""
        return CheckTable(self.data, check_first(self.data, read_opinions(self.data)))

    def page(self) -> str:
        """Return the page as HTML."""
        with style.context():
            image = _data_url(run_figures.static_graph(self.data, self.visible))
        drawn = {name: Markup(svg_charts.draw(chart)) for name, chart in self.charts.items()}
        changed = changed_rows(self.data, self.changed)
        values = self._values() | {"charts": drawn, "static_graph": image, "changed": changed}
        values["overview"] = overview(self.data)
        documents = {
            "graph-data": graph_json.columns(self.data, self.visible),
            "check-data": self.check_table.document(),
            "check-csv": predictions.to_csv(self.check_table.columns()),
            "changed-data": {"heads": CHANGED_HEADS, "rows": changed},
            "explanation-data": self._explanations(),
        }
        return html.render("run.html", values, documents, viewer=True, files=FILES)

    def save_figures(self, folder: Path) -> list[Path]:
        """Write every chart, the graph and the embeddings of the last layer as SVG, PDF and PNG; return the files."""
        with style.context():
            figures = {name: print_figures.draw(chart) for name, chart in self.charts.items()}
            figures |= _embeddings(self.data) | {"graph": run_figures.static_graph(self.data, self.visible)}
            return [path for name, figure in figures.items() for path in style.save(figure, name, folder)]

    def save_check_table(self, path: Path) -> Path:
        """Write the nodes to check first as CSV or Parquet and return the file."""
        predictions.write(self.check_table.columns(), path)
        return path

    def _explanations(self) -> dict[str, Any]:
        start = self.visible.start
        first = None if start is None else int(self.visible.nodes[start])
        nodes = explained_nodes(first, self.changed, self.check_table.checked)
        return explanation_document(self.result, nodes, self.source)

    def _values(self) -> dict[str, Any]:
        run, result, data = self.data, self.data.result, self.data.result.data
        edges, split = self.visible.total["edges"], run_text.split_text(run)
        return {
            "title": run.title,
            "lead": f"{data.num_nodes:,} nodes, {edges:,} edges; {split}; seed {result.config.seed}.",
            "run": run,
            "headline": headline(run),
            "largest_difference": run_text.largest_difference(run),
            "hop_rows": run_text.hop_rows(run),
            "class_rows": run_text.class_rows(run),
            # As they were trained: the scores of folds replace those of test nodes in `run` only.
            "candidates": run_text.candidate_rows(self.result),
            "candidate_heads": answer_text.candidate_heads(self.result),
            "candidate_notes": run_text.candidate_notes(self.result),
            "answer_lines": answer_text.answer_lines(self.result),
            "check_note": run_text.check_note(self.check_table.checked, run),
            "graph_note": run_text.graph_note(self.visible),
            "has_viewer": html.has_viewer(),
            "legend": list(zip(run.classes, colours(len(run.classes)), strict=True)),
            "calibration_note": calibration_charts.calibration_note(run.reliability),
            "distance_captions": calibration_charts.distance_captions(run.reliability),
            "calibration_heads": calibration_charts.HEADS,
            "calibration_rows": calibration_charts.calibration_rows(run.reliability),
            "rounds_note": run_text.rounds_note(result),
            "deciding_score": deciding_score(run).name,
            "highway_count": result.highways.size(1),
            "changed_note": run_text.changed_note(run, len(self.changed.rescued) + len(self.changed.lost)),
            "highways_title": run_text.highways_title(run),
            "highways_note": run_text.highways_note(run),
            "command": self.meta.get("command"),
            "configuration": json.dumps(_configuration(result, self.meta), indent=1),
        }


def _embeddings(run: RunData) -> dict[str, Figure]:
    """Return t-SNE figures of the last layer, by name."""
    nodes = sample_embedded(run.result.data.num_nodes)
    palette, classes = colours(len(run.classes)), run.result.data.y[nodes].numpy()
    return {
        "layer" if side is run.ours else "layer-typical": run_figures.embedding(
            embed(side.logits[nodes], EMBED_ITERATIONS), classes, palette
        )
        for side in run.sides
    }


def sample_embedded(count: int) -> Tensor:
    """Return the nodes whose last layer is embedded: all, or a random sample."""
    return torch.randperm(count, generator=torch.Generator().manual_seed(0))[:MOST_EMBEDDED].sort().values


def _configuration(result: Result, meta: Mapping[str, Any]) -> dict[str, Any]:
    network = getattr(result.model, "network", None)
    copied = ("created", "data_hash", "split_hash", "versions")
    return {
        "config": result.config.model_dump(),
        "network": network.model_dump() if network else None,
        **{name: meta.get(name) for name in copied},
    }


def _data_url(figure: Figure) -> str:
    image = io.BytesIO()
    figure.savefig(image, format="webp", dpi=120, transparent=True, pil_kwargs={"quality": 60})
    return "data:image/webp;base64," + base64.b64encode(image.getvalue()).decode()
