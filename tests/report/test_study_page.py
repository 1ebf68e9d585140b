from highwaygraph.options import override
from highwaygraph.report import study_charts
from highwaygraph.report.study_page import StudyReport, headline
from highwaygraph.study.aggregate import aggregate
from highwaygraph.study.records import Record
from highwaygraph.study.spec import Study, cells

STUDY = Study(
    name="toy",
    title="A <toy>",
    protocol="random",
    baseline={"pairs.weight": 0.0},
    grid={
        "dataset": ["cora"],
        "model": ["gcn"],
        "train": [10, 20],
        "pairs.weight": [0.0, 1.0],
        "split": [0, 1],
        "seed": [0],
    },
    paper=[{"train": 10, "pairs.weight": 1.0, "mean": 80.0, "deviation": 1.0}],
)


def record(cell) -> Record:
    test = 0.7 + 0.05 * cell["pairs.weight"] + 0.01 * cell["split"]
    hops = [{"hops": h, "nodes": 5, "accuracy": test} for h in study_charts.HOPS]
    return Record(cell, {"test": test, "test_last": test, "hops": hops, "versions": {"torch": "2"}})


RECORDS = [record(cell) for cell in cells(STUDY)]


def test_the_page_of_a_study(tmp_path) -> None:
    report = StudyReport(STUDY, RECORDS)
    text = report.page()
    assert "A &lt;toy&gt;" in text
    assert "8 of 8 runs; 10 to 20 training and 30 validation nodes per class" in text
    assert "80.0 ± 1.0" in text
    assert set(report.charts) == {"forest", "by-distance", "heat"}
    assert len(report.save_figures(tmp_path)) == 9


def test_an_unfinished_study_and_one_without_baseline() -> None:
    assert "3 of 8 runs" in StudyReport(STUDY, RECORDS[:3]).page()
    plain = STUDY.model_copy(update={"baseline": {}})
    assert set(StudyReport(plain, RECORDS).charts) == {"by-distance", "heat"}
    other = Record(RECORDS[0].cell | {"seed": 9}, RECORDS[0].facts)
    assert len(StudyReport(STUDY, [*RECORDS, other]).records) == 8


def test_datasets_with_other_sizes_are_named() -> None:
    sizes = [{"dataset": "cora", "train": 5, "val": 6}, {"dataset": "b", "train": 40, "val": 60, "per": "graph"}]
    text = StudyReport(override(STUDY, {"sizes": sizes}), RECORDS).page()
    assert "(cora: 5 and 6 per class; b: 40 and 60 in all, classes in their proportions)" in text


def test_the_headline_counts_clear_differences() -> None:
    cards = headline(aggregate(STUDY, RECORDS), 8)
    assert cards[2][0] == "+5.0"
    assert cards[3][0] == "2 / 0"
