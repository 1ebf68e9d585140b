"""Write docs/reproduction.md and its figures from results/*.jsonl; every number is generated."""

from collections.abc import Callable
from statistics import fmean

from highwaygraph.study.aggregate import Row
from highwaygraph.study.spec import Study, cells, read_study
from tools import claims, figures, plus_tables
from tools.pages import ROOT, fill_template, table
from tools.records import DATASETS, NETWORKS, PRESETS, by_dataset, crossed, missing, number, progress, read

PAGE = ROOT / "docs/reproduction.md"
STUDIES = (
    "search1", "search2", "table1", "table2", "table3", "table4", "figure1", "figure4", "figure5", "cost", "transfer",
    "controls", "plus1", "search3", "search4", "plus2"
)  # fmt: skip
CLAIMS: dict[str, tuple[str, Callable[..., str], *tuple[str, ...]]] = {
    "full": ("table1", claims.against_typical, "full"),
    "sage": ("table1", claims.against_typical, "full", "sage"),
    "implicit": ("table1", claims.against_typical, "without-explicit"),
    "explicit": ("table1", claims.against_full, "without-explicit"),
    "joint": ("table1", claims.against_full, "without-joint"),
    "public": ("table2", claims.public),
    "concentration": ("figure4", claims.concentration),
    "remote": ("figure5", claims.remote),
    "depth": ("figure1", claims.depth),
    "labels": ("table3", claims.labels),
    "strategies": ("table4", claims.strategies),
    "pair_cost": ("cost", claims.pair_cost),
    "run_cost": ("cost", claims.run_cost),
    "transfer": ("transfer", claims.transfer),
}
CONTROL_NAMES = {
    "edges": "predicted edges (the method)",
    "random-edges": "as many random edges",
    "true-edges": "edges to the true class",
    "labels": "pseudo-labels instead of edges",
}


def table1(found: list[Row]) -> str:
    """Return the four rows of one dataset."""
    found = sorted(found, key=lambda r: PRESETS.index(r.setting["preset"]))
    return crossed(found, "preset", "model", NETWORKS)


def tuned(study: Study) -> str:
    """Return the chosen hyper-parameters."""
    names = [k for k in study.tuned[0] if k not in ("dataset", "model")]
    lines = [[f"{t['dataset']}, {t['model']}", *(str(t[name]) for name in names)] for t in study.tuned]
    return table(["", *names], lines)


def last(found: list[Row]) -> str:
    """Return the accuracy of the last round, which Algorithm 1 prints, against that of the best round."""
    full = [r for r in found if r.setting["preset"] == "full"]
    gap = fmean(r.mean - r.last for r in full)
    return (
        "Algorithm 1 as printed returns the round that failed to improve. With that rule (`keep = last`), `full` is "
        f"{-gap:+.2f} points on average over its {len(full)} cells against the best round on validation, shown above."
    )


def table2() -> str:
    """Return our results below the methods that the paper quotes."""
    study, _, found = read("table2")
    lines = [[f"{o['method']} (quoted)", *(f"{o[d]:.1f}" for d in DATASETS)] for o in study.others]
    place = {(r.setting["model"], r.setting["preset"], r.setting["dataset"]): r for r in found}
    lines += [
        [
            f"**{model}, {preset}**",
            *(number(place[model, preset, d]) if (model, preset, d) in place else "-" for d in DATASETS),
        ]
        for model in study.grid["model"]
        for preset in study.grid["preset"]
    ]
    return table(["", *DATASETS.values()], lines)


def cost() -> str:
    """Return time and memory of the pair loss and of the whole method relative to typical training."""

    def show(row: Row) -> str:
        base = row.baseline_cost or row.cost
        epoch, run = row.cost.epoch_ms / base.epoch_ms, row.cost.seconds / base.seconds
        return f"epoch x {epoch:.2f}, run x {run:.2f}, {row.cost.peak_mib - base.peak_mib:+.0f} MiB"

    return by_dataset([r for r in read("cost")[2] if r.setting["preset"] != "typical"],
                      lambda own: crossed(own, "preset", "model", NETWORKS, show))  # fmt: skip


def transfer(found: list[Row]) -> str:
    """Return the table of one dataset, sources against networks."""
    return crossed(found, "source", "model", NETWORKS)


def page() -> str:
    """Return the text of the page."""
    one, _, rows1 = read("table1")
    done = {name: (len(read(name)[1]), len(cells(read_study(name)))) for name in STUDIES}
    parts = {
        "done": ", ".join(f"{name} {some:,} of {every:,}" for name, (some, every) in done.items()),
        "tuned": tuned(one),
        "table1": by_dataset(rows1, table1),
        "last": last(rows1),
        "table2": table2(),
        "table3": crossed(read("table3")[2], "train", "pairs.weight"),
        "table4": crossed(read("table4")[2], "pairs.limit", "pairs.strategy"),
        "cost": cost(),
        "transfer": by_dataset(read("transfer")[2], transfer),
        "controls": crossed(read("controls")[2], "highway.control", "dataset", CONTROL_NAMES | DATASETS),
        "progress": progress("plus1"),
        "plus1": plus_tables.random_splits(),
        "plus2": plus_tables.public(),
        "summary": plus_tables.summary("plus1"),
        "summary_public": plus_tables.summary("plus2"),
        "remote": plus_tables.remote(),
        "plus_cost": plus_tables.cost(),
    }
    return fill_template("reproduction", parts | {f"claim_{name}": _tested(*claim) for name, claim in CLAIMS.items()})


def _tested(study: str, test: Callable[..., str], *arguments: str) -> str:
    return missing(study) or test(*arguments)


def main() -> None:
    """Write the page and its figures."""
    for figure in (figures.figure1, figures.figure4, figures.figure5, plus_tables.draw):
        figure()
    PAGE.write_text(page())
    print(f"Written: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
