"""Make docs/tried.md from results/tried.jsonl: ingredients of `plus`, each taken away or added."""

import json
from collections import defaultdict
from statistics import fmean, stdev
from typing import Any

from tools.pages import ROOT, filled, table
from tools.records import DATASETS

SOURCE, PAGE = ROOT / "results/tried.jsonl", ROOT / "docs/tried.md"
BASE, PAIRED = "plus", "pair.1"
"""Round by round as `plus`, without the pair loss; and with it, which is what `plus` is now."""
FEWEST = 8
NAMES = {
    "typ": "typical training, same optimisation",
    "consistent": "consistency and aligned shares, no highways (`consistent`)",
    "noalign": "class shares not aligned (`views.align = false`)",
    "start2": "highways from the second round on (`highway.start = 2`)",
    "onhighways": "validation and prediction on the highway graph (`highway.predict = highways`)",
    "anchors": "one anchor per class, joint decision (`highway.links = anchors`)",
    "p95": "a stricter threshold (`highway.precision = 0.95`)",
    "random": "every node joined, sure or not (`highway.node_threshold = 0`)",
    "class": "a threshold for each class *",
    "teach.5s5": "the last round's answer, smoothed over the graph, in the targets *",
    "pair.1": "**with the pair loss, `pairs.weight = 0.1` (`plus`)**",
    "ap": "pair loss 0.1, one anchor per class",
}
ADDED = {
    "pair.3": "pair loss 0.3 instead of 0.1",
    "pairema": "moving average of the weights (0.99) *",
    "pairpseudo": "pair loss also on pairs with confident predictions, weight 0.1 *",
    "pairweighted": "highways weighted by confidence *",
    "pairclass": "a threshold for each class *",
    "pairhop": "a threshold for each distance from the labels *",
    "pairjoint": "pairs must agree, threshold calibrated on validation pairs *",
}
Runs = dict[tuple[int, int], dict[str, Any]]


def read() -> dict[tuple[str, str], Runs]:
    """Return the runs by dataset and variant."""
    found: dict[tuple[str, str], Runs] = defaultdict(dict)
    for line in SOURCE.read_text().splitlines():
        run = json.loads(line)
        found[run["dataset"], run["variant"]][run["split"], run["seed"]] = run
    return found


def compared(runs: Runs, base: Runs) -> str:
    """Return the mean, and the paired difference with its standard error by split."""
    shared = runs.keys() & base.keys()
    if len(shared) < FEWEST:
        return "-"
    by_split = defaultdict(list)
    for place in sorted(shared):
        by_split[place[0]].append(100 * (runs[place]["test"] - base[place]["test"]))
    means = [fmean(values) for values in by_split.values()]
    mean = 100 * fmean(runs[place]["test"] for place in shared)
    if runs is base:
        return f"{mean:.2f}"
    return f"{mean:.2f}, {fmean(means):+.2f} ({stdev(means) / len(means) ** 0.5:.2f})"


def lines(names: dict[str, str], base: str) -> str:
    """Return one row per variant, those that were tried on both datasets or one."""
    found, datasets = read(), ("cora", "citeseer")
    rows = [["the base of this table", *(compared(found[d, base], found[d, base]) for d in datasets)]]
    for name, words in names.items():
        cells = [compared(found[d, name], found[d, base]) for d in datasets]
        rows += [[words, *cells]] if cells != ["-", "-"] else []
    return table(["", *(DATASETS[d] for d in datasets)], rows)


def page() -> str:
    """Return the page."""
    return filled("tried", {"changed": lines(NAMES, BASE), "added": lines(ADDED, PAIRED)})


if __name__ == "__main__":
    PAGE.write_text(page())
    print(f"Written: {PAGE.relative_to(ROOT)}")
