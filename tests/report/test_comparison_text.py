from dataclasses import replace

import pytest

from highwaygraph.report.comparison import compare_runs
from highwaygraph.report.comparison_text import gain_lines, notes, tables
from highwaygraph.report.comparison_values import ClassRow, RunComparison
from highwaygraph.training.class_metrics import ClassScores
from highwaygraph.training.gain import Gain
from tests.helpers.compared import two_runs, with_data
from tests.helpers.example import without_test


def by_name(comparison: RunComparison, most: int | None = None) -> dict:
    return {table.name: table for table in tables(comparison, most)}


def test_the_tables_of_two_runs() -> None:
    found = by_name(compare_runs(two_runs()))
    assert list(found) == ["runs", "changes", "nodes", "hops", "classes", "options"]
    assert found["runs"].rows[1][:5] == ["second", "94.2", "100.0", "30", "gcn"]
    assert found["changes"].rows == [["second", "19 of 180", "17 of 120", "10", "4"]]
    assert found["hops"].heads == ["Hops", "Test nodes", "first %", "second %", "Difference", "95 % interval"]
    assert found["hops"].rows[-1] == ["all", "120", "89.2", "94.2", "+5.0", "-1.2 to +11.1"]
    assert found["nodes"].title == "19 nodes whose prediction differs"
    assert [row[:2] for row in found["classes"].rows[:2]] == [["<b>a</b>", "first"], ["", "second"]]
    assert found["options"].heads == ["Option", "first", "second"]
    assert found["options"].rows == [["fit.lr", "0.01", "0.5"]]
    assert all(len(row) == len(table.heads) for table in found.values() for row in table.rows)


def test_runs_on_one_graph_and_the_same_test_nodes_need_no_note() -> None:
    assert notes(compare_runs(two_runs())) == []
    first = two_runs()["first"]
    assert notes(compare_runs({"a": first, "b": first})) == ["All runs have the same options."]


def test_limits_are_one_sentence_each() -> None:
    first, second = two_runs().values()
    other = with_data(second, x=second.data.x + 1)
    (one,) = notes(compare_runs({"a": first, "b": other}))
    assert one == "b is on another graph than a: only accuracies and options are compared."
    (several,) = notes(compare_runs({"a": first, "b": other, "c": other}))
    assert several.startswith("b and c are on other graphs than a:")
    mask = first.data.test_mask.clone()
    mask[mask.nonzero()[0]] = False
    split = compare_runs({"a": first, "b": with_data(second, test_mask=mask)})
    assert notes(split)[0].startswith("b has other test nodes than a:")
    assert gain_lines(split) == []
    assert by_name(split)["hops"].heads == ["Hops", "a % (nodes)", "b % (nodes)"]
    assert by_name(split)["hops"].rows[-1][1] == "89.2 (120)"
    empty = compare_runs({"a": without_test(first), "b": without_test(second)})
    assert notes(empty) == ["a and b have no test nodes: only validation accuracy and predictions are compared."]
    assert list(by_name(empty)) == ["runs", "changes", "nodes", "options"]


@pytest.mark.parametrize(
    ("gain", "expected"),
    [
        (
            Gain(3.0, 0.7, 40, 10, 1000),
            "second is better: the 95 % interval lies above 0. second beside first: +3.0 points on 1,000 test nodes, "
            "95 % interval +1.6 to +4.4.",
        ),
        (Gain(-3.0, 0.7, 10, 40, 1000), "first is better: the 95 % interval lies below 0. second beside first: -3.0 "),
        (
            Gain(0.0, 0.2, 5, 5, 1000),
            "No clear difference: the 95 % interval contains 0 and is at most 6 points wide. second beside first: ",
        ),
        (
            Gain(0.0, 0.0, 0, 0, 1),
            "Too few test nodes to decide: fewer than 30. second beside first: +0.0 points on 1 test node, 95 % ",
        ),
        (
            Gain(3.3, 3.3, 3, 1, 60),
            "Too few test nodes to decide: the 95 % interval contains 0 and is wider than 6 points. second ",
        ),
    ],
)
def test_the_paired_difference_is_a_sentence_with_its_verdict(gain, expected) -> None:
    found = compare_runs(two_runs())
    (line,) = gain_lines(replace(found, changes=(replace(found.changes[0], gain=gain),)))
    assert line.startswith(expected)


def test_classes_have_the_difference_of_f1_where_the_test_nodes_are_the_same() -> None:
    runs = two_runs()
    rows = by_name(compare_runs(runs))["classes"].rows
    scores = compare_runs(runs).classes[0].scores
    assert rows[0][-1] == ""
    assert rows[1][-1] == f"{100 * (scores[1].f1 - scores[0].f1):+.1f}"
    first, second = runs.values()
    mask = first.data.test_mask.clone()
    mask[mask.nonzero()[0]] = False
    other = compare_runs({"a": first, "b": with_data(second, test_mask=mask)})
    assert {row[-1] for row in by_name(other)["classes"].rows} == {""}


def test_nodes_without_a_path_have_one_name() -> None:
    assert by_name(compare_runs(two_runs()))["hops"].rows[-2][0] == "no path"


def test_of_many_classes_those_with_the_largest_difference_are_listed() -> None:
    found = compare_runs(two_runs())
    scores = [(ClassScores(c, 5, 1.0, 1.0, 0.5), ClassScores(c, 5, 1.0, 1.0, c / 100)) for c in range(30)]
    many = replace(found, classes=tuple(ClassRow(f"class {c}", pair) for c, pair in enumerate(scores)))
    table = by_name(many, 3)["classes"]
    assert table.title.startswith("The 3 of 30 classes with the largest difference in F1")
    assert [row[0] for row in table.rows if row[0]] == ["class 0", "class 1", "class 2"]
    assert len(by_name(many)["classes"].rows) == 60


def test_the_graph_is_named_where_it_differs_and_three_runs_have_no_difference() -> None:
    first, second = two_runs().values()
    assert "Graph" not in by_name(compare_runs({"a": first, "b": second, "c": second}))["runs"].heads
    other = with_data(second, x=second.data.x + 1)
    other.data.name = "another"
    runs = by_name(compare_runs({"a": first, "b": second, "c": other}))["runs"]
    place = runs.heads.index("Graph")
    assert [row[place] for row in runs.rows] == ["graph", "graph", "another"]
    three = by_name(compare_runs({"a": first, "b": second, "c": second}))["hops"]
    assert three.heads == ["Hops", "Test nodes", "a %", "b %", "c %"]


def test_values_of_options_are_those_of_the_command_line() -> None:
    values = {"votes.views": ((), ("features", "text")), "hidden": (16, None)}
    table = by_name(replace(compare_runs(two_runs()), options=values))["options"]
    assert table.rows == [["votes.views", "none", "features text"], ["hidden", "16", "-"]]
