"""What `plus` gives beside typical training and beside the generic part of it, for the page and the README."""

import json
from statistics import fmean

from highwaygraph.study.aggregate import Row
from tools.claims import between, far, judged
from tools.figures import draw_hops
from tools.pages import ROOT, table
from tools.records import BASES, DATASETS, NETWORKS, Lines, by_dataset, hop_lines, number, read

NAMED = {
    "typical": "typical, same optimisation",
    "consistent": "consistency alone (`consistent`)",
    "plus": "pairs and highways too (`plus`)",
}
NEAR = ("1", "2", "3")


def crossed(found: list[Row], heads: dict[str, str], study: str) -> str:
    """Return one line per preset over the networks, and under them what belongs to pairs and highways."""
    place = {(r.setting["preset"], r.setting["model"]): r for r in found}
    lines = [
        [words, *(number(place[preset, model]) if (preset, model) in place else "-" for model in heads)]
        for preset, words in NAMED.items()
    ]
    own = {
        r.setting["model"]: r
        for r in between(study, "plus", "consistent")
        if r.setting["dataset"] == found[0].setting["dataset"]
    }
    gaps = [f"{own[m].difference:+.2f} ({own[m].standard_error or 0:.2f})" if m in own else "-" for m in heads]
    return table(["", *heads.values()], [*lines, ["`plus` minus `consistent`", *gaps]])


def random_splits() -> str:
    """Return Table 1's protocol, a table per dataset."""
    return by_dataset(read("plus1")[2], lambda found: crossed(found, NETWORKS, "plus1"))


def public() -> str:
    """Return the public split, a table per dataset."""
    return by_dataset(read("plus2")[2], lambda found: crossed(found, BASES, "plus2")) or "No run is here yet."


def promise(study: str) -> str:
    """Judge that `plus` beats typical training everywhere, and say what of it is due to pairs and highways."""
    gaps = [r for r in read(study)[2] if r.setting["preset"] == "plus"]
    return (
        f"`plus` beside typical training: {judged(gaps)}. What pairs and highways add to consistency alone: "
        f"{judged(between(study, 'plus', 'consistent'))}."
    )


def remote() -> str:
    """Say by how much near and remote nodes gain, by dataset, and whether remote ones gain most."""
    said, good = [], 0
    lines = hop_lines("plus1", ("dataset", "preset"))
    for dataset, called in DATASETS.items():
        if (dataset, "plus") in lines:
            one, other = lines[dataset, "plus"], lines[dataset, "typical"]
            gains = (_mean(one, NEAR) - _mean(other, NEAR), far(one) - far(other))
            # As printed: a difference that nobody can see is none.
            good += round(gains[1], 1) > round(gains[0], 1)
            said.append(f"{called} {gains[0]:+.1f} near, {gains[1]:+.1f} remote")
    words = "is" if good == len(said) else "is not everywhere"
    return (
        f"Nodes 1 to 3 hops from a label of their class beside remote ones (4 hops and more, or none), mean over the "
        f"networks: {'; '.join(said)}. The gain {words} largest for remote nodes."
    )


def cost() -> str:
    """Return what a run takes beside plain PyG loops, as measured by `python -m benchmarks recipe`."""
    found = json.loads((ROOT / "results/benchmarks.json").read_text())
    rows = found.get("recipe", [])
    heads = [
        "dataset, network",
        "plain, stopped early (s)",
        "plain, as long (s)",
        "`plus` (s)",
        "to early",
        "to as long",
    ]
    lines = [
        [
            f"{r['dataset']}, {r['model']}",
            *(f"{r[name]:.1f}" for name in ("plain_early_s", "plain_long_s", "plus_s")),
            *(f"x {r['plus_s'] / r[name]:.2f}" for name in ("plain_early_s", "plain_long_s")),
        ]
        for r in rows
    ]
    return f"{table(heads, lines)}\n\nMachine: {found['machines']['recipe']['cpu']}." if lines else "Not measured yet."


def draw() -> None:
    """Draw accuracy by distance, a panel per dataset, means over the networks."""
    lines = hop_lines("plus1", ("dataset", "preset"))
    panels: dict[str, dict[str, Lines]] = {
        called: {preset: lines[dataset, preset] for preset in NAMED if (dataset, preset) in lines}
        for dataset, called in DATASETS.items()
        if (dataset, "plus") in lines
    }
    draw_hops("plus", panels)


def _mean(lines: Lines, hops: tuple[str, ...]) -> float:
    return fmean(fmean(lines[h]) for h in hops)
