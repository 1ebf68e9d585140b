"""The page of a run: did it help, where, and why."""

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

from highwaygraph.report import graph_json, html, run_figures, run_text, style
from highwaygraph.report.run_data import Facts, read
from highwaygraph.report.run_figures import still
from highwaygraph.report.style import colours
from highwaygraph.runs.result import Result
from highwaygraph.training.metrics import embed

# t-SNE of more nodes takes minutes and shows no more.
EMBEDDED = 2_000


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
    """A run's figures and page, each made once."""

    def __init__(self, result: Result, meta: Mapping[str, Any]) -> None:
        self.meta = meta
        self.facts = read(result)
        self.drawn = graph_json.draw(self.facts)
        with style.look():
            self.figures = _figures(self.facts)
            self.still = still(self.facts, self.drawn)

    def page(self) -> str:
        """Return the page."""
        facts = self.facts
        columns = graph_json.columns(facts, self.drawn)
        with style.look():
            figures = {
                name: Markup(style.inline(figure, name, ALTERNATIVES[name])) for name, figure in self.figures.items()
            }
            picture = _picture(self.still)
        values = _values(facts, self.meta, self.drawn) | {"figures": figures, "still": picture}
        return html.render("run.html", values, {"graph-data": columns}, viewer=True)

    def save_figures(self, folder: Path) -> list[Path]:
        """Write every figure for print."""
        folder.mkdir(parents=True, exist_ok=True)
        with style.look():
            every = self.figures | {"graph": self.still}
            return [path for name, figure in every.items() for path in style.save(figure, name, folder)]


def _figures(facts: Facts) -> dict[str, Figure]:
    drawn = {
        name: getattr(run_figures, name)(facts) for name in ("hops", "rounds", "curves", "confusion", "reliability")
    }
    nodes = embedded(facts.result.data.num_nodes)
    shades, classes = colours(len(facts.classes)), facts.result.data.y[nodes].numpy()
    for side in facts.sides:
        name = "layer" if side is facts.ours else "layer-typical"
        drawn[name] = run_figures.embedding(embed(side.logits[nodes]), classes, shades)
    return drawn


def embedded(count: int) -> Tensor:
    """Return the nodes whose last layer is drawn: all, or so many drawn by chance."""
    return torch.randperm(count, generator=torch.Generator().manual_seed(0))[:EMBEDDED].sort().values


def _values(facts: Facts, meta: Mapping[str, Any], drawn: graph_json.Drawn) -> dict[str, Any]:
    result, data = facts.result, facts.result.data
    parts = ", ".join(f"{int(data[f'{n}_mask'].sum()):,} {n}" for n in ("train", "val", "test"))
    added = result.highways.size(1)
    return {
        "title": facts.title,
        "lead": f"{data.num_nodes:,} nodes, {drawn.total['edges']:,} edges; {parts}; seed {result.config.seed}.",
        "facts": facts,
        "gain": facts.gain,
        "verdict": run_text.verdict(facts),
        "where": run_text.where(facts),
        "hop_rows": run_text.hop_rows(facts),
        "graph_note": run_text.of_graph(drawn),
        "has_viewer": html.has_viewer(),
        "legend": list(zip(facts.classes, colours(len(facts.classes)), strict=True)),
        "stopped": run_text.of_rounds(result),
        "layer_note": run_text.of_layer(data.num_nodes, EMBEDDED),
        "highway_count": added,
        "highways_note": run_text.of_highways(len(drawn.highways), added),
        "highway_heads": run_text.HEADS,
        "command": meta.get("command"),
        "configuration": json.dumps(_configuration(result, meta), indent=1),
    }


def _configuration(result: Result, meta: Mapping[str, Any]) -> dict[str, Any]:
    network = getattr(result.model, "network", None)
    kept = ("created", "data_hash", "split_hash", "versions")
    return {
        "config": result.config.model_dump(),
        "network": network.model_dump() if network else None,
        **{name: meta.get(name) for name in kept},
    }


def _picture(figure: Figure) -> str:
    image = io.BytesIO()
    figure.savefig(image, format="webp", dpi=120, transparent=True, pil_kwargs={"quality": 60})
    return "data:image/webp;base64," + base64.b64encode(image.getvalue()).decode()
