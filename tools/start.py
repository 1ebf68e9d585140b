"""Run what the README shows: the demo, and typical training beside HighwayGraph on Cora over 5 splits x 3 seeds.

`python -m tools.start run` trains and writes results/demo.txt and results/start.jsonl (minutes);
`python -m tools.start draw` makes docs/images/hops.svg and the generated parts of README.md from them (a second).
"""

import json
import os
import re
import subprocess
import sys
from itertools import product
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import highwaygraph as hg
from highwaygraph.pool import each
from highwaygraph.summary import compare
from tools.pages import IMAGES, ROOT, pyplot, save

RECORDS, DEMO, README = ROOT / "results/start.jsonl", ROOT / "results/demo.txt", ROOT / "README.md"
PICTURE = IMAGES / "hops.svg"
HOPS = ("1", "2", "3", "4", "5+", "unreachable")


def cell(place: tuple[int, int, str]) -> dict[str, Any]:
    """Train GCN once and return its record."""
    split, seed, preset = place
    data = hg.split(hg.load("cora"), train=20, val=30, seed=split)
    result = hg.train(hg.models.build("gcn", data), data, hg.PRESETS[preset], seed=seed)
    facts = compare(result).as_dict()
    facts.pop("typical")
    for measured in facts["rounds"]:
        # Times differ from run to run; what is kept here should not.
        measured.pop("seconds")
    return {"dataset": "cora", "model": "gcn", "preset": preset, "split": split, "seed": seed} | facts


def demo() -> None:
    """Run what `make demo` runs and keep what it prints."""
    highway, said = Path(sys.executable).with_name("highway"), ""
    os.environ["COLUMNS"] = "100"
    for words in ("train cora --split random --out runs/demo --force", "report runs/demo"):
        done = subprocess.run([highway, *words.split()], cwd=ROOT, capture_output=True, text=True, check=True)
        said += done.stdout
    DEMO.write_text("\n".join(line.rstrip() for line in said.splitlines()) + "\n")


def run() -> None:
    """Train everything and write the records."""
    demo()
    cells = list(product(range(5), range(3), ("typical", "full")))
    records = dict(each(cell, cells))
    RECORDS.write_text("".join(json.dumps(records[place]) + "\n" for place in cells))


def draw() -> None:
    """Draw the picture and fill in the README from the records."""
    records = [json.loads(line) for line in RECORDS.read_text().splitlines()]
    picture(records)
    text = fill(README.read_text(), "demo", f"```text\n$ make demo\n{DEMO.read_text()}```")
    README.write_text(fill(text, "gain", gain(records)))


def gain(records: list[dict[str, Any]]) -> str:
    """Return the paired difference in words."""
    typical, full = ([100 * r["test"] for r in records if r["preset"] == p] for p in ("typical", "full"))
    difference = [b - a for a, b in zip(typical, full, strict=True)]
    error = stdev(difference) / len(difference) ** 0.5
    means = [f"{fmean(values):.1f} ± {stdev(values):.1f} %" for values in (typical, full)]
    return (
        f"GCN on Cora, {len(typical)} runs (5 random splits x 3 seeds, 20 labels per class): typical training "
        f"{means[0]}, HighwayGraph (`full`) {means[1]}, "
        f"paired difference {fmean(difference):+.2f} (standard error {error:.2f})."
    )


def by_hop(records: list[dict[str, Any]], preset: str) -> dict[str, list[float]]:
    """Return each run's accuracy per hop."""
    runs = [{h["hops"]: h["accuracy"] for h in r["hops"]} for r in records if r["preset"] == preset]
    return {hops: [100 * run[hops] for run in runs] for hops in HOPS}


def picture(records: list[dict[str, Any]]) -> None:
    """Draw accuracy by distance for both ways of training, with the standard error over runs."""
    plt = pyplot("hops", 11)
    figure, axes = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
    styles = {"typical": ("typical training", "#767676", "s", "--"), "full": ("HighwayGraph", "#0072b2", "o", "-")}
    for preset, (label, colour, marker, line) in styles.items():
        values = by_hop(records, preset)
        means = [fmean(v) for v in values.values()]
        errors = [stdev(v) / len(v) ** 0.5 for v in values.values()]
        axes.errorbar(HOPS, means, errors, label=label, color=colour, marker=marker, linestyle=line, capsize=3)
    axes.set_xlabel("hops to the nearest label of the node's class")
    axes.set_ylabel("test accuracy (%)")
    axes.set_title("Cora, GCN: accuracy falls with distance from the labels", fontsize=11, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(frameon=False)
    save(plt, figure, PICTURE)


def fill(text: str, name: str, content: str) -> str:
    """Replace what stands between the markers of that name."""
    pattern = re.compile(rf"(<!-- {name}: generated -->\n).*?(\n<!-- end -->)", re.DOTALL)
    return pattern.sub(lambda found: found[1] + content + found[2], text)


if __name__ == "__main__":
    {"demo": demo, "run": run, "draw": draw}[sys.argv[1]]()
