import csv
import io

from highwaygraph.report.check_first import CheckedNode, CheckList
from highwaygraph.report.check_table import HEADS, CheckTable
from highwaygraph.report.run_data import read
from highwaygraph.runs.predictions import to_csv
from tests.helpers.compared import with_data
from tests.helpers.example import NASTY, run

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
    assert details["part"] == "unlabelled"


def test_the_csv_has_ids_neighbours_and_attributes() -> None:
    found = table(attributes={"title": ["=1+1"] * 180, "id": ["x"] * 180})
    rows = list(csv.DictReader(io.StringIO(to_csv(found.columns()))))
    assert [row["reason"] for row in rows] == ["given label", "disagreement", "low confidence"]
    assert rows[2]["id"] == NASTY
    assert rows[0]["title"] == "'=1+1"
    assert rows[0]["attribute id"] == "x"
    assert rows[0]["part"] == "training"
    assert len(rows[1]["neighbours"].split("; ")) == found.document()["details"][1]["degree"]
