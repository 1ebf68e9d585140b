"""The page of folds: paired differences, and what is not measured yet."""

from benchmarks.folds import DATASETS, SPLITS, Cell, cells
from tools.folds import lines, progress, results_table


def record(dataset: str, preset: str, split: int, tests: tuple[float, float]) -> dict[str, object]:
    cell = {"dataset": dataset, "preset": preset, "split": split}
    return {"cell": cell, "split": {"test": tests[0]}, "folds": {"test": tests[1], "accuracy": 0.8}}


EVERY = len(DATASETS) * len(SPLITS) * 2  # presets
RECORDS = [
    record("cora", "typical", 1000, (0.8, 0.82)),
    record("cora", "typical", 1001, (0.8, 0.84)),
    record("zoo/acm", "plus", 1000, (0.9, 0.9)),
]


def test_differences_are_paired_by_split() -> None:
    rows = results_table(lines(RECORDS)).splitlines()
    assert rows[2] == "| cora, `typical` | 2 | 80.0 | 83.0 | +3.0 (1.0) | 80.0 |"
    assert rows[3] == "| acm, `plus` | 1 | 90.0 | 90.0 | +0.0 (-) | 80.0 |"


def test_missing_graphs_are_named() -> None:
    text = progress(RECORDS)
    assert text.startswith(f"3 of {EVERY} cells")
    assert "citeseer" in text
    assert "acm" not in text


def test_every_cell_is_listed_once() -> None:
    keys = [cell.key for cell in cells()]
    assert len(keys) == len(set(keys)) == EVERY
    assert Cell("cora", "typical", 1000).key in keys
