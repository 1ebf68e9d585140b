"""Write docs/performance.md and its plot from results/benchmarks.json."""

import json
import math
from itertools import pairwise
from typing import Any

from benchmarks.growth import ENVIRONMENT, slope
from tools.graph_viewer import frames, layouts
from tools.input_output import distances, reading, reports, service
from tools.pages import IMAGES, ROOT, fill_template, pyplot, save, table

SOURCE, PAGE, PLOT = (
    ROOT / "results/benchmarks.json",
    ROOT / "docs/performance.md",
    IMAGES / "growth.svg",
)
EPOCH_TARGETS = {
    ("gcn", "cora"): 18, ("gcn", "citeseer"): 25, ("gcn", "pubmed"): 3,
    ("sage", "cora"): 20, ("sage", "citeseer"): 30, ("sage", "pubmed"): 3,
    ("hyper", "cora"): 15, ("hyper", "citeseer"): 20, ("hyper", "pubmed"): 3,
    ("gat", "cora"): 6, ("gat", "citeseer"): 12, ("gat", "pubmed"): 2,
}  # fmt: skip
RUN_TARGETS = {"cora": 0.3, "citeseer": 0.3, "pubmed": 1.0}
PAIR_TARGET, SLOPE_TARGET = 1.05, 1.05


def speed(rows: list[dict[str, Any]]) -> str:
    """Return the table of epochs and runs, each with its target."""
    heads = ["dataset, network", "plain PyG epoch (ms)", "our epoch (ms)", "ratio (target)"]
    heads += ["with pairs / without (target)", "plain typical run (s)", "our full run (s)", "ratio (target)"]
    heads += ["peak MiB, plain", "peak MiB, ours"]
    cells = [
        [
            f"{r['dataset']}, {r['model']}",
            f"{r['plain_epoch_ms']:.1f}",
            f"{r['typical_epoch_ms']:.2f}",
            f"{r['epoch_ratio']:.1f} (≥ {EPOCH_TARGETS[r['model'], r['dataset']]})",
            f"{r['pair_ratio']:.3f} (≤ {PAIR_TARGET})",
            f"{r['plain_run_s']:.2f}",
            f"{r['full_run_s']:.2f}",
            f"{r['run_ratio']:.2f} (≤ {RUN_TARGETS[r['dataset']]})",
            f"{r['plain_peak_mib']:.0f}",
            f"{r['our_peak_mib']:.0f}",
        ]
        for r in rows
    ]
    return table(heads, cells)


def missed(rows: list[dict[str, Any]]) -> str:
    """Return the targets that were not reached."""
    faults = [
        f"{r['dataset']}, {r['model']}: {name}"
        for r in rows
        for name, fault in (
            ("epoch ratio", r["epoch_ratio"] < EPOCH_TARGETS[r["model"], r["dataset"]]),
            (f"pairs cost a factor {r['pair_ratio']:.3f}", r["pair_ratio"] > PAIR_TARGET),
            (f"full run {r['run_ratio']:.2f} of the plain run", r["run_ratio"] > RUN_TARGETS[r["dataset"]]),
        )
        if fault
    ]
    return (
        "Not reached: " + "; ".join(faults) + "."
        if faults
        else "All targets of this table were reached in this measurement."
    )


def modules(rows: list[dict[str, Any]]) -> str:
    """Return the table of a user's own module."""
    if not rows:
        return "Not measured yet: `python -m benchmarks modules`."
    heads = ["dataset, layer", "plain loop (ms)", "typical (ms)", "plain / typical", "`plus` (ms)", "`plus` / plain"]
    cells = [
        [
            f"{r['dataset']}, {r['conv']}",
            *(f"{r[name]:.1f}" for name in ("plain_ms", "typical_ms", "typical_ratio", "plus_ms")),
            f"{r['plus_ratio']:.2f}",
        ]
        for r in rows
    ]
    return table(heads, cells)


def shares(found: dict[str, Any]) -> str:
    """Return the share of an epoch's time by operation."""
    names = list(found["shares"][0]["shares"])
    rows = [
        [f"{r['dataset']}, {r['model']}", f"{r['epoch_ms']:.2f}", *(f"{100 * r['shares'][n]:.0f} %" for n in names)]
        for r in found["shares"]
    ]
    return table(["dataset, network", "epoch (ms)", *names], rows)


def products(found: dict[str, Any]) -> str:
    """Return the throughput of the largest sparse product."""
    heads = [
        "dataset",
        "entries",
        "time (ms)",
        "GB/s of rows gathered",
        "GFLOP/s",
        "least traffic (MiB)",
        "bound by copying (ms)",
    ]
    slowest = found["copy_gb_s"]["256"]
    rows = [
        [
            r["dataset"],
            f"{r['entries']:,}",
            f"{r['ms']:.2f}",
            f"{r['gathered_gb_s']:.0f}",
            f"{r['gflop_s']:.1f}",
            f"{r['least_traffic_mib']:.1f}",
            f"{r['least_traffic_mib'] * 2**20 / slowest / 1e6:.2f}",
        ]
        for r in found["products"]
    ]
    return table(heads, rows)


def growth(rows: list[dict[str, Any]]) -> str:
    """Return the slopes of time and memory."""
    heads = [
        "growing quantity",
        "from",
        "to",
        "slope of an epoch",
        "slope of the explicit step",
        "slope of peak memory",
    ]
    cells = [
        [
            r["grows"] if r["grows"] != "edges" else "edges (degree)",
            f"{r['points'][0][r['variable']]:,}",
            f"{r['points'][-1][r['variable']]:,}",
            *(_slope(r, value) for value in ("epoch_s", "explicit_s", "peak_mib")),
        ]
        for r in rows
    ]
    return table(heads, cells)


def tables(rows: list[dict[str, Any]]) -> str:
    """Return the times to read tables."""
    heads = ["rows", "columns", "pandas.read_csv (s)", "hg.load (s)", "ratio"]
    return table(
        heads,
        [
            [
                f"{r['rows']:,}",
                f"{r['columns']:,}",
                f"{r['pandas_s']:.2f}",
                f"{r['load_s']:.2f}",
                f"{r['ratio']:.1f}",
            ]
            for r in rows
        ],
    )


def _slope(row: dict[str, Any], value: str) -> str:
    found = slope(row["points"], row["variable"], value)
    return "-" if math.isnan(found) else f"{found:.2f}"


def target(rows: list[dict[str, Any]]) -> str:
    """Return how the slopes compare with their target."""
    nodes = {r["grows"]: r for r in rows if r["variable"] == "nodes"}
    slopes = "; ".join(
        f"{name}: epoch {_slope(r, 'epoch_s')}, explicit step {_slope(r, 'explicit_s')}" for name, r in nodes.items()
    )
    worst = max(slope(r["points"], "nodes", v) for r in nodes.values() for v in ("epoch_s", "explicit_s"))
    words = "reached" if worst <= SLOPE_TARGET else "not reached"
    points = nodes["nodes"]["points"]
    decades = ", ".join(f"{slope(list(two), 'nodes', 'epoch_s'):.2f}" for two in pairwise(points))
    return (
        f"Target: at most {SLOPE_TARGET} with nodes at a fixed degree, {words} ({slopes}; epoch by decade: {decades})."
    )


def largest(rows: list[dict[str, Any]]) -> str:
    """Return time and memory of the largest graph."""
    point = next(r for r in rows if r["grows"] == "nodes")["points"][-1]
    return (
        f"The largest graph has {point['nodes']:,} nodes, ten neighbours each and {5 * point['labels']:,} training "
        f"labels: {point['epoch_s']:.2f} s an epoch, {point['explicit_s']:.2f} s for the explicit step (50 anchors), "
        f"{point['peak_mib'] / 1024:.1f} GiB peak memory."
    )


def kept_memory(rows: list[dict[str, Any]]) -> str:
    """Return time and memory of the largest graph where freed memory is kept by the process."""
    name, variables = next(iter(ENVIRONMENT.items()))
    usual, other = (next(r for r in rows if r["grows"] == n)["points"][-1] for n in ("nodes", name))
    setting = " ".join(f"{k}={v}" for k, v in variables.items())
    return (
        f"Where freed memory is kept, the same epoch takes {other['epoch_s']:.2f} s instead of {usual['epoch_s']:.2f} "
        f"and {other['peak_mib'] / 1024:.1f} GiB instead of {usual['peak_mib'] / 1024:.1f}. On Linux that is one "
        f"variable, set before Python starts:\n\n```\n{setting}\n```"
    )


def accuracy(rows: list[dict[str, Any]]) -> str:
    """Return the accuracies with prepared operators and with PyG's layers."""
    heads = ["network, preset", "runs", "prepared operators", "PyG's layers", "difference", "standard error"]
    cells = [
        [f"{r['model']}, {r['preset']}", str(r["runs"]), f"{r['ours']:.2f}", f"{r['pyg']:.2f}",
         f"{r['difference']:+.2f}", f"{r['standard_error']:.2f}"]
        for r in rows
    ]  # fmt: skip
    clear = sum(abs(r["difference"]) > 2 * r["standard_error"] for r in rows)
    return table(heads, cells) + f"\n\n{clear} of {len(rows)} differences lie beyond two standard errors."


def plot(rows: list[dict[str, Any]]) -> None:
    """Draw time (top) and memory (bottom) against each growing quantity."""
    plt = pyplot("growth", 9)
    figure, axes = plt.subplots(2, len(rows), figsize=(12, 4.6), layout="constrained", sharey="row", sharex="col")
    styles = {"epoch_s": ("epoch (s)", "#0072b2", "o", "-"), "explicit_s": ("explicit step (s)", "#d55e00", "s", "--")}
    for row, time, memory in zip(rows, *axes, strict=True):
        x = [p[row["variable"]] for p in row["points"]]
        for value, (label, colour, marker, line) in styles.items():
            y = [p[value] for p in row["points"]]
            time.loglog(x, y, color=colour, marker=marker, linestyle=line, label=label)
        memory.loglog(x, [p["peak_mib"] for p in row["points"]], color="#767676", marker="^", linestyle=":")
        memory.set_xlabel(row["grows"] if row["grows"] != "edges" else "edges per node")
        memory.set_xticks([x[0], x[-1]], [_short(x[0]), _short(x[-1])])
        memory.set_xticks([], minor=True)
        for axis in (time, memory):
            axis.grid(alpha=0.3)
            axis.spines[["top", "right"]].set_visible(False)
    axes[0][0].set_ylabel("seconds")
    axes[1][0].set_ylabel("peak memory (MiB)")
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside upper left", ncols=2, frameon=False, fontsize=8)
    save(plt, figure, PLOT)


def _short(number: int) -> str:
    return f"{number // 10**6}M" if number >= 10**6 else f"{number:,}"


def page(found: dict[str, Any]) -> str:
    """Return the text of the page."""
    machine = found["machines"]["speed"]
    parts = {
        "machine": f"{machine['cpu']}, one thread, torch {machine['versions']['torch']}, "
        f"torch-geometric {machine['versions']['torch-geometric']}",
        "speed": speed(found["speed"]),
        "missed": missed(found["speed"]),
        "shares": shares(found["breakdown"]),
        "products": products(found["breakdown"]),
        "copy": ", ".join(f"{v:.0f} GB/s for {k} MiB" for k, v in found["breakdown"]["copy_gb_s"].items()),
        "growth": growth(found["growth"]),
        "target": target(found["growth"]),
        "largest": largest(found["growth"]),
        "kept_memory": kept_memory(found["growth"]),
        "accuracy": accuracy(found["accuracy"]),
        "tables": tables(found["tables"]),
        "modules": modules(found.get("modules", [])),
        "reading": reading(found.get("reading", [])),
        "distances": distances(found.get("distances")),
        "reports": reports(found.get("reports", [])),
        "layouts": layouts(found.get("layouts", [])),
        "frames": frames(found.get("viewer")),
        "service": service(found.get("serve", [])),
    }
    return fill_template("performance", parts)


if __name__ == "__main__":
    measured = json.loads(SOURCE.read_text())
    plot(measured["growth"])
    text = page(measured)
    PAGE.write_text(text)
    print(text)
    print(f"Written: {PAGE.relative_to(ROOT)}, {PLOT.relative_to(ROOT)}")
