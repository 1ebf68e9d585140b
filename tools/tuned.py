"""Write the best hyper-parameters of the searches into the studies that refer to them.

As in the paper, each (dataset, network) group is tuned once and its rows share the choice. Searches use splits or
seeds that no reported run uses, and validation accuracy alone.
"""

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from highwaygraph.study.records import read_records
from highwaygraph.study.spec import SHIPPED, cells, read_study
from tools.pages import ROOT

GENERATED = re.compile(r"(# chosen by ([\w, ]+): generated\n).*?(# end\n)", re.DOTALL)
FIXED = ("dataset", "model", "preset", "split", "seed")
Group = tuple[str, str]
Options = tuple[Any, ...]
Scores = dict[Group, dict[Options, list[float]]]


def records(search: str) -> Path:
    """Return the file of the records of a search."""
    return ROOT / f"results/{search}.jsonl"


def complete(search: str) -> bool:
    """Return whether every cell of a search has a record."""
    path = records(search)
    done = [record.cell for record in read_records(path)] if path.exists() else []
    return all(cell in done for cell in cells(read_study(search)))


def studies() -> list[Path]:
    """Return the files of the studies that take options from a search."""
    return [path for path in sorted(SHIPPED.glob("*.toml")) if GENERATED.search(path.read_text())]


def axes(search: str) -> list[str]:
    """Return the options that a search varies."""
    return [name for name in read_study(search).grid if name not in FIXED]


def scores(search: str) -> Scores:
    """Return the validation accuracies of every option tried, by dataset and network."""
    found: Scores = defaultdict(lambda: defaultdict(list))
    for record in read_records(records(search)):
        options = tuple(record.cell[name] for name in axes(search))
        found[record.cell["dataset"], record.cell["model"]][options].append(record.facts["val"])
    return found


def choose(search: str, *again: str) -> dict[Group, Options]:
    """Return the best options of each dataset and network; ties go to the smallest."""
    first, more = scores(search), [scores(one) for one in again]
    grid = read_study(search).grid
    chosen = {}
    for group in ((d, m) for d in grid["dataset"] for m in grid["model"]):
        # Options that were run on more splits are scored on all of them.
        shared = set(first[group]).intersection(*(one[group] for one in more if one[group]))
        tried = {o: sum((one[group][o] for one in more if one[group]), first[group][o]) for o in shared}
        if tried:
            chosen[group] = max(sorted(tried), key=lambda o: fmean(tried[o]))
    return chosen


def blocks(searches: Sequence[str]) -> str:
    """Return the choices as TOML, refusing an unfinished search."""
    if left := [one for one in searches if not complete(one)]:
        raise SystemExit(f"Not all cells of {left[0]} are done: run `highway study {left[0]}` first.")
    names = axes(searches[0])
    return "\n".join(
        f'[[tuned]]\ndataset = "{dataset}"\nmodel = "{model}"\n'
        + "".join(f'"{name}" = {json.dumps(value)}\n' for name, value in zip(names, options, strict=True))
        for (dataset, model), options in choose(*searches).items()
    )


def fill_options(text: str) -> str:
    """Return the text of a study with the chosen options filled in."""
    return GENERATED.sub(lambda m: m[1] + blocks(m[2].split(", ")) + m[3], text)


if __name__ == "__main__":
    for path in studies():
        path.write_text(fill_options(path.read_text()))
        print(f"Written: {path.relative_to(ROOT)}")
