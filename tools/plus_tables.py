"""Tables that compare `plus` with typical training and with consistency regularisation alone."""

import json
from statistics import fmean

from highwaygraph.study.aggregate import Row
from tools.claims import conclusion, paired_rows, remote_accuracy
from tools.figures import draw_hops
from tools.pages import ROOT, table
from tools.records import BASES, DATASETS, NETWORKS, Lines, by_dataset, hop_lines, number, read

NAMED = {
    "typical": "typical, same optimisation",
    "typical, votes": "typical, answered as `plus`",
    "consistent": "consistency alone (`consistent`)",
    "consistent, votes": "`consistent`, answered as `plus`",
    "plus": "`plus`",
}
OTHERS = {
    "typical, votes": "typical training, answered as `plus`",
    "consistent": "`consistent`",
    "consistent, votes": "`consistent`, answered as `plus`",
    "plus, no votes": "`plus` without votes",
    "plus, shuffled votes": "votes from shuffled features",
    "plus, propagated votes": "votes from propagated features",
    "plus, random partners": "highways to random partners",
}
"""Rows that `plus` is compared with, besides typical training."""
DRAWN = ("typical", "consistent", "plus")
NEAR = ("1", "2", "3")


def crossed(found: list[Row], heads: dict[str, str], study: str) -> str:
    """Return one line per preset over the networks, and the differences of `plus` to the other rows."""
    row = {(r.setting["preset"], r.setting["model"]): r for r in found}
    lines = [
        [label, *(number(row[preset, model]) if (preset, model) in row else "-" for model in heads)]
        for preset, label in NAMED.items()
    ]
    dataset = found[0].setting["dataset"]
    gaps = [[f"`plus` minus {name}", *_gaps(study, dataset, other, heads)] for other, name in OTHERS.items()]
    return table(["", *heads.values()], [*lines, *(line for line in gaps if set(line[1:]) != {"-"})])


def _gaps(study: str, dataset: str, other: str, heads: dict[str, str]) -> list[str]:
    own = {r.setting["model"]: r for r in paired_rows(study, "plus", other) if r.setting["dataset"] == dataset}
    return [f"{own[m].difference:+.2f} ({own[m].standard_error or 0:.2f})" if m in own else "-" for m in heads]


def random_splits() -> str:
    """Return the results by the protocol of Table 1, one table per dataset."""
    return by_dataset(read("plus1")[2], lambda found: crossed(found, NETWORKS, "plus1"))


def public() -> str:
    """Return the results on the public split, one table per dataset."""
    return by_dataset(read("plus2")[2], lambda found: crossed(found, BASES, "plus2")) or "There are no runs yet."


def summary(study: str) -> str:
    """Return whether `plus` improves on typical training and on the other rows in every cell."""
    gaps = [r for r in read(study)[2] if r.setting["preset"] == "plus"]
    others = {name: paired_rows(study, "plus", other) for other, name in OTHERS.items()}
    lines = [f"- `plus` minus {name}: {conclusion(rows)}." for name, rows in others.items() if rows]
    return "\n".join([f"- `plus` minus typical training: {conclusion(gaps)}.", *lines])


def remote() -> str:
    """Return the gains of near and remote nodes by dataset, and whether those of remote nodes are larger."""
    gains_text, good = [], 0
    lines = hop_lines("plus1", ("dataset", "preset"))
    for dataset, title in DATASETS.items():
        if (dataset, "plus") in lines:
            one, other = lines[dataset, "plus"], lines[dataset, "typical"]
            gains = (_mean(one, NEAR) - _mean(other, NEAR), remote_accuracy(one) - remote_accuracy(other))
            # Compared as printed.
            good += round(gains[1], 1) > round(gains[0], 1)
            gains_text.append(f"{title} {gains[0]:+.1f} near, {gains[1]:+.1f} remote")
    verb = "is" if good == len(gains_text) else "is not everywhere"
    return (
        f"Gains of near nodes (1 to 3 hops from a label of their class) and of remote ones (4 hops and more, or no "
        f"path), mean over the networks: {'; '.join(gains_text)}. The gain {verb} larger for remote nodes."
    )


def cost() -> str:
    """Return the time of a run and of plain PyG loops, as measured by `python -m benchmarks recipe`."""
    found = json.loads((ROOT / "results/benchmarks.json").read_text())
    rows = found.get("recipe", [])
    heads = [
        "dataset, network",
        "plain, stopped early (s)",
        "plain, as long (s)",
        "`plus` (s)",
        "ratio to early",
        "ratio to as long",
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
    """Draw accuracy by hops, one panel per dataset, means over the networks."""
    lines = hop_lines("plus1", ("dataset", "preset"))
    panels: dict[str, dict[str, Lines]] = {
        title: {preset: lines[dataset, preset] for preset in DRAWN if (dataset, preset) in lines}
        for dataset, title in DATASETS.items()
        if (dataset, "plus") in lines
    }
    draw_hops("plus", panels)


def _mean(lines: Lines, hops: tuple[str, ...]) -> float:
    return fmean(fmean(lines[h]) for h in hops)
