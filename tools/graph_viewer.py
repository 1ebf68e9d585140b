"""The section of docs/performance.md on the graph viewer: layouts beside those of other libraries, and frames."""

from typing import Any

from tools.pages import table

NAMES = {
    "ours": "**ours**",
    "forceatlas2": "graphology-layout-forceatlas2",
    "force": "graphology-layout-force",
    "circlepack": "graphology-layout, circlepack by class",
    "d3": "d3-force",
    "ngraph": "ngraph.forcelayout",
    "networkx-forceatlas2": "NetworkX, forceatlas2_layout",
    "networkx-spring": "NetworkX, spring_layout",
}
ACTIONS = {"drag": "drag", "zoom": "zoom by wheel", "select": "select a node and move to it"}


def layouts(rows: list[dict[str, Any]]) -> str:
    """Return the quality and the time of every layout, with three numbers per graph."""
    if not rows:
        return "Not measured yet: `python -m benchmarks layouts`."
    graphs = {r["graph"]: r for r in rows}
    found = {(r["layout"], r["graph"]): r for r in rows}
    heads = ["layout"]
    for name, first in graphs.items():
        heads.append(f"{name.removeprefix('zoo/')}, {first['nodes']:,} nodes: neighbours, class (%); CPU (s)")
    cells = [
        [words, *(_quality(found.get((layout, graph))) for graph in graphs)]
        for layout, words in NAMES.items()
        if any((layout, graph) in found for graph in graphs)
    ]
    return table(heads, cells)


def frames(found: dict[str, Any] | None) -> str:
    """Return the time between frames by action, and the work of the page."""
    if found is None:
        return "Not measured yet: `python -m benchmarks viewer`."
    heads = ["action", "median between frames (ms)", "95 % below (ms)", "work of the page per frame (ms)"]
    cells = [
        [ACTIONS[r["action"]], f"{r['median_ms']:.0f}", f"{r['p95_ms']:.0f}", f"{r['work_ms']:.1f}"]
        for r in found["actions"]
    ]
    sizes = f"{found['nodes']:,} nodes, {found['edges']:,} edges and {found['highways']:,} highways"
    return f"A page of {sizes} shows its first picture after {found['ready_s']:.1f} s.\n\n{table(heads, cells)}"


def _quality(row: dict[str, Any] | None) -> str:
    if row is None:
        return "-"
    return f"{100 * row['neighbours']:.0f}, {100 * row['classes']:.0f}; {row['seconds']:.1f}"
