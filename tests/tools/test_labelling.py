"""The page of labelling strategies: areas, paired differences and the verdict."""

import pytest

from benchmarks.labelling import DATASETS, FOLLOWED, TO_5, Cell, cells
from tools import labelling
from tools.labelling import Part, area, growth_table, last, progress, results_table, scores, verdict


def record(strategy: str, split: int, accuracy: float, dataset: str = "cora", start: str = "class") -> dict:
    cell = Cell(dataset, strategy, start, TO_5, split)
    values = {"dataset": dataset, "strategy": strategy, "start": start, "budgets": list(TO_5), "split": split}
    return {
        "cell": values | {"seed": 0, "preset": "typical", "noise": 0.0}, "key": cell.key, "labels": [7, 21, 35],
        "accuracy": [0.4, 0.5, accuracy], "classes": [7, 7, 7], "seconds": [0.1, 0.2],
    }  # fmt: skip


RECORDS = [record("auto", s, 0.8 + 0.01 * s) for s in range(3)] + [record("random", s, 0.7) for s in range(3)]


def test_the_area_is_the_mean_over_the_labels() -> None:
    assert area(record("auto", 0, 0.6)) == pytest.approx(50.0)
    assert last(record("auto", 0, 0.6)) == pytest.approx(60.0)


def test_records_of_other_protocols_are_left_out() -> None:
    other = record("auto", 0, 0.1, start="none")
    assert scores([*RECORDS, other], Part(), last)["cora"]["auto"][0, 0] == pytest.approx(80.0)
    assert list(scores([*RECORDS, other], Part("none"), last)["cora"]) == ["auto"]


def test_differences_are_paired_and_the_best_published_strategy_is_a_row() -> None:
    found = scores([*RECORDS, *(record("medoids", s, 0.75) for s in range(3))], Part(), last)
    rows = results_table(found).splitlines()
    assert "| `auto` - random (s.e.) | +11.0 (0.6) | +11.0 |" in rows
    assert "| `auto` - medoids (FeatProp) (s.e.) | +6.0 (0.6) | +6.0 |" in rows


def test_the_verdict_counts_the_graphs_beyond_two_standard_errors() -> None:
    close = [record("auto", s, 0.7 + 0.1 * (s - 1), "pubmed") for s in range(3)]
    close += [record("random", s, 0.7, "pubmed") for s in range(3)]
    assert "on 1 of 2 graphs; on the others (pubmed) it is not." in verdict(scores(RECORDS + close, Part(), last))
    assert "on 1 of 1 graphs." in verdict(scores(RECORDS, Part(), last))


def test_times_are_by_strategy_and_size() -> None:
    times = {"strategy": "auto", "cold_s": 1.25, "labels_s": 2.0}
    rows = growth_table([times | {"nodes": 10}, times | {"nodes": 2000, "cold_s": 30.0}]).splitlines()
    assert rows[0] == "| strategy | 10 nodes | 2,000 nodes |"
    assert rows[2:] == ["| `auto` | 1.2, 2.0 | 30.0, 2.0 |"]


def test_missing_curves_are_counted() -> None:
    wanted = len(DATASETS) * 5 * (9 + 4 * len(FOLLOWED))
    assert progress(RECORDS, Part()) == [f"This table is not complete: 6 of {wanted} curves are measured."]
    assert progress([{"key": cell.key} for cell in cells()], Part()) == []


@pytest.mark.skipif(not labelling.PAGE.exists(), reason="the strategies have not been measured")
def test_the_page_is_up_to_date() -> None:
    assert labelling.page() == labelling.PAGE.read_text()


def test_datasets_have_names_of_their_own() -> None:
    assert len({name.removeprefix("zoo/") for name in DATASETS}) == len(DATASETS)
