"""Write docs/tried.md, the ablation of `plus`, from results/tried.jsonl and results/shares.jsonl."""

import json
from collections import defaultdict
from statistics import fmean, stdev
from typing import Any

from tools.pages import ROOT, fill_template, table
from tools.records import DATASETS

SOURCE, PAGE, PRIORS = ROOT / "results/tried.jsonl", ROOT / "docs/tried.md", ROOT / "results/shares.jsonl"
BASE, PAIRED = "plus", "pair.1"
"""Variants: `plus` without its pair loss, and with it, which is the present `plus`."""
FEWEST = 8
GENERIC = "consistent"
ALL = ("cora", "citeseer", "pubmed")
NAMES = {
    "typ": "typical training, same optimisation",
    "consistent": "consistency and aligned class prior, no highways (`consistent`)",
    "noalign": "class prior not aligned (`consistency.align_prior = false`)",
    "start2": "highways from the second round on (`highway.start = 2`)",
    "onhighways": "validation and prediction on the highway graph (`highway.predict = highways`)",
    "anchors": "one anchor per class, joint decision (`highway.targets = anchors`)",
    "p95": "a stricter threshold (`highway.precision = 0.95`)",
    "random": "highways for every node, whatever its confidence (`highway.node_threshold = 0`)",
    "class": "one threshold per class *",
    "teach.5s5": "predictions of the last round, smoothed over the graph, in the targets *",
    "pair.1": "**with the pair loss, `pairs.weight = 0.1` (`plus`)**",
    "ap": "pair loss 0.1, one anchor per class",
}
ADDED = {
    "pair.3": "pair loss 0.3 instead of 0.1",
    "pairema": "moving average of the weights (0.99) *",
    "pairpseudo": "pair loss also on pairs with confident predictions, weight 0.1 *",
    "pairweighted": "highways weighted by confidence *",
    "pairclass": "one threshold per class *",
    "pairhop": "one threshold per distance from the labels *",
    "pairjoint": "pairs must agree, threshold calibrated on validation pairs *",
}
ALONE = {
    "raw": "raw features (`fit.features = raw`)",
    "d7": "dropout 0.7 (`network.dropout`)",
    "teach": "half of each target from the predictions of the first round, smoothed over the graph *",
    "true": "the true class prior instead of the estimated one, an upper bound *",
}
ESTIMATES = {
    "uniform": "uniform *",
    "soft00": "as predicted *",
    "soft03": "**corrected on validation, three steps** (`consistency.align_prior`)",
    "soft30": "corrected on validation, thirty steps *",
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
    for key in sorted(shared):
        by_split[key[0]].append(100 * (runs[key]["test"] - base[key]["test"]))
    means = [fmean(values) for values in by_split.values()]
    mean = 100 * fmean(runs[key]["test"] for key in shared)
    if runs is base:
        return f"{mean:.2f}"
    return f"{mean:.2f}, {fmean(means):+.2f} ({stdev(means) / len(means) ** 0.5:.2f})"


def lines(names: dict[str, str], base: str, datasets: tuple[str, ...] = ALL, fewest: int = FEWEST) -> str:
    """Return one row per variant with enough runs on any of the datasets."""
    found = read()
    rows = [["base of this table", *(compared(found[d, base], found[d, base], fewest) for d in datasets)]]
    for name, label in names.items():
        cells = [compared(found[d, name], found[d, base], fewest) for d in datasets]
        rows += [[label, *cells]] if set(cells) != {"-"} else []
    return table(["", *(DATASETS[d] for d in datasets)], rows)


def priors() -> str:
    """Return the error of estimated class priors in points, with the standard error over splits."""
    gaps = {}
    for line in PRIORS.read_text().splitlines():
        one = json.loads(line)
        gaps[one["estimate"], one["from"], one["dataset"]] = one["gap"]
    heads = [(source, d) for source in ("typical", "consistent") for d in ALL]
    rows = [[label, *(_spread(gaps[name, *head]) for head in heads)] for name, label in ESTIMATES.items()]
    return table(["", *(f"{DATASETS[d]}, {source}" for source, d in heads)], rows)


def page() -> str:
    """Return the text of the page."""
    alone = lines(ALONE, GENERIC, ALL[2:], fewest=5)
    return fill_template(
        "tried",
        {"changed": lines(NAMES, BASE), "added": lines(ADDED, PAIRED, ALL[:2]), "alone": alone, "priors": priors()},
    )


def _spread(gaps: list[float]) -> str:
    return f"{100 * fmean(gaps):.1f} ({100 * stdev(gaps) / len(gaps) ** 0.5:.1f})"


if __name__ == "__main__":
    PAGE.write_text(page())
    print(f"Written: {PAGE.relative_to(ROOT)}")
