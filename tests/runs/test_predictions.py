import csv
import io

import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.errors import ConfigError, FailedError
from highwaygraph.runs.history import HighwayTable
from highwaygraph.runs.predictions import class_names, columns, ids_in, to_csv, write
from tests.helpers.graphs import block_graph

IDS = ["=1+1", "'quoted", "plain, text", "-", "a\nb", *(f"n{i}" for i in range(175))]


def example() -> dict[str, list]:
    data = block_graph()
    data.ids = IDS
    highways = HighwayTable(
        torch.tensor([[0, 1, 2, 3, 5], [9, 9, 9, 9, 7]]), torch.tensor([1, 1, 2, 2, 2]), *torch.ones(2, 5)
    )
    return columns(data, (5 * torch.eye(3)[data.y]).softmax(dim=1), ["x", "y", "z"], highways)


def test_columns_of_the_predictions() -> None:
    table = example()
    assert list(table) == ["id", "class", "confidence", "hops", "highways"]
    assert table["class"][0] == "x"
    assert 0.98 < table["confidence"][0] < 1
    assert table["highways"][7] == "n0 (round 2)"
    assert table["highways"][9] == "=1+1 (round 1); 'quoted (round 1); plain, text (round 2)"
    assert table["highways"][0] == ""
    train = block_graph().train_mask.tolist()
    assert [hop == 0 for hop in table["hops"]] == train


def test_no_cell_is_a_formula_and_ids_are_restored() -> None:
    text = to_csv(example())
    assert not any(cell.startswith(("=", "+", "@", "-")) for row in csv.reader(io.StringIO(text)) for cell in row)
    assert ids_in(text) == IDS


CELLS = st.text(alphabet="a'\"=,; \r\n\0\ufeff") | st.text(st.characters(exclude_categories=["Cs"]))


@given(st.lists(CELLS, min_size=1, max_size=5))
def test_any_id_is_restored(ids: list[str]) -> None:
    text = to_csv({"id": ids, "class": ["x\ry"] * len(ids), "confidence": [0.5] * len(ids)})
    assert ids_in(text) == ids
    assert [row[1:] for row in csv.reader(io.StringIO(text, newline=""))][1:] == [["x\ry", "0.500000"]] * len(ids)


def test_a_bare_carriage_return_shifts_no_row(tmp_path) -> None:
    write({"id": ["a\rb", "\r=1+1", "c"], "class": ["x", "y", "z"]}, tmp_path / "p.csv")
    table = pd.read_csv(tmp_path / "p.csv")
    assert table["id"].tolist() == ["a\rb", "'\r=1+1", "c"]
    assert table["class"].tolist() == ["x", "y", "z"]


def test_ids_longer_than_the_limit_of_python_are_restored() -> None:
    before = csv.field_size_limit()
    assert ids_in(to_csv({"id": ["x" * 200_000], "class": ["a"]})) == ["x" * 200_000]
    assert csv.field_size_limit() == before


def test_numbers_of_many_digits_are_not_rounded() -> None:
    assert to_csv({"n": [0.5, 1e-10, 1234567.125, None, 7]}).split() == [
        "n",
        "0.500000",
        "1e-10",
        "1234567.125000",
        "7",
    ]


def test_an_unquoted_carriage_return_is_damage() -> None:
    with pytest.raises(ValueError, match=r"predictions\.csv"):
        ids_in("id,class\na\rb,x\n")


def test_the_suffix_decides_the_format(tmp_path) -> None:
    table = example()
    write(table, tmp_path / "p.csv")
    write(table, tmp_path / "p.parquet")
    assert pd.read_parquet(tmp_path / "p.parquet")["id"].tolist() == IDS
    assert len(pd.read_csv(tmp_path / "p.csv")) == 180
    with pytest.raises(ConfigError, match=r"not as \.xlsx: name it p\.csv"):
        write(table, tmp_path / "p.xlsx")
    with pytest.raises(FailedError, match="Choose another file"):
        write(table, tmp_path / "none" / "p.csv")
    (tmp_path / "none").mkdir()
    with pytest.raises(FailedError, match="it is a folder"):
        write(table, tmp_path / "none")


def test_class_names() -> None:
    data = block_graph()
    assert class_names(data, 3) == ["0", "1", "2"]
    data.classes = ["a", "b"]
    assert class_names(data, 3) == ["a", "b", "2"]


def test_a_very_long_id_is_read_back() -> None:
    names = ["a" * 140_000, "b"]
    assert ids_in(to_csv({"id": names, "class": ["x", "y"]})) == names
