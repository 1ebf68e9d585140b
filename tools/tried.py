"""Make docs/tried.md from results/tried.jsonl: ingredients of `plus`, each taken away or added."""

import json
from collections import defaultdict
from statistics import fmean, stdev
from typing import Any

from tools.pages import ROOT, filled, table
from tools.records import DATASETS

SOURCE, PAGE, SHARES = ROOT / "results/tried.jsonl", ROOT / "docs/tried.md", ROOT / "results/shares.jsonl"
BASE, PAIRED = "plus", "pair.1"
"""Round by round as `plus`, without the pair loss; and with it, which is what `plus` is now."""
FEWEST = 8
GENERIC = "consistent"
ALL = ("cora", "citeseer", "pubmed")
NAMES = {
    "typ": "typical training, same optimisation",
    "consistent": "consistency and aligned shares, no highways (`consistent`)",
    "noalign": "class shares not aligned (`consistency.align_prior = false`)",
    "start2": "highways from the second round on (`highway.start = 2`)",
    "onhighways": "validation and prediction on the highway graph (`highway.predict = highways`)",
    "anchors": "one anchor per class, joint decision (`highway.targets = anchors`)",
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
ALONE = {
    "raw": "features as they are (`fit.features = raw`)",
    "d7": "dropout 0.7 (`network.dropout`)",
    "teach": "half of each target from the first round's answer, smoothed over the graph *",
    "true": "the true class shares instead of estimated ones, a ceiling *",
}
ESTIMATES = {
    "uniform": "all classes alike *",
    "soft00": "as predicted *",
    "soft03": "**corrected by validation, three steps** (`consistency.align_prior`)",
    "soft30": "corrected by validation, thirty steps *",
    "hard03": "the same from classes instead of probabilities, three steps *",
    "bcts03": "probabilities calibrated on validation first, three steps *",
}
Runs = dict[tuple[int, int], dict[str, Any]]


def read() -> dict[tuple[str, str], Runs]:
    """Return the runs by dataset and variant."""
    found: dict[tuple[str, str], Runs] = defaultdict(dict)
    for line in SOURCE.read_text().splitlines():
        run = json.loads(line)
        found[run["dataset"], run["variant"]][run["split"], run["seed"]] = run
    return found


def compared(runs: Runs, base: Runs, fewest: int) -> str:
    """Return the mean, and the paired difference with its standard error by split."""
    shared = runs.keys() & base.keys()
    if len(shared) < fewest:
        return "-"
    by_split = defaultdict(list)
    for place in sorted(shared):
        by_split[place[0]].append(100 * (runs[place]["test"] - base[place]["test"]))
    means = [fmean(values) for values in by_split.values()]
    mean = 100 * fmean(runs[place]["test"] for place in shared)
    if runs is base:
        return f"{mean:.2f}"
    return f"{mean:.2f}, {fmean(means):+.2f} ({stdev(means) / len(means) ** 0.5:.2f})"


def lines(names: dict[str, str], base: str, datasets: tuple[str, ...] = ALL, fewest: int = FEWEST) -> str:
    """Return one row per variant that was tried often enough on any of the datasets."""
    found = read()
    rows = [["the base of this table", *(compared(found[d, base], found[d, base], fewest) for d in datasets)]]
    for name, words in names.items():
        cells = [compared(found[d, name], found[d, base], fewest) for d in datasets]
        rows += [[words, *cells]] if set(cells) != {"-"} else []
    return table(["", *(DATASETS[d] for d in datasets)], rows)


def shares() -> str:
    """Return how far estimated class shares are from the true ones, in points, with the standard error over splits."""
    gaps = {}
    for line in SHARES.read_text().splitlines():
        one = json.loads(line)
        gaps[one["estimate"], one["from"], one["dataset"]] = one["gap"]
    heads = [(source, d) for source in ("typical", "consistent") for d in ALL]
    rows = [[words, *(_spread(gaps[name, *head]) for head in heads)] for name, words in ESTIMATES.items()]
    return table(["", *(f"{DATASETS[d]}, {source}" for source, d in heads)], rows)


def page() -> str:
    """Return the page."""
    alone = lines(ALONE, GENERIC, ALL[2:], fewest=5)
    return filled(
        "tried",
        {"changed": lines(NAMES, BASE), "added": lines(ADDED, PAIRED, ALL[:2]), "alone": alone, "shares": shares()},
    )


def _spread(gaps: list[float]) -> str:
    return f"{100 * fmean(gaps):.1f} ({100 * stdev(gaps) / len(gaps) ** 0.5:.1f})"


if __name__ == "__main__":
    PAGE.write_text(page())
    print(f"Written: {PAGE.relative_to(ROOT)}")
