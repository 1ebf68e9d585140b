"""Training on train labels only against training on all labels after folds: results/folds.jsonl, one line per cell.

Protocol: 20 training and 30 validation nodes per class are labelled, the others test. "split" trains on the 20 and
validates on the 30, as the paper does. "folds" cross-validates all 50 and then trains on all of them. Both see the same
labels; the test nodes are read once.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import highwaygraph as hg
from highwaygraph.graph.graph import Graph
from highwaygraph.presets import typical_of
from highwaygraph.runtime.environment import versions
from highwaygraph.study.datasets import load_dataset

TARGET = Path(__file__).resolve().parent.parent / "results" / "folds.jsonl"
DATASETS = (
    "cora", "citeseer", "pubmed", "zoo/acm", "zoo/amazon_photo", "zoo/wiki", "zoo/citeseer_full",
    "zoo/actor", "zoo/airport", "zoo/chameleon_filtered", "zoo/minesweeper", "zoo/texas",
    "zoo/uai2010", "zoo/blogcatalog",
)  # fmt: skip
# Splits that no other study reports. Some options of `plus`, which both ways of training share, were chosen on them.
SPLITS = range(1000, 1005)
TRAIN, VAL = 20, 30
Keep = Callable[["Cell", hg.Result], object]


@dataclass(frozen=True)
class Cell:
    """One graph, split and preset; both ways of using the labels are trained."""

    dataset: str
    preset: str
    split: int

    @property
    def key(self) -> str:
        """A text that identifies the cell."""
        return json.dumps(asdict(self), sort_keys=True)


def cells() -> Iterator[Cell]:
    """Yield all cells, the most informative first."""
    for datasets in (DATASETS[:2], DATASETS[2:]):
        for preset in ("typical", "plus"):
            yield from (Cell(dataset, preset, split) for split in SPLITS for dataset in datasets)


def measure(report: Callable[[str], object], target: Path = TARGET, keep: Keep = lambda *_: None) -> dict[str, int]:
    """Run the cells that the results file lacks, and append each as it finishes.

    Args:
        report: Takes a line about each cell.
        target: The results file.
        keep: Takes every cell with its two results.

    Returns:
        The number of cells that were run.
    """
    done = {Cell(**one["cell"]).key for one in read(target)}
    missing = [cell for cell in cells() if cell.key not in done]
    for cell in missing:
        found = run(cell, keep)
        with target.open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")
        report(f"{cell.dataset} {cell.preset} {cell.split}: {found['split']['test']:.4f} {found['folds']['test']:.4f}")
    return {"cells": len(missing)}


def read(target: Path = TARGET) -> list[dict[str, Any]]:
    """Return the records of finished cells; an incomplete last line is left out."""
    text = target.read_text(encoding="utf-8") if target.exists() else ""
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def run(cell: Cell, keep: Keep = lambda *_: None) -> dict[str, Any]:
    """Return the record of a cell.

    Args:
        cell: The cell.
        keep: Takes the cell with each of its two results.
    """
    data, config = _data(cell.dataset, cell.split), _config(cell)
    model = hg.models.build("gcn", data)
    started = time.perf_counter()
    plain = hg.train(model, data, config, seed=0, progress=False)
    middle = time.perf_counter()
    # Short trainings take less time than starting a process for them.
    workers = 1 if cell.preset == "typical" else 0
    found = hg.cross_validate(
        model, data, config, seed=0, workers=workers, baseline=False, small_classes="share", progress=False
    )
    result = found.refit(progress=False)
    keep(cell, plain)
    keep(cell, result)
    return {
        "cell": asdict(cell),
        "split": {"test": plain.test, "val": plain.val, "seconds": middle - started, "answer": plain.answer},
        "folds": {
            "test": result.test,
            "accuracy": found.accuracy,
            "error": found.error,
            "epochs": [one.epochs for one in result.rounds],
            "seconds": time.perf_counter() - middle,
            "answer": result.answer,
        },
        "versions": versions(),
    }


def _config(cell: Cell) -> hg.Config:
    """Return the preset; typical training has the optimisation of plus, so that only the method differs."""
    plus = hg.PRESETS["plus"]
    config = typical_of(plus) if cell.preset == "typical" else plus
    return hg.override(config, {"fit.batch_size": 0})


@lru_cache(maxsize=2)
def _data(dataset: str, split: int) -> Graph:
    return hg.split(load_dataset(dataset), TRAIN, VAL, split, small_classes="share")
