import numpy as np
import pandas as pd
import pytest

from highwaygraph.data.tables.encoders import Category, Date, Flag, Ignored, Number, Text, Vector
from highwaygraph.data.tables.infer import infer_encoder, note_words
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.data.tables.tidy import tidy


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 3.0], Number(mean=2, scale=1, missing=False)),
        ([1.0, 3.0, None], Number(mean=2, scale=1, missing=True)),
        ([0, 0, 0, 4], Number(mean=0, scale=4, missing=False)),
        ([1, np.inf], Ignored(why="the same everywhere")),
        ([np.inf], Ignored(why="no finite number in it")),
        ([True, False, None], Flag(missing=True)),
        (["a", "b", "a", "b"], Category(values=["a", "b"])),
        (["a", "a"], Ignored(why="the same everywhere")),
        ([None, None], Ignored(why="empty")),
        (["1970-01-02", "1970-01-04", None], Date(mean=2, scale=1, missing=True)),
        (["1970-01-02 12:00", "1970-01-02 12:00"], Ignored(why="the same everywhere")),
        (["1", "01", "1", "01"], Category(values=["01", "1"])),
        (["1", "NA", "3"], Number(mean=2, scale=1, missing=True)),
        (["NA", "x", "NA", "x"], Category(values=["NA", "x"])),
        (["TRUE", "false", "null"], Flag(missing=True)),
        (["1970-01-02", "9999-12-31"], Date(mean=1466448.5, scale=1466447.5, missing=False)),
        (["1970-01-02", "1970-01-04", "1970-99-99"], Date(mean=2, scale=1, missing=True)),
        (pd.to_datetime(["1970-01-02", "1970-01-04"]), Date(mean=2, scale=1, missing=False)),
        ([f"name{i}" for i in range(99)], Ignored(why="another word in every row, like a name")),
        ([f"some words {i}" for i in range(99)], Text(listed=False)),
        ([["a", "b"], ["c"]], Text(listed=True)),
        ([[0, 2], [4, 2]], Vector(length=2, scale=2**0.5)),
        ([[1], [1, 2]], Ignored(why="lists of numbers, not all of one length")),
        ([[1, 1], [1, 1]], Vector(length=2, scale=1)),
    ],
)
def test_what_a_column_is(values, expected) -> None:
    assert infer_encoder(pd.Series(values)) == expected


def test_numbers_that_are_read_as_words_are_remarked_on() -> None:
    def findings(cells) -> list[str]:
        column = tidy(pd.Series(cells))
        note_words("size", column, infer_encoder(column), log := ReadLog())
        return [str(finding) for finding in log.findings]

    local = findings(["1.234,56", "2.000,00", "950"])
    assert local == [
        "2 cells of 'size' with separators, signs or units among numbers (1.234,56, 2.000,00): "
        "the column is read as words: write them like 1234.56"
    ]
    for cells in (["$1,200", "$950"], ["12%", "7 %"], ["130 EUR", "90 EUR"]):
        assert "with separators, signs or units" in findings(cells)[0]
    assert findings([*map(str, range(9)), "many"])[0].startswith("1 word in the column 'size' among numbers (many)")
    assert findings(["1", "07", "3"])[0].startswith("1 cell of 'size' with leading zeros (07)")
    assert findings(["a", "b", "1"]) == findings(["1", "2"]) == findings(["", ""]) == []
