"""Columns of text in one form, and what they are read as."""

import numpy as np
import pandas as pd
import pytest

from highwaygraph.data.tables.columns import (
    days,
    factorize,
    has_codes,
    is_gap,
    numbers,
    texts,
    truths,
    words,
)
from highwaygraph.data.tables.tidy import tidy


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


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pd.Series([3, -7]), ["3", "-7"]),
        (pd.Series([2**64 - 1], dtype="uint64"), [str(2**64 - 1)]),
        (pd.Series([7.0, np.nan, -0.0]), ["7", None, "0"]),
        (pd.Series([7.5, 1e300, np.inf]), ["7.5", str(int(1e300)), "inf"]),
        (pd.Series([1, None], dtype="Int64"), ["1", None]),
        (pd.Series([True, False]), ["True", "False"]),
        (tidy(pd.Series(["a ", ""])), ["a", None]),
    ],
)
def test_words_of_columns_of_any_type(column, expected) -> None:
    assert words(column).tolist() == expected
    assert texts(column).to_pylist() == expected


def test_words_are_numbered_in_the_order_of_their_first_cell() -> None:
    codes, distinct = factorize(tidy(pd.Series(["b", None, "a", "b"])))
    assert (codes.tolist(), distinct) == ([0, -1, 1, 0], ["b", "a"])


def test_a_word_behind_many_numbers_is_missing_and_infinity_then_too() -> None:
    cells = ["1"] * 99
    assert np.isinf(numbers(tidy(pd.Series([*cells, "inf"])))[-1])
    assert np.isnan(numbers(tidy(pd.Series([*cells, "inf", "x"])))[-2:]).all()


def test_truths() -> None:
    np.testing.assert_array_equal(truths(tidy(pd.Series(["TRUE", "no", "2", ""]))), [1, 0, np.nan, np.nan])
    np.testing.assert_array_equal(truths(pd.Series([True, False, None], dtype=object)), [1, 0, np.nan])
