"""Columns of text in one form, one by one and as a table."""

import datetime
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest

from highwaygraph.data.tables.columns import TEXT, is_text, words
from highwaygraph.data.tables.tidy import tidy, tidy_frame
from highwaygraph.errors import DataError


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([" a", "b\n", "", None], dtype=object),
        pd.Series([" a", "b\n", "", None]),
        pd.Series([" a", "b\n", "", None], dtype="string"),
        pd.Series(["a", "b", "", None], dtype="category"),
        pd.Series(["a", "b", None, None], dtype=TEXT),
    ],
)
def test_text_has_one_form(column) -> None:
    assert is_text(tidy(column))
    assert words(tidy(column)).tolist() == ["a", "b", None, None]


def test_objects_become_text_unless_they_are_numbers_flags_or_lists() -> None:
    assert words(tidy(pd.Series([1, "a", 2.5, None], dtype=object))).tolist() == ["1", "a", "2.5", None]
    assert words(tidy(pd.Series([datetime.date(2001, 2, 3)]))).tolist() == ["2001-02-03"]
    assert words(tidy(pd.Series([Decimal("1.50")]))).tolist() == ["1.50"]
    for values in ([1, None], [1.5, None], [True, None], [[1], None]):
        assert not is_text(tidy(pd.Series(values, dtype=object)))


def test_text_that_is_not_unicode_is_refused() -> None:
    with pytest.raises(DataError, match="column 'name' holds text that is not valid Unicode"):
        tidy(pd.Series(["\ud800"], name="name", dtype=object))


def chunked(*chunks: list[str | None]) -> pd.Series:
    arrays = [pa.array(chunk, pa.large_string()) for chunk in chunks]
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array(arrays, pa.large_string())))


def test_columns_of_a_table_are_tidied_each_with_its_own_cells() -> None:
    frame = pd.DataFrame(
        {
            "a": chunked([" x", ""], [], ["y ", None]).array,
            "number": [1.5, 2.5, 3.5, 4.5],
            "b": chunked(["1", "2", "3", " "]).array,
            "c": ["p ", "q", "", "r"],
        },
        index=[4, 3, 2, 1],
    )
    found = tidy_frame(frame)
    assert list(found.columns) == list(frame.columns)
    assert found.index.tolist() == [4, 3, 2, 1]
    for name in frame:
        pd.testing.assert_series_equal(found[name], tidy(frame[name]))
    assert words(found["a"]).tolist() == ["x", None, "y", None]
    assert words(found["b"]).tolist() == ["1", "2", "3", None]


def test_tables_without_text_or_rows() -> None:
    numbers = pd.DataFrame({"a": [1, 2]})
    pd.testing.assert_frame_equal(tidy_frame(numbers), numbers)
    empty = pd.DataFrame({"a": pd.Series([], dtype=TEXT), "b": pd.Series([], dtype=TEXT)})
    assert len(tidy_frame(empty)) == 0
    assert is_text(tidy_frame(empty)["b"])
    assert tidy_frame(pd.DataFrame()).empty


def test_the_column_that_is_not_unicode_is_named() -> None:
    bad = pa.Array.from_buffers(
        pa.large_string(), 1, [None, pa.py_buffer(bytes(8) + (1).to_bytes(8, "little")), pa.py_buffer(b"\xff")]
    )
    frame = pd.DataFrame({"fine": chunked(["a"]), "bad": pd.arrays.ArrowExtensionArray(pa.chunked_array([bad]))})
    with pytest.raises(DataError, match="column 'bad' holds text that is not valid Unicode"):
        tidy_frame(frame)


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(DataError, match="Columns have the same name: 'a'"):
        tidy_frame(pd.DataFrame([["x", "y"]], columns=["a", "a"]))
