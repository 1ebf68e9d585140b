from dataclasses import replace

from highwaygraph.report.changed_nodes import ChangedNode
from highwaygraph.report.changed_text import changed_table
from highwaygraph.report.comparison import compare_runs
from highwaygraph.report.comparison_values import RunComparison
from tests.helpers.compared import two_runs

NODE = ChangedNode("n7", "second", "red", 0.5, "blue", "val", None, "blue", 0.254, 2, "became wrong")


def with_nodes(*nodes: ChangedNode) -> RunComparison:
    found = compare_runs(two_runs())
    return replace(found, changes=(replace(found.changes[0], predictions=nodes, changed=len(nodes)),))


def test_a_row_has_both_predictions_with_confidence_and_distance() -> None:
    table = changed_table(with_nodes(NODE, replace(NODE, label=None, part="none", hops=2)))
    assert table.heads[2:6] == ["first predicts", "Conf. %", "second predicts", "Conf. %"]
    shown = [[cell.replace("\N{NO-BREAK SPACE}", " ") for cell in row] for row in table.rows]
    assert shown[0] == ["n7", "blue (validation)", "blue", "25", "red", "50", "2 / no path"]
    assert (shown[1][1], shown[1][-1]) == ("-", "2")
    assert table.title == "2 nodes whose prediction differs"
    assert table.is_sorted


def test_the_number_of_listed_nodes_is_limited() -> None:
    table = changed_table(with_nodes(*[NODE] * 30), 10, "; more")
    assert (len(table.rows), table.title) == (10, "10 of 30 nodes whose prediction differs; more")


def test_several_runs_are_named_in_a_column() -> None:
    first, second = two_runs().values()
    table = changed_table(compare_runs({"a": first, "b": second, "c": second}), 3)
    assert (table.heads[4], table.heads[-1]) == ("Other run predicts", "Run")
    assert [row[-1] for row in table.rows] == ["b"] * 3 + ["c"] * 3
    # One node is a prediction of each run.
    total = 2 * sum(len(change.predictions) for change in compare_runs(two_runs()).changes)
    assert table.title == f"6 of {total} predictions that differ"


def test_without_changes_there_are_no_rows() -> None:
    assert changed_table(with_nodes()).rows == []
