"""The generated parts of the README: the output of the demo, a figure and the table of `plus`.

`python -m tools.readme demo` runs the demo and writes results/demo.txt (a minute);
`python -m tools.readme draw` writes docs/images/hops.svg and the generated parts of README.md from that file,
results/plus1.jsonl, results/plus2.jsonl, results/zoo.jsonl and results/tables.jsonl (a second).
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from statistics import fmean, stdev

from highwaygraph.study.aggregate import Row
from tools.other_graphs import gap, lines
from tools.pages import IMAGES, ROOT, pyplot, save, table
from tools.records import BASES, DATASETS, HOPS, NETWORKS, hop_lines, progress, read

DEMO, README = ROOT / "results/demo.txt", ROOT / "README.md"
FIGURE = IMAGES / "hops.svg"


def demo() -> None:
    """Run the commands of `make demo` and store their output."""
    highway, output = Path(sys.executable).with_name("highway"), ""
    os.environ["COLUMNS"] = "100"
    for command in (
        "train cora --split random --out runs/demo --force",
        "report runs/demo --check-first runs/demo-check-first.csv",
    ):
        done = subprocess.run([highway, *command.split()], cwd=ROOT, capture_output=True, text=True, check=True)
        output += done.stdout
    DEMO.write_text("\n".join([*(line.rstrip() for line in output.splitlines()), "", *closing_lines()]) + "\n")


def closing_lines() -> list[str]:
    """Return the lines that end `make demo`, with the folder of the clone as a dot."""
    target = (ROOT / "Makefile").read_text().split("\ndemo:")[1].split("\n\n")[0]
    lines = re.findall(r'@echo "(.*)"', target)
    return [line.replace("$(CURDIR)/", "./").replace("$(BIN)", ".venv/bin") for line in lines]


def draw() -> None:
    """Draw the figure and fill the generated parts of the README."""
    figure_hops()
    text = fill(README.read_text(), "demo", f"```text\n$ make demo\n{DEMO.read_text()}```")
    text = fill(text, "gain", gains("plus1", NETWORKS))
    text = fill(text, "public", gains("plus2", BASES))
    README.write_text(fill(text, "others", others()))


def others() -> str:
    """Return the mean difference on other graphs and tables, and the number of rows on which `plus` is behind."""
    rows = []
    for study, title in (("zoo", "real graphs"), ("tables", "generated tables")):
        found = lines(read(study)[1])
        simple = [gap(line.plus, line.baselines.get(line.best_baseline, {})) for line in found]
        typical = [gap(line.plus, line.typical) for line in found]
        rows.append(
            [
                f"{len({line.dataset for line in found})} {title}",
                *(f"{fmean(one.mean for one in part if one is not None):+.1f}" for part in (typical, simple)),
                *(
                    f"{sum(one is not None and one.is_behind for one in part)} of {len(found)}"
                    for part in (typical, simple)
                ),
            ]
        )
    heads = ["GCN and GraphSAGE, mean difference in points", "to typical", "to the best simple baseline"]
    return table([*heads, "behind typical", "behind a simple baseline"], rows)


def gains(study: str, networks: dict[str, str]) -> str:
    """Return typical training, `plus` and their paired difference for every dataset and network."""
    rows = {(r.setting["dataset"], r.setting["model"], r.setting["preset"]): r for r in read(study)[2]}
    cells = [
        [name, *(_gain(rows.get((d, m, "typical")), rows.get((d, m, "plus"))) for m in networks)]
        for d, name in DATASETS.items()
        if any((d, m, "plus") in rows for m in networks)
    ]
    shown = table(["test accuracy (%)", *networks.values()], cells)
    return "\n\n".join(part for part in (shown, progress(study) if study == "plus1" else "") if part)


def _gain(typical: Row | None, plus: Row | None) -> str:
    if typical is None or plus is None:
        return "-"
    return f"{typical.mean:.1f} → **{plus.mean:.1f}** {plus.difference:+.1f} ({plus.standard_error or 0:.1f})"


def figure_hops() -> None:
    """Draw accuracy by hops of typical training and of `plus`, with the standard error over runs."""
    plt = pyplot("hops", 11)
    by_hops = hop_lines("plus1", ("dataset", "model", "preset"))
    figure, axes = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
    styles = {"typical": ("typical training", "#767676", "s", -0.06), "plus": ("HighwayGraph", "#0072b2", "o", 0.06)}
    for preset, (label, colour, marker, shift) in styles.items():
        values = [by_hops["cora", "gcn", preset][hops] for hops in HOPS]
        errors = [stdev(v) / len(v) ** 0.5 for v in values]
        means = [fmean(v) for v in values]
        # Not joined by lines: "no path" is no distance. Beside each other, so that no error bar hides another.
        at = [place + shift for place in range(len(HOPS))]
        axes.errorbar(at, means, errors, label=label, color=colour, marker=marker, linestyle="none", capsize=3)
    axes.set_xticks(range(len(HOPS)), [*HOPS[:-1], "no path"])
    axes.set_xlabel("hops to the nearest label of the node's class")
    axes.set_ylabel("test accuracy (%)")
    axes.set_title("Cora, GCN: the further from a label, the more is gained", fontsize=11, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(frameon=False)
    save(plt, figure, FIGURE)


def fill(text: str, name: str, content: str) -> str:
    """Return the text with new content between the markers of that name."""
    pattern = re.compile(rf"(<!-- {name}: generated -->\n).*?(\n<!-- end -->)", re.DOTALL)
    return pattern.sub(lambda found: found[1] + content + found[2], text)


if __name__ == "__main__":
    {"demo": demo, "draw": draw}[sys.argv[1]]()
