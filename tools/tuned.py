"""Write hyper-parameters into the grids that say which search they come from: the best on validation in its records.

The paper tunes each (dataset, network) group once and shares the choice among its rows; so does this, on splits or
seeds that no reported run uses, by validation accuracy alone.
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

PLACE = re.compile(r"(# chosen by ([\w, ]+): generated\n).*?(# end\n)", re.DOTALL)
FIXED = ("dataset", "model", "preset", "split", "seed")
Place = tuple[str, str]
Options = tuple[Any, ...]
Scores = dict[Place, dict[Options, list[float]]]


def records(search: str) -> Path:
    """Return where a search's records lie."""
    return ROOT / f"results/{search}.jsonl"


def complete(search: str) -> bool:
    """Tell whether every cell of a search has its record."""
    path = records(search)
    done = [record.cell for record in read_records(path)] if path.exists() else []
    return all(cell in done for cell in cells(read_study(search)))


def grids() -> list[Path]:
    """Return the grids that take options from a search."""
    return [path for path in sorted(SHIPPED.glob("*.toml")) if PLACE.search(path.read_text())]


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


def choose(search: str, *again: str) -> dict[Place, Options]:
    """Return the best options of each dataset and network; of equals, the smallest."""
    first, more = scores(search), [scores(one) for one in again]
    grid = read_study(search).grid
    chosen = {}
    for place in ((d, m) for d in grid["dataset"] for m in grid["model"]):
        # Where more splits were run, what was tried there is judged by all of them.
        kept = set(first[place]).intersection(*(one[place] for one in more if one[place]))
        tried = {o: sum((one[place][o] for one in more if one[place]), first[place][o]) for o in kept}
        if tried:
            chosen[place] = max(sorted(tried), key=lambda o: fmean(tried[o]))
    return chosen


def blocks(searches: Sequence[str]) -> str:
    """Return the choices as TOML, or say which search has to be run before."""
    if left := [one for one in searches if not complete(one)]:
        raise SystemExit(f"Not all cells of {left[0]} are done: run `highway study {left[0]}` first.")
    names = axes(searches[0])
    return "\n".join(
        f'[[tuned]]\ndataset = "{dataset}"\nmodel = "{model}"\n'
        + "".join(f'"{name}" = {json.dumps(value)}\n' for name, value in zip(names, options, strict=True))
        for (dataset, model), options in choose(*searches).items()
    )


def filled(text: str) -> str:
    """Return the grid's text with the choices in their places."""
    return PLACE.sub(lambda m: m[1] + blocks(m[2].split(", ")) + m[3], text)


if __name__ == "__main__":
    for grid in grids():
        grid.write_text(filled(grid.read_text()))
        print(f"Written: {grid.relative_to(ROOT)}")
