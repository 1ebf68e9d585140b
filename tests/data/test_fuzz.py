"""Corrupted files of every kind: an error or a valid result, never a traceback, a hang or all of the memory."""

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")

import random
from collections import Counter

import highwaygraph as hg
from tests.helpers.fuzzing import KINDS, fuzz
from tests.helpers.table_compare import differences
from tests.helpers.table_dialects import DIALECTS
from tests.helpers.table_fuzz import AGAIN, cases, run
from tests.helpers.table_meaning import Meaning, meaning
from tests.helpers.table_truth import expected, generate


@pytest.mark.parametrize("kind", KINDS)
def test_corrupted_files(tmp_path, kind) -> None:
    went, failures = fuzz(kind, tmp_path, range(round(30 * KINDS[kind].share)), seed=0)
    assert not failures
    # A checkpoint that is none is passed over.
    assert went["refused"] or "checkpoint" in kind


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_corrupted_files(tmp_path, kind) -> None:
    _, failures = fuzz(kind, tmp_path, range(round(800 * KINDS[kind].share)), seed=1)
    assert not failures


def compared(count: int, start: int = 0) -> None:
    """Compare so many written-and-read tables with their truth; all failures are named."""
    faults = [f"{' '.join(map(str, case))}: {found}" for case, found in run(cases(count, start)) if found]
    assert not faults, "\n".join([f"{len(faults)} of {count}; one again: {AGAIN}", *faults[:20]])


def test_tables_are_read_as_they_were_written() -> None:
    compared(25)


@pytest.mark.slow
def test_many_tables_are_read_as_they_were_written() -> None:
    compared(2000, start=25)


def test_every_wrong_value_is_found(tmp_path) -> None:
    truth = generate(31, clean=True)
    source = DIALECTS["parquet-typed"](truth, tmp_path, random.Random(0))
    graph, meant = hg.load(source.source, **truth.options), expected(truth)
    assert not list(differences(graph, meant, loose=False))
    name = next(name for name, column in meant.columns.items() if column.kind == "number")
    numbers = [None if value is None else value + 1 for value in meant.columns[name].values]
    first = next(iter(meant.edges))
    for kind, wrong in {
        "ids": meant._replace(ids=meant.ids[::-1]),
        "labels": meant._replace(labels=["other", *meant.labels[1:]]),
        "split": meant._replace(parts=["other", *meant.parts[1:]]),
        "edges": meant._replace(edges={edge: weight for edge, weight in meant.edges.items() if edge != first}),
        "weights": meant._replace(edges=meant.edges | {first: 7.5}),
        "number column": meant._replace(columns=meant.columns | {name: Meaning("number", numbers)}),
        "columns": meant._replace(columns={}),
        "findings": meant._replace(findings=Counter({"self-loop": 3})),
    }.items():
        assert next(differences(graph, wrong, loose=False)).startswith(f"{kind}: ")


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["1", "NA", "", "1e5"], "number", [1.0, None, None, 100000.0]),
        (["01", "1"], "words", ["01", "1"]),
        (["True", "false", ""], "flag", [True, False, None]),
        (["1970-01-02", "0001-01-01"], "date", [1.0, -719162.0]),
        (["NA", "red"], "words", ["NA", "red"]),
        (["[1, 2]", "[3, 4]"], "vector", [[1, 2], [3, 4]]),
        (["[a, b]", "[]"], "list", [["a", "b"], []]),
    ],
)
def test_the_meaning_of_cells(cells, kind, values) -> None:
    assert meaning(cells) == (kind, values)
