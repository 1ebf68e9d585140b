"""Write docs/labelling.md from results/labelling.jsonl: accuracy by number of labels for every strategy.

`python -m benchmarks labelling` writes the records.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict
from itertools import pairwise
from statistics import fmean
from typing import Any, NamedTuple

from benchmarks.labelling import (
    DATASETS,
    FOLLOWED,
    HIDDEN,
    NOISE,
    STRATEGIES,
    TO_5,
    TO_20,
    WIDE,
    WIDE_SEEDS,
    cells,
    read,
)
from tools.other_graphs import Gap, Scores, gap
from tools.pages import ROOT, fill_template, table

PAGE, BENCHMARKS = ROOT / "docs/labelling.md", ROOT / "results/benchmarks.json"
PUBLISHED = tuple(name for name in STRATEGIES if name not in ("auto", "random"))
NAMES = {
    "auto": "`auto`", "random": "random", "pagerank": "PageRank", "degree": "degree", "entropy": "entropy",
    "density": "density", "medoids": "medoids (FeatProp)", "age": "AGE", "coverage": "coverage (like Grain)",
}  # fmt: skip
Record = dict[str, Any]
Measure = Callable[[Record], float]


class Part(NamedTuple):
    """Records of one protocol: the start, the labels per class, the preset, the annotator's errors and the width."""

    start: str = "class"
    budgets: tuple[int, ...] = TO_5
    preset: str = "typical"
    noise: float = 0.0
    hidden: int = HIDDEN

    def holds(self, record: Record) -> bool:
        """Return whether a record belongs to this protocol."""
        cell = record["cell"]
        # Records of the first width do not name it.
        hidden = cell.get("hidden", HIDDEN)
        return (cell["start"], tuple(cell["budgets"]), cell["preset"], cell["noise"], hidden) == self


def last(record: Record) -> float:
    """Return the test accuracy at the end of a curve in per cent."""
    return float(100 * record["accuracy"][-1])


def area(record: Record) -> float:
    """Return the mean test accuracy over the curve in per cent: the area under it by the number of labels.

    Example:
        >>> area({"labels": [7, 21, 35], "accuracy": [0.4, 0.6, 0.8]})
        60.0
    """
    points = list(zip(record["labels"], record["accuracy"], strict=True))
    total = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
    return float(round(100 * total / (points[-1][0] - points[0][0]), 6))


def scores(records: Iterable[Record], part: Part, measure: Measure) -> dict[str, dict[str, Scores]]:
    """Return a measure by dataset, strategy, and split and seed."""
    found: dict[str, dict[str, Scores]] = defaultdict(lambda: defaultdict(dict))
    for record in filter(part.holds, records):
        cell = record["cell"]
        found[cell["dataset"]][cell["strategy"]][cell["split"], cell["seed"]] = measure(record)
    return found


def results_table(found: dict[str, dict[str, Scores]]) -> str:
    """Return a row per strategy and a column per dataset, then the paired differences of `auto`."""
    datasets = [name for name in DATASETS if name in found]
    strategies = [name for name in STRATEGIES if any(name in found[dataset] for dataset in datasets)]
    rows = []
    for name in strategies:
        cells = [found[dataset].get(name, {}) for dataset in datasets]
        means = [fmean(one.values()) for one in cells if one]
        mean = f"{fmean(means):.1f}" if len(means) == len(datasets) else "-"
        rows.append([NAMES[name], *(f"{fmean(one.values()):.1f}" if one else "-" for one in cells), mean])
    for rival, name in {"random": "random", **_best(found, datasets)}.items():
        gaps = [gap(found[d].get("auto", {}), found[d].get(rival, {})) for d in datasets]
        means = [one.mean for one in gaps if one is not None]
        shown = ["-" if one is None else str(one) for one in gaps]
        rows.append([f"`auto` - {name} (s.e.)", *shown, f"{fmean(means):+.1f}" if means else "-"])
    return table(["strategy", *(name.removeprefix("zoo/") for name in datasets), "mean"], rows)


def _best(found: dict[str, dict[str, Scores]], datasets: list[str]) -> dict[str, str]:
    """Return the published strategy with the best mean over all datasets, if one was run on all of them."""
    whole = [name for name in PUBLISHED if all(name in found[dataset] for dataset in datasets)]
    means = {name: fmean(fmean(found[d][name].values()) for d in datasets) for name in whole} if datasets else {}
    best = max(means, key=means.__getitem__, default="")
    return {best: NAMES[best]} if best else {}


def verdict(found: dict[str, dict[str, Scores]]) -> str:
    """Return a sentence on the datasets where `auto` is ahead of random labelling by more than two standard errors."""
    if not found:
        return "nothing is measured yet."
    gaps = {d.removeprefix("zoo/"): gap(one.get("auto", {}), one.get("random", {})) for d, one in found.items()}
    known: dict[str, Gap] = {name: one for name, one in gaps.items() if one is not None and one.error is not None}
    clear = [name for name, one in known.items() if one.mean > 2 * (one.error or 0.0)]
    others = [name for name in known if name not in clear]
    ending = f"; on the others ({', '.join(others)}) it is not" if others else ""
    count = f"{len(clear)} of {len(known)} graphs"
    return f"`auto` is ahead of random labels by more than two standard errors on {count}{ending}."


def progress(records: list[Record], part: Part) -> list[str]:
    """Return a sentence on the curves that are missing, nothing where all are measured."""
    wanted = {cell.key for cell in cells() if part.holds({"cell": asdict(cell)})}
    done = len(wanted & {record["key"] for record in records})
    if done == len(wanted):
        return []
    return [f"This table is not complete: {done:,} of {len(wanted):,} curves are measured."]


def seconds_table(records: list[Record]) -> str:
    """Return the mean seconds per query by strategy and dataset."""
    found = scores(records, Part(), lambda record: fmean(record["seconds"]))
    datasets = [name for name in DATASETS if name in found]
    rows = [
        [NAMES[s], *(f"{fmean(found[d][s].values()):.2f}" if s in found[d] else "-" for d in datasets)]
        for s in STRATEGIES
        if any(s in found[d] for d in datasets)
    ]
    return table(["strategy", *(name.removeprefix("zoo/") for name in datasets)], rows)


def growth_table(rows: list[dict[str, Any]]) -> str:
    """Return the CPU seconds of a query on generated graphs, by strategy: at a cold start, and beside labels."""
    sizes = sorted({row["nodes"] for row in rows})
    by_place = {(row["strategy"], row["nodes"]): f"{row['cold_s']:.1f}, {row['labels_s']:.1f}" for row in rows}
    names = [name for name in STRATEGIES if any(strategy == name for strategy, _ in by_place)]
    found = [[NAMES[name], *(by_place.get((name, size), "-") for size in sizes)] for name in names]
    return table(["strategy", *(f"{size:,} nodes" for size in sizes)], found)


def classes_table(records: list[Record]) -> str:
    """Return the mean part of the classes that a cold start has found after one label per class on average."""
    found = scores(records, Part("none"), lambda record: record["classes"][0] / record["labels"][0])
    datasets = [name for name in DATASETS if name in found]
    rows = [
        [NAMES[s], *(f"{100 * fmean(found[d][s].values()):.0f}" if s in found[d] else "-" for d in datasets)]
        for s in FOLLOWED
    ]
    heads = ["strategy", *(name.removeprefix("zoo/") for name in datasets)]
    return table(heads, rows) if datasets else "Not measured yet."


def page() -> str:
    """Return the text of the page."""
    records = read()

    def section(part: Part, measure: Measure = last) -> str:
        found = scores(records, part, measure)
        if not found:
            return "Not measured yet: `python -m benchmarks labelling` measures it."
        return "\n\n".join([*progress(records, part), results_table(found)])

    return fill_template(
        "labelling",
        {
            "hidden": str(HIDDEN),
            "wide": str(WIDE),
            "wide_seeds": str(len(WIDE_SEEDS)),
            "wide_last": section(Part(hidden=WIDE)),
            "wide_verdict": verdict(scores(records, Part(hidden=WIDE), last)),
            "verdict": verdict(scores(records, Part(), last)),
            "last": section(Part()),
            "area": section(Part(), area),
            "cold": section(Part("none")),
            "classes": classes_table(records),
            "to_20": section(Part(budgets=TO_20)),
            "noise": "\n\n".join(f"{100 * part:.0f} % are wrong:\n\n{section(Part(noise=part))}" for part in NOISE),
            "plus": section(Part(preset="plus")),
            "seconds": seconds_table(records),
            "growth": growth_table(json.loads(BENCHMARKS.read_text()).get("suggestions", [])),
        },
    )


if __name__ == "__main__":
    PAGE.write_text(page())
    print(f"Written: {PAGE.relative_to(ROOT)}")
