"""The page of a run: accuracy by hops, the graph, the rounds, the classes and the highways."""

import base64
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from markupsafe import Markup
from matplotlib.figure import Figure
from torch import Tensor

from highwaygraph.report import answer_text, graph_json, html, run_figures, run_text, style
from highwaygraph.report.run_data import RunData, read
from highwaygraph.report.style import colours
from highwaygraph.runs.result import Result
from highwaygraph.training.metrics import embed

# t-SNE takes most of the time of a page. More nodes and steps separate the classes no better: as many of the ten
# nearest nodes in the figure are of a node's class.
MOST_EMBEDDED, EMBED_ITERATIONS = 1_000, 300


ALTERNATIVES = {
    "hops": "Accuracy by hops to the nearest label",
    "rounds": "Validation accuracy and highways added, round by round",
    "curves": "Validation accuracy and training loss by epoch",
    "confusion": "Confusion matrix",
    "reliability": "Reliability diagram of the confidences",
    "layer-typical": "t-SNE of the last layer after typical training",
    "layer": "t-SNE of the last layer after HighwayGraph",
}


class Report:
    """The figures and the page of a run, each created once.

    Args:
        result: A run, its graph with an edge_index.
        meta: Its meta.json.
    """

    def __init__(self, result: Result, meta: Mapping[str, Any]) -> None:
        self.meta = meta
        self.data = read(result)
        self.visible = graph_json.visible_graph(self.data)
        with style.context():
            self.figures = _figures(self.data)
            self.static_graph = run_figures.static_graph(self.data, self.visible)

    def page(self) -> str:
        """Return the page as HTML."""
        columns = graph_json.columns(self.data, self.visible)
        with style.context():
            figures = {
                name: Markup(style.inline(figure, name, ALTERNATIVES[name])) for name, figure in self.figures.items()
            }
            image = _data_url(self.static_graph)
        values = _values(self.data, self.meta, self.visible) | {"figures": figures, "static_graph": image}
        return html.render("run.html", values, {"graph-data": columns}, viewer=True)

    def save_figures(self, folder: Path) -> list[Path]:
        """Write every figure as SVG, PDF and PNG and return the files."""
        with style.context():
            every = self.figures | {"graph": self.static_graph}
            return [path for name, figure in every.items() for path in style.save(figure, name, folder)]


def _figures(run: RunData) -> dict[str, Figure]:
    figures = {
        name: getattr(run_figures, name)(run) for name in ("hops", "rounds", "curves", "confusion", "reliability")
    }
    nodes = sample_embedded(run.result.data.num_nodes)
    palette, classes = colours(len(run.classes)), run.result.data.y[nodes].numpy()
    for side in run.sides:
        name = "layer" if side is run.ours else "layer-typical"
        figures[name] = run_figures.embedding(embed(side.logits[nodes], EMBED_ITERATIONS), classes, palette)
    return figures


def sample_embedded(count: int) -> Tensor:
    """Return the nodes whose last layer is embedded: all, or a random sample."""
    return torch.randperm(count, generator=torch.Generator().manual_seed(0))[:MOST_EMBEDDED].sort().values


def _values(run: RunData, meta: Mapping[str, Any], visible: graph_json.VisibleGraph) -> dict[str, Any]:
    result, data = run.result, run.result.data
    sizes = ", ".join(f"{int(data[f'{n}_mask'].sum()):,} {n}" for n in ("train", "val", "test"))
    added = result.highways.size(1)
    return {
        "title": run.title,
        "lead": f"{data.num_nodes:,} nodes, {visible.total['edges']:,} edges; {sizes}; seed {result.config.seed}.",
        "run": run,
        "gain": run.gain,
        "verdict": run_text.verdict(run),
        "largest_difference": run_text.largest_difference(run),
        "hop_rows": run_text.hop_rows(run),
        "candidates": run_text.candidate_rows(result),
        "answer_lines": answer_text.answer_lines(result),
        "score_name": answer_text.score_name(result),
        "reference_name": answer_text.reference_name(result) if result.candidates else "",
        "graph_note": run_text.graph_note(visible),
        "has_viewer": html.has_viewer(),
        "legend": list(zip(run.classes, colours(len(run.classes)), strict=True)),
        "rounds_note": run_text.rounds_note(result),
        "embedding_note": run_text.embedding_note(data.num_nodes, MOST_EMBEDDED),
        "highway_count": added,
        "highways_note": run_text.highways_note(len(visible.highways), added),
        "highway_heads": run_text.HIGHWAY_HEADS,
        "command": meta.get("command"),
        "configuration": json.dumps(_configuration(result, meta), indent=1),
    }


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
