"""The paper's figures, drawn from the records."""

from statistics import fmean, stdev
from typing import Any

from highwaygraph.data.load import load
from tools.pages import IMAGES, pyplot, save
from tools.records import HOPS, NETWORKS, Lines, hop_lines, read

LINE_STYLES = [("#0072b2", "o", "-"), ("#d55e00", "s", "--"), ("#009e73", "^", ":"), ("#767676", "D", "-.")]
# Okabe and Ito's palette, which is distinguishable for colour-blind readers.
COLOURS = ["#000000", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00"]


def draw_hops(name: str, panels: dict[str, dict[str, Lines]]) -> None:
    """Draw accuracy by hops, one panel per key and one line per label, with the standard error over runs."""
    plt = pyplot(name)
    size = (max(6.5, 3.4 * len(panels)), 3.4)
    figure, axes = plt.subplots(1, len(panels), figsize=size, layout="constrained", sharey=True, squeeze=False)
    for axis, (title, lines) in zip(axes[0], panels.items(), strict=True):
        for (label, values), (colour, marker, style) in zip(lines.items(), LINE_STYLES, strict=False):
            shown = [h for h in HOPS if len(values[h]) > 1]
            means = [fmean(values[h]) for h in shown]
            errors = [stdev(values[h]) / len(values[h]) ** 0.5 for h in shown]
            axis.errorbar(
                [HOPS.index(h) for h in shown],
                means,
                errors,
                label=label,
                color=colour,
                marker=marker,
                linestyle=style,
                capsize=2,
            )
        axis.set_title(title, loc="left", fontsize=10)
        axis.set_xlabel("hops to the nearest own label")
        axis.set_xticks(range(len(HOPS)), [*HOPS[:-1], "none"])
        axis.grid(axis="y", alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0][0].set_ylabel("test accuracy (%)")
    axes[0][0].legend(frameon=False, fontsize=9)
    save(plt, figure, IMAGES / f"{name}.svg")


def figure1() -> None:
    """Draw accuracy by hops for every depth."""
    depth = {f"{k[0]} layers": v for k, v in hop_lines("figure1", ("network.layers",)).items()}
    draw_hops("figure1", {"Cora, GCN": depth})


def figure4() -> None:
    """Draw the t-SNE embedding of the second layer for every weight of the pair loss."""
    data = load("cora")
    chosen = [r for r in read("figure4")[1] if r.cell["seed"] == 0]
    chosen.sort(key=lambda r: float(r.cell["pairs.weight"]))
    plt = pyplot("figure4")
    figure, axes = plt.subplots(1, len(chosen), figsize=(3.6 * len(chosen), 4.2), layout="constrained", squeeze=False)
    for axis, record in zip(axes[0], chosen, strict=True):
        _scatter(axis, record.facts["embedding"], data.y.tolist(), data.classes)
        facts = f"test {100 * record.facts['test']:.1f} %, between classes {100 * record.facts['separation']:.0f} %"
        axis.set_title(f"GCN, lambda = {record.cell['pairs.weight']}\n{facts}", loc="left", fontsize=9)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=8, markerscale=4)
    # PNG: eight thousand markers as vectors take a megabyte.
    save(plt, figure, IMAGES / "figure4.png")


def _scatter(axis: Any, positions: list[list[float]], classes: list[int], names: list[str]) -> None:
    for number, (name, colour) in enumerate(zip(names, COLOURS, strict=False)):
        points = [point for point, c in zip(positions, classes, strict=True) if c == number]
        axis.scatter(*zip(*points, strict=True), s=2, color=colour, label=name.replace("_", " "), linewidths=0)
    axis.set_xticks([])
    axis.set_yticks([])
    axis.spines[:].set_visible(False)


def figure5() -> None:
    """Draw accuracy by hops for every network and weight of the pair loss."""
    weights = hop_lines("figure5", ("model", "pairs.weight"))
    panels = {t: {f"lambda {w}": v for (m, w), v in weights.items() if m == n} for n, t in NETWORKS.items()}
    draw_hops("figure5", panels)
