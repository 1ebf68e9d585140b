"""Records of studies for the generated pages: rows, table cells and accuracies by hops."""

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache
from typing import Any

from highwaygraph.study.aggregate import REPEATED, Row, aggregate
from highwaygraph.study.records import Record, read_records
from highwaygraph.study.spec import Study, cells, read_study
from tools.pages import ROOT, table

RESULTS = ROOT / "results"
NETWORKS = {"gcn": "GCN", "gat": "GAT", "sage": "SAGE", "hyper": "Hyper"}
BASES = {"gcn": "GCN", "grand": "random propagation", "graphmix": "GraphMix"}
DATASETS = {"cora": "Cora", "pubmed": "PubMed", "citeseer": "CiteSeer"}
PRESETS = ("typical", "full", "without-joint", "without-explicit")
HOPS = ("1", "2", "3", "4", "5+", "unreachable")
Lines = dict[str, list[float]]


@cache
def read(name: str) -> tuple[Study, list[Record], list[Row]]:
    """Return a study with its records and rows."""
    study = read_study(name)
    records = read_records(RESULTS / f"{name}.jsonl")
    return study, records, aggregate(study, records)


def missing(name: str) -> str:
    """Return how many runs of a study are done if some setting has none, else an empty string."""
    study, records, found = read(name)
    settings = {str({k: v for k, v in cell.items() if k not in REPEATED}) for cell in cells(study)}
    return (
        ""
        if len(found) == len(settings)
        else f"not tested yet: {len(records):,} of {len(cells(study)):,} runs are done"
    )


def progress(name: str) -> str:
    """Return a sentence on the runs of a study that are missing, by dataset; empty where all are done."""
    study, records, _ = read(name)
    done, wanted = (Counter(cell["dataset"] for cell in part) for part in ((r.cell for r in records), cells(study)))
    left = [f"{done[d]:,} of {count:,} runs on {DATASETS.get(d, d)}" for d, count in wanted.items() if done[d] < count]
    return f"These results are not complete: {', '.join(left)} are done." if left else ""


def number(row: Row) -> str:
    """Return our mean, the paper's, and the paired difference."""
    text = f"**{row.mean:.1f}** ± {row.deviation:.1f}"
    if row.paper is not None:
        text += f" [{row.paper:.1f}{f' ± {row.paper_deviation:.1f}' if row.paper_deviation is not None else ''}]"
    if row.difference is not None:
        text += f" {row.difference:+.2f} ({row.standard_error or 0:.2f})"
    return text


def crossed(
    found: list[Row], down: str, across: str, names: dict[Any, str] | None = None, show: Callable[[Row], str] = number
) -> str:
    """Return a table of one axis against another."""
    rows = {(r.setting[down], r.setting[across]): r for r in found}
    heads, sides = (list(dict.fromkeys(r.setting[axis] for r in found)) for axis in (across, down))
    names_of = {value: f"{value:,}" if isinstance(value, int) else str(value) for value in [*heads, *sides]} | (
        names or {}
    )
    lines = [
        [names_of[side], *(show(rows[side, head]) if (side, head) in rows else "-" for head in heads)] for side in sides
    ]
    return table([f"{down} / {across}", *(names_of[head] for head in heads)], lines)


def by_dataset(found: list[Row], render: Callable[[list[Row]], str]) -> str:
    """Return one part per dataset, with its number of runs."""
    parts = []
    for dataset in dict.fromkeys(r.setting["dataset"] for r in found):
        own = [r for r in found if r.setting["dataset"] == dataset]
        runs = sorted({r.runs for r in own})
        count = str(runs[0]) if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        parts.append(f"### {DATASETS[dataset]}\n\n{render(own)}\n\nRuns per cell: {count}.")
    return "\n\n".join(parts)


def hop_lines(name: str, axes: tuple[str, ...]) -> dict[tuple[Any, ...], Lines]:
    """Return the accuracies by hops of every run, by the values of the axes."""
    lines: dict[tuple[Any, ...], Lines] = defaultdict(lambda: defaultdict(list))
    for found in read(name)[1]:
        for hop in found.facts["hops"]:
            if hop["accuracy"] is not None:
                lines[tuple(found.cell[a] for a in axes)][hop["hops"]].append(100 * hop["accuracy"])
    return lines
