"""Columns of text in one form, and what they are read as."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from highwaygraph.data.tables.columns import (
    TEXT,
    days,
    has_codes,
    is_gap,
    is_text,
    numbers,
    shown_cells,
    tidy,
    truths,
    words,
)
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


def test_numbers() -> None:
    column = tidy(pd.Series(["1", "+2.5", ".5", "1e5", "007", "inf", "x", "NA", "", "1,5", "0x10", "1_0", "1e400"]))
    expected = [1, 2.5, 0.5, 1e5, 7, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, np.inf]
    np.testing.assert_array_equal(numbers(column), expected)
    np.testing.assert_array_equal(numbers(tidy(pd.Series(["1", "inf", "nan"]))), [1, np.inf, np.nan])
    np.testing.assert_array_equal(numbers(pd.Series([True, 2, None], dtype=object)), [np.nan, 2, np.nan])
    np.testing.assert_array_equal(numbers(pd.Series([2**53, None], dtype="Int64")), [2**53, np.nan])
    assert has_codes(tidy(pd.Series(["0", "0.5", "-01"])))
    assert not has_codes(tidy(pd.Series(["0", "0.5", "10"])))


def test_gaps_are_missing_cells_and_words_for_them() -> None:
    assert is_gap(tidy(pd.Series(["NA", "n/a", "null", "NaN", "None", "", "nil", "0"]))).tolist() == [True] * 6 + [
        False,
        False,
    ]
    assert is_gap(pd.Series([1, np.nan])).tolist() == [False, True]


def test_dates() -> None:
    column = tidy(pd.Series(["1970-01-02", "1970-01-02T12:00", "9999-12-31", "0001-01-01", "2001-99-01", "2001", ""]))
    expected = [1, 1.5, 2932896, -719162, np.nan, np.nan, np.nan]
    np.testing.assert_array_equal(days(column), expected)
    typed = pd.Series(pd.to_datetime(["1970-01-02", None]))
    np.testing.assert_array_equal(days(typed), [1, np.nan])
    np.testing.assert_array_equal(days(pd.Series([2001, 2002])), [np.nan, np.nan])


def test_texts_are_cut_for_reports() -> None:
    assert shown_cells(tidy(pd.Series(["äöü", "abcdefgh", None])), 5) == ["äöü", "abcd…", ""]


def test_truths() -> None:
    np.testing.assert_array_equal(truths(tidy(pd.Series(["TRUE", "no", "2", ""]))), [1, 0, np.nan, np.nan])
    np.testing.assert_array_equal(truths(pd.Series([True, False, None], dtype=object)), [1, 0, np.nan])
