"""Write the hyper-parameters of Table 1 into its grid: the best on validation in results/search1.jsonl.

The paper tunes each (dataset, network) group once and shares the choice among its rows; so does this, on splits that no
reported run uses, by the validation accuracy of typical training alone.
"""

import json
import re
from collections import defaultdict
from statistics import fmean
from typing import Any

from highwaygraph.grids import SHIPPED, read_study
from highwaygraph.study import read_records
from tools.pages import ROOT

GRID, RECORDS = SHIPPED / "table1.toml", ROOT / "results/search1.jsonl"
OPTIONS = ("network.hidden", "network.dropout", "fit.lr", "fit.features")


def choose() -> dict[tuple[str, str], tuple[Any, ...]]:
    """Return the best options of each dataset and network; of equals, the first in the grid's order."""
    scores: dict[tuple[str, str], dict[tuple[Any, ...], list[float]]] = defaultdict(lambda: defaultdict(list))
    for found in read_records(RECORDS):
        options = tuple(found.cell[name] for name in OPTIONS)
        scores[found.cell["dataset"], found.cell["model"]][options].append(found.facts["val"])
    search = read_study("search1")
    places = [(d, m) for d in search.grid["dataset"] for m in search.grid["model"]]
    return {p: max(sorted(scores[p]), key=lambda o: fmean(scores[p][o])) for p in places if p in scores}


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
