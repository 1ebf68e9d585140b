"""Write docs/scale.md from results/benchmarks.json."""

import json
import math
from itertools import pairwise
from statistics import median
from typing import Any

from tools.claims import FAR
from tools.pages import ROOT, fill_template, table
from tools.size_tables import default_runs, time_slope

SOURCE, PAGE = ROOT / "results/benchmarks.json", ROOT / "docs/scale.md"
FEATURES, HIDDEN, CLASSES = 128, 64, 10
BASE, BY_CLASS, MORE = 700, 20, 96
PHASES = {"epoch": "epoch", "logits": "logits", "proposals": "proposals", "hops": "distances"}
GIB, MIB = 2**30, 2**20
NETWORK, LABELS, MACHINES = 10, 10**6, 16
Found = dict[str, Any]


def times(rows: list[Found]) -> str:
    """Return the seconds of every phase by graph size."""
    heads = ["nodes", "edges", "written", "opened", *PHASES.values()]
    lines = [
        [
            f"{row['nodes']:,}",
            f"{row['edges']:,}",
            f"{row['made']:.0f}",
            f"{row['open']['seconds']:.2f}",
            *(f"{row[name]['seconds']:.2f}" for name in PHASES),
            f"{row['nodes'] * row['anchors'] / row['proposals']['seconds'] / 1e6:,.0f}",
        ]
        for row in rows
    ]
    return table([*heads, "10⁶ pairs/s"], lines)


def slopes(rows: list[Found]) -> str:
    """Return the slopes of every phase."""
    overall = [f"{title} {_slope(rows, name):.2f}" for name, title in PHASES.items()]
    steps = [
        f"{title} {', '.join(f'{_slope(list(pair), name):.2f}' for pair in pairwise(rows))}"
        for name, title in PHASES.items()
    ]
    return f"Slopes: {', '.join(overall)}; by decade: {'; '.join(steps)}."


def repetitions(row: Found) -> str:
    """Return the single repetitions on the largest graph."""
    times = [f"{title} {', '.join(f'{s:.2f}' for s in row[name]['turns'])} s" for name, title in PHASES.items()]
    return f"Single repetitions on {row['nodes']:,} nodes: {'; '.join(times)}."


def _slope(rows: list[Found], name: str) -> float:
    first, last = rows[0], rows[-1]
    return math.log(last[name]["seconds"] / first[name]["seconds"]) / math.log(last["nodes"] / first["nodes"])


def bound(nodes: float, edges: float, hidden: int = HIDDEN, tables: int = 1) -> tuple[float, float]:
    """Return the bytes of the graph on disk, and those of its node tables, of which `tables` have the hidden width."""
    return nodes * (4 * FEATURES + 13) + 8 * edges, nodes * (4 * tables * hidden + BY_CLASS * CLASSES + MORE)


def memory(rows: list[Found]) -> str:
    """Return the peak memory of every phase and that of the formula."""
    phases = ("open", "train", "logits", "proposals", "hops")
    lines = [
        [
            f"{row['nodes']:,}",
            *(f"{row[phase]['peak_mib']:,.0f}" for phase in phases),
            f"{BASE + sum(bound(row['nodes'], row['edges'])) / MIB:,.0f}",
        ]
        for row in rows
    ]
    titles = ["opened", "trained", "logits", "proposals", "distances"]
    return table(["peak MiB", *titles, "formula"], lines)


def largest(found: Found) -> str:
    """Return the peak memory of the whole run on the largest graph and that of the formula."""
    row, last = max(found["runs"], key=lambda run: run["nodes"]), found["phases"][-1]
    expected = BASE + sum(bound(last["nodes"], last["edges"])) / MIB
    return (
        f"The whole run on {row['nodes']:,} nodes below had a peak of {row['peak_mib']:,.0f} MiB; the formula gives "
        f"{expected:,.0f}."
    )


def runs(rows: list[Found]) -> str:
    """Return time, memory and accuracy of whole runs, of all test nodes and of remote ones."""
    lines = [
        [
            f"{row['nodes']:,}, `{row['preset']}`, {len(row['rounds'])} rounds",
            f"{row['seconds'] / 60:.1f}",
            f"{row['peak_mib'] / 1024:.1f}",
            f"{sum(r['edges'] for r in row['rounds']):,}",
            f"{100 * row['test']:.2f}",
            f"{_remote(row):.2f}",
        ]
        for row in rows
    ]
    heads = ["nodes, preset", "minutes", "peak GiB", "highways", "test accuracy (%)", "4 hops and more (%)"]
    return table(heads, lines)


def remote(rows: list[Found]) -> str:
    """Return the difference to typical training on remote nodes."""
    differences = []
    for plain in (row for row in rows if row["preset"] == "typical"):
        for row in rows:
            if row["preset"] != "typical" and row["nodes"] == plain["nodes"]:
                differences.append(
                    f"`{row['preset']}` minus typical on {row['nodes']:,} nodes: {_remote(row) - _remote(plain):+.2f}"
                )
    return (
        f"On nodes 4 hops and more from a label of their class, {'; '.join(differences)} points (one graph, one seed)."
    )


def _remote(row: Found) -> float:
    own = [hop for hop in row["hops"] if hop["hops"] in FAR and hop["nodes"]]
    return 100 * sum(hop["accuracy"] * hop["nodes"] for hop in own) / sum(hop["nodes"] for hop in own)


def loader(found: Found) -> str:
    """Return the throughput of neighbour sampling and the time of a full-batch epoch."""
    sampled, plain, seconds = found["loader"], found["plain"], _epoch(found["together"], 1)
    return (
        f"On {sampled['nodes']:,} nodes, {sampled['labels']:,} of them labelled for training, the loader samples "
        f"{sampled['labels'] / sampled['seconds']:,.0f} seed nodes per second with their subgraphs and features; "
        f"with training on them, and validation on as many, it is {sampled['labels'] / seconds:,.0f} per second, "
        f"an epoch of {seconds:.1f} s. A full-batch epoch of the plain PyG loop takes "
        f"{plain['seconds']:.1f} s and {plain['peak_mib'] / 1024:.1f} GiB at {plain['nodes']:,} nodes."
    )


def together(rows: list[Found]) -> str:
    """Return the speed-up of two processes."""
    one, two = _epoch(rows, 1), _epoch(rows, 2)
    ratios = [f"{a['seconds'] / b['seconds']:.2f}" for a, b in pairwise(rows) if (a["world"], b["world"]) == (1, 2)]
    return (
        f"The same labels, in mini-batches of the same size per process: one process takes {one:.2f} s per epoch, two "
        f"take {two:.2f} s, {one / two:.2f} times the throughput, one thread each (medians; single repetitions "
        f"{', '.join(ratios)})."
    )


def _epoch(rows: list[Found], world: int) -> float:
    return median(row["seconds"] for row in rows if row["world"] == world)


def plan(found: Found) -> str:
    """Return memory, network traffic and time on many machines, extrapolated from one."""
    nodes, edges, last = 10**8, 10**9, found["phases"][-1]
    rate = found["loader"]["labels"] / _epoch(found["together"], 1)
    share = (nodes + 2 * edges) / (last["nodes"] + 2 * last["edges"]) / MACHINES
    lines = []
    for hidden in (64, 16):
        # A gathered table exists once in shards and once as a whole.
        disk, tables = bound(nodes, edges, hidden, tables=2)
        passed = 4 * nodes * (hidden + 2 * CLASSES) * (MACHINES - 1) / MACHINES
        logits = share * last["logits"]["seconds"] * hidden / HIDDEN + 8 * passed / (NETWORK * 1e9)
        proposals = nodes / last["nodes"] / MACHINES * last["proposals"]["seconds"]
        lines.append([
            f"{hidden} hidden units",
            f"{disk / GIB:,.0f} GiB",
            f"{tables / GIB:,.0f} GiB",
            f"{passed / GIB:,.0f} GiB",
            f"{LABELS / MACHINES / rate:,.0f} s",
            f"{logits:,.0f} s",
            f"{proposals:,.0f} s",
        ])  # fmt: skip
    heads = ["", "graph on disk", "tables in memory", "received per machine and pass"]
    return table([*heads, "epoch", "logits of all nodes", "proposals"], lines)


def page(found: Found) -> str:
    """Return the text of the page."""
    own, machine = found["scale"], found["machines"]["scale"]
    sizes = found["size"] + found.get("size-largest", [])
    parts = {
        "machine": f"{machine['cpu']}, torch {machine['versions']['torch']}",
        "times": times(own["phases"]),
        "slopes": slopes(own["phases"]),
        "repetitions": repetitions(own["phases"][-1]),
        "memory": memory(own["phases"]),
        "base": str(BASE),
        "by_class": str(BY_CLASS),
        "more": str(MORE),
        "largest": largest(own),
        "runs": runs(own["runs"]),
        "default_runs": default_runs(sizes),
        "time_slope": time_slope(sizes),
        "remote": remote(own["runs"]),
        "loader": loader(own),
        "together": together(own["together"]),
        "network": str(NETWORK),
        "plan": plan(own),
    }
    return fill_template("scale", parts)


if __name__ == "__main__":
    PAGE.write_text(page(json.loads(SOURCE.read_text())))
    print(f"Written: {PAGE.relative_to(ROOT)}")
