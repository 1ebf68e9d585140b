"""Write the hyper-parameters of Table 1 into its grid: the best on validation in results/search1.jsonl.

The paper tunes each (dataset, network) group once and shares the choice among its rows; so does this, on splits that no
reported run uses, by the validation accuracy of typical training alone.
"""

import json
import re
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

from highwaygraph.grids import SHIPPED, read_study
from highwaygraph.study import read_records
from tools.pages import ROOT

GRID = SHIPPED / "table1.toml"
RECORDS, MORE = ROOT / "results/search1.jsonl", ROOT / "results/search2.jsonl"
OPTIONS = ("network.hidden", "network.dropout", "fit.lr", "fit.features")
Place = tuple[str, str]
Options = tuple[Any, ...]
Scores = dict[Place, dict[Options, list[float]]]


def scores(path: Path) -> Scores:
    """Return the validation accuracies of every option tried, by dataset and network."""
    found: Scores = defaultdict(lambda: defaultdict(list))
    for record in read_records(path):
        options = tuple(record.cell[name] for name in OPTIONS)
        found[record.cell["dataset"], record.cell["model"]][options].append(record.facts["val"])
    return found


def choose() -> dict[Place, Options]:
    """Return the best options of each dataset and network; of equals, the first in the grid's order."""
    first, more = scores(RECORDS), scores(MORE)
    search = read_study("search1")
    chosen = {}
    for place in ((d, m) for d in search.grid["dataset"] for m in search.grid["model"]):
        # Where more splits were run, what was tried there is judged by all of them.
        tried = {o: first[place][o] + more[place][o] for o in more[place] or first[place]}
        if tried:
            chosen[place] = max(sorted(tried), key=lambda o: fmean(tried[o]))
    return chosen


def blocks() -> str:
    """Return the choices as TOML."""
    return "\n".join(
        f'[[tuned]]\ndataset = "{dataset}"\nmodel = "{model}"\n'
        + "".join(f'"{name}" = {json.dumps(value)}\n' for name, value in zip(OPTIONS, options, strict=True))
        for (dataset, model), options in choose().items()
    )


def filled(text: str) -> str:
    """Return the grid's text with the choices in their place."""
    return re.sub(r"(# tuned: generated\n).*?(# end\n)", lambda m: m[1] + blocks() + m[2], text, flags=re.DOTALL)


if __name__ == "__main__":
    GRID.write_text(filled(GRID.read_text()))
    print(f"Written: {GRID.relative_to(ROOT)}")
