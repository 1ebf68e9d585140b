import csv
import io

from highwaygraph.report.check_first import CheckedNode, CheckList
from highwaygraph.report.check_table import HEADS, CheckTable
from highwaygraph.report.run_data import read
from highwaygraph.report.run_page import Report
from highwaygraph.runs.outputs import check_output
from highwaygraph.runs.predictions import to_csv, write
from highwaygraph.runs.probabilities import probability_table
from tests.helpers.compared import with_data
from tests.helpers.example import NASTY, run
from tests.helpers.refitted import few_labels

TRAIN = int(run().data.train_mask.nonzero()[0])
TEST = int(run().data.test_mask.nonzero()[0])


def table(**changes) -> CheckTable:
    nodes = [
        CheckedNode(TRAIN, "given label", 1, 0.87, {}),
        CheckedNode(TEST, "disagreement", 2, 0.4, {"a": 0, "b": 0, "c": 2}),
        CheckedNode(0, "low confidence", 1, 0.41, {"a": 1}),
    ]
    data = with_data(run(), **changes)
    return CheckTable(read(data), CheckList(nodes, (1, 2), (3, 4)))


def test_rows_name_the_reason_and_the_classes() -> None:
    label = run().data.classes[int(run().data.y[TRAIN])]
    first, second, third = table().document()["rows"]
    assert first[1:6] == ["given label", label, "<b>b</b>", 87, ""]
    assert second[2:6] == ["", "<b>c</b>", 40, "<b>a</b> (2), <b>c</b> (1)"]
    assert third[5] == "the same (1)"
    assert len(first) == len(HEADS)


def test_details_hold_the_neighbours_and_the_attributes() -> None:
    found = table(attributes={"title": [f"text {i}" for i in range(180)]})
    details = found.document()["details"][1]
    edges = run().data.edge_index
    others = {int(other) for other in edges[1][edges[0] == TEST]} | {int(other) for other in edges[0][edges[1] == TEST]}
    assert details["degree"] == len(others - {TEST})
    assert {name for name, _, _ in details["neighbours"]} <= {run().data.ids[other] for other in others}
    assert details["attributes"] == {"title": f"text {TEST}"}
    assert details["part"] == "test"


def test_the_csv_has_ids_neighbours_and_attributes() -> None:
    found = table(attributes={"title": ["=1+1"] * 180, "id": ["x"] * 180})
    rows = list(csv.DictReader(io.StringIO(to_csv(found.columns()))))
    assert [row["reason"] for row in rows] == ["given label", "disagreement", "low confidence"]
    assert rows[2]["id"] == NASTY
    assert rows[0]["title"] == "'=1+1"
    assert rows[0]["attribute id"] == "x"
    assert [row["part"] for row in rows[:2]] == ["train", "test"]
    assert len(rows[1]["neighbours"].split("; ")) == found.document()["details"][1]["degree"]


def test_the_csv_has_the_names_and_values_of_predict(tmp_path) -> None:
    result = few_labels()
    report = Report(result, {})
    found, expected = report.check_table.columns(), probability_table(result)
    assert {"id", "class", "confidence", "label", "part", "hops"} <= set(found) & set(expected)
    place = {node: row for row, node in enumerate(expected["id"])}
    for row, node in enumerate(found["id"]):
        names = ("part", "label") if found["reason"][row] == "given label" else ("part", "label", "class", "confidence")
        assert [found[name][row] for name in names] == [expected[name][place[node]] for name in names]
    assert set(found["class"]) <= {"class_a", "class_b", "class_c"}
    write(found, tmp_path / "check.csv")
    check_output(tmp_path / "check.csv")


def test_hops_are_empty_without_a_path_and_of_other_folds_for_a_label() -> None:
    alone = run().data.edge_index
    alone = alone[:, (alone != TEST).all(dim=0)]
    assert table(edge_index=alone).columns()["hops"][1] is None
    assert table(edge_index=alone).document()["rows"][1][6] == "no path"
    # A label that no training of a fold held out has hops to the nearest other one.
    apart = run().data.edge_index
    apart = apart[:, (apart != TRAIN).all(dim=0)]
    assert table().columns()["hops"][0] > 0
    assert table(edge_index=apart).columns()["hops"][0] is None
    found = Report(few_labels(), {}).check_table.columns()
    hops = [hop for hop, reason in zip(found["hops"], found["reason"], strict=True) if reason == "given label"]
    assert hops
    assert 0 not in hops
