"""Write docs/method.md and its figure: which parts of `plus` gain what, from the records of plus1, plus2 and votes.

`highway study plus1`, `highway study plus2` and `highway study votes` write the records.
"""

from collections import defaultdict
from statistics import fmean

from tools import method_figure
from tools.claims import FAR
from tools.other_graphs import Gap, Scores, gap
from tools.pages import ROOT, fill_template, table
from tools.plus_tables import NEAR
from tools.records import BASES, DATASETS, Lines, hop_lines, progress, read

PAGE = ROOT / "docs/method.md"
EFFECTS = {
    "everything": ("plus", "typical"),
    "consistency regularisation": ("consistent", "typical"),
    "votes and baselines on typical training": ("typical, votes", "typical"),
    "votes and baselines on `consistent`": ("consistent, votes", "consistent"),
    "pairs, highways, votes and baselines": ("plus", "consistent"),
    "the training of `plus`": ("plus", "typical, votes"),
    "pairs and highways": ("plus", "consistent, votes"),
    "votes": ("plus", "plus, no votes"),
}
CONTROLS = {
    "votes from the features of another node": ("plus", "plus, shuffled votes"),
    "votes from features averaged over two hops": ("plus", "plus, propagated votes"),
    "highways to random confident nodes": ("plus", "plus, random partners"),
}


OTHER_GRAPHS = {
    "votes": ("plus", "plus, no votes"),
    "features of the right node": ("plus", "plus, shuffled votes"),
    "votes and baselines on typical training": ("typical, votes", "typical"),
}


def scores(dataset: str, preset: str, study: str = "plus1") -> Scores:
    """Return the test accuracies of a row by split and seed, mean over the networks."""
    found: dict[tuple[int, int], list[float]] = defaultdict(list)
    for record in read(study)[1]:
        cell = record.cell
        if (cell["dataset"], cell["preset"]) == (dataset, preset):
            found[cell["split"], cell["seed"]].append(100 * record.facts["test"])
    return {run: fmean(values) for run, values in found.items()}


def differences(pairs: dict[str, tuple[str, str]]) -> str:
    """Return the mean paired differences of rows, by dataset."""
    rows = []
    for name, (one, other) in pairs.items():
        found = [gap(scores(dataset, one), scores(dataset, other)) for dataset in DATASETS]
        means = [each.mean for each in found if each is not None]
        rows.append([name, f"{one} - {other}", *map(_shown, found), f"{fmean(means):+.2f}" if means else "-"])
    return table(["effect", "rows", *DATASETS.values(), "mean"], rows)


def by_distance() -> str:
    """Return the gains of near and remote nodes, mean over the networks."""
    lines = hop_lines("plus1", ("dataset", "preset"))
    pairs = {name: EFFECTS[name] for name in ("everything", "consistency regularisation", "votes")}
    rows = [
        [f"{name}, {place}", *(_gain(lines, dataset, pair, hops) for dataset in DATASETS)]
        for name, pair in pairs.items()
        for place, hops in (("near", NEAR), ("remote", FAR))
    ]
    return table(["effect, nodes", *DATASETS.values()], rows)


def on_other_graphs() -> str:
    """Return what votes gain on graphs and tables whose features are not words only."""
    names = sorted({record.cell["dataset"] for record in read("votes")[1]})
    rows, means = [], defaultdict[str, list[float]](list)
    for dataset in names:
        found = {
            name: gap(scores(dataset, one, "votes"), scores(dataset, other, "votes"))
            for name, (one, other) in OTHER_GRAPHS.items()
        }
        for name, each in found.items():
            means[name] += [] if each is None else [each.mean]
        rows.append([dataset.partition("/")[2], _mean(dataset, "plus"), *map(_shown, found.values())])
    rows.append(["mean", "", *(f"{fmean(means[name]):+.2f}" for name in OTHER_GRAPHS if means[name])])
    return table(["graph or table", "`plus`", *OTHER_GRAPHS], rows) if names else "Not measured yet."


def _mean(dataset: str, preset: str) -> str:
    found = scores(dataset, preset, "votes")
    return f"{fmean(found.values()):.1f}" if found else "-"


def public() -> str:
    """Return the test accuracies on the public split, by base."""
    rows = {(r.setting["dataset"], r.setting["model"], r.setting["preset"]): r for r in read("plus2")[2]}
    presets = ("typical", "typical, votes", "consistent", "consistent, votes", "plus", "plus, shuffled votes")
    lines = [
        [f"{name}, {preset}", *(f"{rows[d, m, preset].mean:.1f}" if (d, m, preset) in rows else "-" for d in DATASETS)]
        for m, name in BASES.items()
        for preset in presets
        if any((d, m, preset) in rows for d in DATASETS)
    ]
    return table(["base, row", *DATASETS.values()], lines)


def page() -> str:
    """Return the text of the page."""
    return fill_template(
        "method",
        {
            "progress": progress("plus1"),
            "effects": differences(EFFECTS),
            "controls": differences(CONTROLS),
            "distance": by_distance(),
            "public": public(),
            "votes_progress": progress("votes"),
            "other_graphs": on_other_graphs(),
        },
    )


def _shown(found: Gap | None) -> str:
    return "-" if found is None else f"{found.mean:+.2f} ({found.error or 0:.2f})"


def _gain(lines: dict[tuple[str, ...], Lines], dataset: str, pair: tuple[str, str], hops: tuple[str, ...]) -> str:
    rows = [lines[dataset, name] for name in pair if lines[dataset, name]]
    means = [fmean(fmean(row[h]) for h in hops if row[h]) for row in rows]
    return f"{means[0] - means[1]:+.1f}" if len(means) == len(pair) else "-"


def main() -> None:
    """Write the page and its figure."""
    method_figure.FIGURE.write_text(method_figure.draw())
    PAGE.write_text(page())
    print(f"Written: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
