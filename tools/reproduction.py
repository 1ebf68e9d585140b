"""Make docs/reproduction.md and its figures from results/*.jsonl; no number on it is typed by hand."""

from collections import defaultdict
from statistics import fmean, stdev
from typing import Any

from highwaygraph.study import Record, Study, cells, read_records, read_study
from highwaygraph.tables import Row, rows
from tools.pages import IMAGES, ROOT, filled, pyplot, save, table

RESULTS, PAGE = ROOT / "results", ROOT / "docs/reproduction.md"
STUDIES = ("search1", "table1", "table3", "table4", "figure1", "figure5")
STRATEGIES = ("lead", "random", "close", "middle", "remote")
NETWORKS = {"gcn": "GCN", "gat": "GAT", "sage": "SAGE", "hyper": "Hyper"}
PRESETS = ("typical", "full", "without-joint", "without-explicit")
HOPS = ("1", "2", "3", "4", "5+", "unreachable")
FAR = ("4", "5+", "unreachable")


def read(name: str) -> tuple[Study, list[Record], list[Row]]:
    """Return a study with its records and rows."""
    study = read_study(name)
    records = read_records(RESULTS / f"{name}.jsonl")
    return study, records, rows(study, records)


def number(row: Row) -> str:
    """Return ours, the paper's, and the paired difference."""
    text = f"**{row.mean:.1f}** ± {row.deviation:.1f}"
    if row.paper is not None:
        text += f" [{row.paper:.1f}{f' ± {row.paper_deviation:.1f}' if row.paper_deviation is not None else ''}]"
    if row.difference is not None:
        text += f" {row.difference:+.2f} ({row.standard_error or 0:.2f})"
    return text


def table1(found: list[Row]) -> str:
    """Return one table per dataset."""
    place = {(r.setting["dataset"], r.setting["preset"], r.setting["model"]): r for r in found}
    parts = []
    for dataset in dict.fromkeys(r.setting["dataset"] for r in found):
        lines = [
            [preset, *(number(place[dataset, preset, m]) if (dataset, preset, m) in place else "-" for m in NETWORKS)]
            for preset in PRESETS
        ]
        runs = sorted({r.runs for r in found if r.setting["dataset"] == dataset})
        parts.append(f"### {dataset}\n\n{table(['', *NETWORKS.values()], lines)}\n\nRuns per cell: {_range(runs)}.")
    return "\n\n".join(parts)


def crossed(found: list[Row], down: str, across: str) -> str:
    """Return a table of one axis against another."""
    place = {(r.setting[down], r.setting[across]): r for r in found}
    heads = list(dict.fromkeys(r.setting[across] for r in found))
    lines = [
        [f"{side:,}", *(number(place[side, head]) for head in heads if (side, head) in place)]
        for side in dict.fromkeys(r.setting[down] for r in found)
    ]
    return table([f"{down} / {across}", *map(str, heads)], lines)


def tuned(study: Study) -> str:
    """Return the chosen hyper-parameters."""
    names = [k for k in study.tuned[0] if k not in ("dataset", "model")]
    lines = [[f"{t['dataset']}, {t['model']}", *(str(t[name]) for name in names)] for t in study.tuned]
    return table(["", *names], lines)


def last(found: list[Row]) -> str:
    """Return what Algorithm 1's own answer, the last round, gives beside the best round."""
    full = [r for r in found if r.setting["preset"] == "full"]
    gap = fmean(r.mean - r.last for r in full)
    return (
        "Algorithm 1 prints the round that failed to improve. Read so (`keep = last`), `full` gives "
        f"{-gap:+.2f} points on average over its {len(full)} cells beside the best round on validation, shown above."
    )


def hop_lines(records: list[Record], axes: tuple[str, ...]) -> dict[tuple[Any, ...], dict[str, list[float]]]:
    """Return accuracies per hop of every run, by the values of the axes."""
    lines: dict[tuple[Any, ...], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for found in records:
        for hop in found.facts["hops"]:
            if hop["accuracy"] is not None:
                lines[tuple(found.cell[a] for a in axes)][hop["hops"]].append(100 * hop["accuracy"])
    return lines


def draw(name: str, panels: dict[str, dict[str, dict[str, list[float]]]]) -> None:
    """Draw accuracy by hops, a panel per key and a line per label, with the standard error over runs."""
    plt = pyplot(name)
    size = (max(6.5, 3.4 * len(panels)), 3.4)
    figure, axes = plt.subplots(1, len(panels), figsize=size, layout="constrained", sharey=True, squeeze=False)
    looks = [("#0072b2", "o", "-"), ("#d55e00", "s", "--"), ("#009e73", "^", ":"), ("#767676", "D", "-.")]
    for axis, (title, lines) in zip(axes[0], panels.items(), strict=True):
        for (label, values), (colour, marker, style) in zip(lines.items(), looks, strict=False):
            means = [fmean(values[h]) for h in HOPS]
            errors = [stdev(values[h]) / len(values[h]) ** 0.5 for h in HOPS]
            axis.errorbar(HOPS, means, errors, label=label, color=colour, marker=marker, linestyle=style, capsize=2)
        axis.set_title(title, loc="left", fontsize=10)
        axis.set_xlabel("hops to the nearest own label")
        axis.set_xticks(range(len(HOPS)), [*HOPS[:-1], "none"])
        axis.grid(axis="y", alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0][0].set_ylabel("test accuracy (%)")
    axes[0][0].legend(frameon=False, fontsize=9)
    save(plt, figure, IMAGES / f"{name}.svg")


def verdict(good: int, total: int, clear: int) -> str:
    """Return confirmed, partly or not, by how many cells agree and how many of them clearly."""
    words = "confirmed" if clear == total else "partly" if good > total / 2 else "not confirmed"
    return f"**{words}**: {good} of {total} cells agree, {clear} by more than two standard errors"


def against_typical(found: list[Row], preset: str) -> str:
    """Judge that a preset beats typical training everywhere."""
    gaps = [r for r in found if r.setting["preset"] == preset and r.difference is not None]
    clear = sum(r.difference > 2 * (r.standard_error or 0) for r in gaps)
    mean = fmean(r.difference for r in gaps)
    paper = {(r.setting["dataset"], r.setting["model"], r.setting["preset"]): r.paper for r in found}
    said = fmean(
        paper[r.setting["dataset"], r.setting["model"], preset]
        - paper[r.setting["dataset"], r.setting["model"], "typical"]
        for r in gaps
    )
    good = sum(r.difference > 0 for r in gaps)
    return f"{verdict(good, len(gaps), clear)}; mean difference {mean:+.2f} (the paper: {said:+.2f})"


def against_full(found: list[Row], preset: str) -> str:
    """Judge that leaving a part out costs accuracy."""
    place = {(r.setting["dataset"], r.setting["model"], r.setting["preset"]): r for r in found}
    gaps = [
        r.mean - place[d, m, preset].mean for (d, m, p), r in place.items() if p == "full" and (d, m, preset) in place
    ]
    return f"full is ahead in {sum(g > 0 for g in gaps)} of {len(gaps)} cells, by {fmean(gaps):+.2f} on average"


def far(lines: dict[str, list[float]]) -> float:
    """Return the mean accuracy of remote nodes."""
    return fmean(fmean(lines[h]) for h in FAR)


def figures() -> dict[str, str]:
    """Draw Figures 1 and 5 and return what they say of the paper's claims."""
    depth = {f"{k[0]} layers": v for k, v in hop_lines(read("figure1")[1], ("network.layers",)).items()}
    weights = hop_lines(read("figure5")[1], ("model", "pairs.weight"))
    draw("figure1", {"Cora, GCN": depth})
    draw("figure5", {t: {f"lambda {w}": v for (m, w), v in weights.items() if m == n} for n, t in NETWORKS.items()})
    falls = sum(far(lines) < fmean(lines["1"]) for lines in depth.values())
    gains = {m: far(weights[m, 1.0]) - far(weights[m, 0.0]) for m in NETWORKS}
    near = {m: fmean(weights[m, 1.0]["1"]) - fmean(weights[m, 0.0]["1"]) for m in NETWORKS}
    return {
        "claim_depth": f"{falls} of {len(depth)} depths lose accuracy with distance; remote nodes: "
        + ", ".join(f"{name} {far(lines):.1f}" for name, lines in depth.items()),
        "claim_far": ", ".join(f"{NETWORKS[m]} {g:+.1f} (1 hop away: {near[m]:+.1f})" for m, g in gains.items()),
    }


def smaller_tables() -> dict[str, str]:
    """Return Tables 3 and 4 and what they say of the paper's claims."""
    rows3, rows4 = read("table3")[2], read("table4")[2]
    means = {s: fmean(r.mean for r in rows4 if r.setting["pairs.strategy"] == s) for s in STRATEGIES}
    gaps = [(r.difference, r.standard_error or 0.0) for r in rows3 if r.difference is not None]
    return {
        "table3": crossed(rows3, "train", "pairs.weight"),
        "table4": crossed(rows4, "pairs.limit", "pairs.strategy"),
        "claim_sizes": verdict(sum(g > 0 for g, _ in gaps), len(gaps), sum(g > 2 * e for g, e in gaps)),
        "claim_strategies": ", ".join(f"{s} {m:.2f}" for s, m in sorted(means.items(), key=lambda x: -x[1])),
    }


def page() -> str:
    """Return the whole page."""
    one, _, rows1 = read("table1")
    done = {name: (len(read(name)[1]), len(cells(read_study(name)))) for name in STUDIES}
    parts = {
        "done": ", ".join(f"{name} {some:,} of {every:,}" for name, (some, every) in done.items()),
        "tuned": tuned(one),
        "table1": table1(rows1),
        "last": last(rows1),
        "claim_full": against_typical(rows1, "full"),
        "claim_implicit": against_typical(rows1, "without-explicit"),
        "claim_explicit": against_full(rows1, "without-explicit"),
        "claim_joint": against_full(rows1, "without-joint"),
    }
    return filled("reproduction", parts | smaller_tables() | figures())


def _range(values: list[int]) -> str:
    return str(values[0]) if len(values) == 1 else f"{values[0]} to {values[-1]}"


if __name__ == "__main__":
    PAGE.write_text(page())
    print(f"Written: {PAGE.relative_to(ROOT)}")
