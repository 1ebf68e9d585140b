from dataclasses import replace

import pytest

from highwaygraph.cli.class_table import CONCLUSIONS, class_table, verdict_lines
from highwaygraph.report.class_comparison import class_rows
from highwaygraph.report.summary import Comparison, compare
from highwaygraph.training.gain import Gain
from tests.helpers.example import run
from tests.helpers.rendered import rendered
from tests.report.test_class_comparison import rows_of, two_classes


def with_names(comparison: Comparison, names: list[str]) -> Comparison:
    rows = [row._replace(name=name) for row, name in zip(comparison.classes, names, strict=True)]
    return replace(comparison, classes=rows)


def test_both_trainings_are_side_by_side_for_every_class() -> None:
    comparison = compare(two_classes())
    title, heads, first, second, area = rendered(class_table(comparison)).splitlines()
    assert title.endswith("(typical training / HighwayGraph)")
    assert heads.split() == ["Class", "Test", "nodes", "Precision", "%", "Recall", "%", "F1", "%"]
    assert first.split()[:3] == ["0", "40", "50.0"]
    assert "- / 9" in second
    assert area.startswith("Area under precision-recall of 1: typical 50.0, HighwayGraph 9")


def test_a_run_alone_has_one_number_per_cell_and_three_classes_no_area() -> None:
    shown = rendered(class_table(compare(run(baseline=False))))
    assert "/" not in shown.replace("</b>", "")
    assert "Area under" not in shown


@pytest.mark.parametrize("width", [60, 80])
def test_long_names_are_wrapped_and_nothing_is_cut_off(width: int) -> None:
    comparison = compare(two_classes())
    names = ["a_class_with_a_name_" * 8, "[b]x"]
    shown = rendered(class_table(with_names(comparison, names)), width)
    assert max(map(len, shown.splitlines())) <= width
    assert "…" not in shown
    assert names[1] in shown
    cells = shown.replace("\n", " ").split()
    assert "100.0" in cells
    assert "".join(line.split("  ")[0].strip() for line in shown.splitlines()).count("a_class") >= 2
    row = comparison.classes[1]
    assert f"{100 * row.ours.recall:.1f}" in cells
    assert f"{100 * row.ours.f1:.1f}" in cells


def test_of_many_classes_the_lowest_f1_are_listed() -> None:
    comparison = compare(run(baseline=False))
    shown = rendered(class_table(replace(comparison, classes=rows_of(*range(1, 31)))), 80)
    assert shown.startswith("The 10 of 30 classes with the lowest F1; --json lists all")
    assert "class 9 " in shown
    assert "class 10 " not in shown
    twenty = rendered(class_table(replace(comparison, classes=rows_of(*[5] * 20))), 80)
    assert "class 19 " in twenty
    assert class_rows(run(baseline=False)) == comparison.classes


@pytest.mark.parametrize(
    ("gain", "expected"),
    [
        (Gain(3.0, 0.7, 40, 10, 1000), "typical training: +3.0 points, 95 % interval +1.6 to +4.4; it helped\n"),
        (Gain(-3.0, 0.7, 10, 40, 1000), "it did harm\n"),
        (Gain(0.0, 0.2, 5, 5, 1000), "it made no clear difference\n"),
        (Gain(0.0, 0.0, 0, 0, 10), "too few test nodes to decide\n"),
    ],
)
def test_the_verdict_is_one_line_with_its_interval(gain, expected) -> None:
    shown = rendered(verdict_lines(replace(compare(run()), gain=gain)))
    assert expected in shown
    assert sum(conclusion.format(nodes="test nodes") in shown for conclusion in CONCLUSIONS.values()) == 1


def test_the_largest_class_is_named_with_its_accuracy() -> None:
    comparison = compare(run(baseline=False))
    shown = rendered(verdict_lines(comparison))
    assert shown == f"Accuracy of predicting the largest class ({run().data.classes[0]}) for all: 33.3 %\n"
    unequal = replace(comparison, classes=rows_of(1, 999))
    assert rendered(verdict_lines(unequal)).endswith("(class 1) for all: 99.9 %, which is not below this run's\n")
    assert rendered(verdict_lines(replace(comparison, classes=rows_of(0, 0)))).strip() == ""
