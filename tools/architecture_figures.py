"""Draws docs/images/flow.svg and packages.svg: the data flow of one run, and the packages with their allowed imports.

The packages come from the import contract in pyproject.toml. `python -m tools.architecture_figures` writes both.
"""

import textwrap
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from tools.svg import BLUE, GREEN, GREY, INK, ORANGE, WIDTH, arrow, box, document, text

ROOT = Path(__file__).resolve().parent.parent
FLOW, PACKAGES = ROOT / "docs/images/flow.svg", ROOT / "docs/images/packages.svg"


class Step(NamedTuple):
    """One box of the data flow."""

    title: str
    module: str
    note: str


BEFORE = (
    Step("load", "data/load.py", "a name, file, folder or Data"),
    Step("validate", "graph/validate.py", "shapes, indices, labels"),
    Step("split", "graph/splits.py", "train, val and test masks"),
    Step("features", "nn/features.py", "dense, sparse or mapped"),
)
ROUND = (
    Step("batches", "training/batches.py", "whole graph, or mini-batches"),
    Step("fit", "training/fit.py", "epochs: loss, step, validate"),
    Step("selection", "training/selection.py", "best epoch and round, stop?"),
    Step("propose", "training/propose.py", "highways (Eq. 12-15)"),
)
AFTER = (
    Step("Result", "runs/result.py", "model, logits, highways"),
    Step("run folder", "runs/folder.py", "JSON, safetensors, SHA-256"),
    Step("open run", "runs/open.py", "bit-identical logits"),
    Step("report", "report/run_page.py", "self-contained HTML page"),
)
BOX, HIGH, GAP, EDGE = 208, 78, 34, 33
TOPS = (56, 236, 396)

MEANING = {
    "cli": "commands: parse options, print tables or JSON",
    "report": "figures and HTML pages",
    "service": "predictions over HTTP",
    "study": "grids of runs, their records, hyper-parameter search",
    "annotation": "the labelling page: answers, suggestions, retraining",
    "explanation": "why this class?",
    "labelling": "nodes to label next",
    "training": "Algorithm 1: rounds, losses, highways, checkpoints",
    "runs": "result, run folder, predictions, export, lock",
    "nn": "networks, kernels, batches",
    "data": "formats, tables, datasets",
    "graph": "CSR adjacency, BFS, sampling, splits, validation",
    "runtime": "random numbers, processes, atomic files",
    "config": "every option of a run as a frozen value",
    "options": "dotted names of options, and how to override them",
    "errors": "exceptions that name the cause and the remedy",
}
LEFT, RIGHT, ROW, SPACE, FIRST = 70, 556, 42, 10, 116
# Where the words of a rule stand, and how many letters fit in a line there.
COLUMNS, LETTERS = (576, 786), 22


def flow() -> str:
    """Return the data flow of one run as SVG text."""
    label = "Data flow of one run: load, validate, split, features; rounds; result, run folder, report."
    rows = ((TOPS[0], BEFORE, BLUE), (TOPS[1], ROUND, ORANGE), (TOPS[2], AFTER, GREEN))
    inside, below, middle = _column(0) + BOX // 2 + 40, TOPS[0] + HIGH, TOPS[1] + HIGH
    parts = [
        text(EDGE, 34, "One run, from load to report", size=19, bold=True),
        box(12, 176, WIDTH - 24, 152, ORANGE, dashed=True, filled=False),
        *(part for top, steps, colour in rows for part in _row(top, steps, colour)),
        # From the features to the first round, from one round to the next, and from the last one to the result.
        arrow(f"M {_column(3) + BOX // 2} {below} V 155 H {_column(0) + 40} V {TOPS[1] - 2}"),
        arrow(f"M {_column(3) + BOX // 2} {TOPS[1]} V 210 H {inside} V {TOPS[1] - 2}", ORANGE),
        arrow(f"M {_column(2) + BOX // 2} {middle} V 365 H {_column(0) + BOX // 2} V {TOPS[2] - 2}"),
        text(_column(1), 201, "next round: the graph augmented with the highways (graph/augment.py)", ORANGE),
        text(_column(3) + BOX, 201, "rounds: training/engine.py", ORANGE, anchor="end", bold=True),
        text(_column(1), 357, "stop: the selected round"),
    ]
    return document(500, label, parts)


def packages(project: dict[str, Any]) -> str:
    """Return the packages in their order and the import rules as SVG text, from a parsed pyproject.toml."""
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = [layer.split(" | ") for one in contracts if one["type"] == "layers" for layer in one["layers"]]
    rules = [one for one in contracts if one["type"] == "forbidden"]
    rows = {package: place for place, layer in enumerate(layers) for package in layer}
    named = [_name(module) for rule in rules for module in rule["forbidden_modules"] if _is_own(module)]
    facades = ", ".join(dict.fromkeys(name for name in named if name.split(".")[0] not in rows))
    bottom = _top(len(layers) - 1) + ROW
    parts = [
        text(LEFT, 34, "Packages of src/highwaygraph", size=19, bold=True),
        text(RIGHT + 20, 34, "Further import rules", size=19, bold=True),
        box(LEFT, _top(-1) - 8, RIGHT - LEFT, ROW, GREY, dashed=True),
        *_named(LEFT, _top(-1) - 8, "facades", f"{facades}: may import every package"),
        *(part for place, layer in enumerate(layers) for part in _layer(_top(place), layer)),
        arrow(f"M 44 {_top(0)} V {bottom}"),
        text(30, (_top(0) + bottom) // 2, "imports", anchor="middle", upwards=True),
        *_rules(rules, rows),
    ]
    label = "Packages from top to bottom: " + ", ".join(" and ".join(layer) for layer in layers) + "; imports go down."
    return document(bottom + 24, label, parts)


def _layer(top: int, layer: list[str]) -> list[str]:
    """Return the boxes of one layer; packages that share it stand side by side and do not import each other."""
    wide = (RIGHT - LEFT - SPACE * (len(layer) - 1)) // len(layer)
    found: list[str] = []
    for place, package in enumerate(layer):
        x = LEFT + place * (wide + SPACE)
        # The name takes less of a narrow box.
        gap = 96 if len(layer) == 1 else max(58, 14 + 8 * len(package))
        found += [box(x, top, wide, ROW, BLUE), *_named(x, top, package, MEANING[package], gap)]
    return found


def _named(x: int, top: int, name: str, meaning: str, gap: int = 96) -> list[str]:
    return [text(x + 12, top + 26, name, bold=True, size=16), text(x + gap, top + 26, meaning, size=14)]


def _rules(rules: list[dict[str, Any]], rows: dict[str, int]) -> list[str]:
    """Return a bracket next to the packages of each rule, with its text; overlapping rules get a column each."""
    taken: list[set[int]] = [set() for _ in COLUMNS]
    found: list[str] = []
    for rule in sorted(rules, key=lambda one: len(_bound(one, rows))):
        bound = _bound(rule, rows)
        column = next(i for i, places in enumerate(taken) if not places & bound)
        taken[column] |= bound
        found += _rule(rule, _top(min(bound)), _top(max(bound)) + ROW, COLUMNS[column])
    return found


def _bound(rule: dict[str, Any], rows: dict[str, int]) -> set[int]:
    # Modules outside the layers, such as presets, have no row.
    names = [_name(module).split(".")[0] for module in rule["source_modules"]]
    places = [rows[name] for name in names if name in rows]
    return set(range(min(places), max(places) + 1))


def _rule(rule: dict[str, Any], top: int, bottom: int, x: int) -> list[str]:
    inner = [_name(module).split(".")[1] for module in rule["source_modules"] if "." in _name(module)]
    subject = f"{', '.join(inner)} import none of" if inner else "None of these imports"
    title = textwrap.wrap(rule["name"], LETTERS)
    body = textwrap.wrap(f"{subject} {', '.join(_name(module) for module in rule['forbidden_modules'])}.", LETTERS + 2)
    lines = [(line, ORANGE) for line in title] + [(line, INK) for line in body]
    first = (top + bottom) // 2 - 19 * (len(lines) - 1) // 2 + 4
    bracket = f'<path d="M {x} {top} h 8 V {bottom} h -8" fill="none" stroke="{ORANGE}" stroke-width="2"/>'
    words = [text(x + 18, first + 19 * i, *line, bold=line[1] == ORANGE) for i, line in enumerate(lines)]
    return [bracket, *words]


def _name(module: str) -> str:
    return module.removeprefix("highwaygraph.")


def _is_own(module: str) -> bool:
    return module.startswith("highwaygraph.")


def _top(place: int) -> int:
    return FIRST + place * (ROW + SPACE)


def _column(place: int) -> int:
    return EDGE + place * (BOX + GAP)


def _row(top: int, steps: tuple[Step, ...], colour: str) -> list[str]:
    """Return the boxes of a row with arrows between them."""
    found = []
    for place, step in enumerate(steps):
        x = _column(place)
        found += [box(x, top, BOX, HIGH, colour), text(x + 12, top + 24, step.title, size=17, bold=True)]
        found += [
            text(x + 12, top + 45, step.module, colour, mono=True, size=14),
            text(x + 12, top + 65, step.note, size=14),
        ]
        if place:
            found.append(arrow(f"M {x - GAP} {top + HIGH // 2} H {x - 2}"))
    return found


def read_project() -> dict[str, Any]:
    """Return the parsed pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


if __name__ == "__main__":
    FLOW.write_text(flow(), encoding="utf-8")
    PACKAGES.write_text(packages(read_project()), encoding="utf-8")
