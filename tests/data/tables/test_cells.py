"""Single cells: missing ones, and lists."""

import numpy as np
import pandas as pd
import pytest

from highwaygraph.data.tables.cells import as_list, is_list, is_missing, parse_list


@pytest.mark.parametrize(("cell", "missing"), [(None, True), (np.nan, True), (pd.NaT, True), ("", False), ([], False)])
def test_missing_cells(cell, missing) -> None:
    assert is_missing(cell) is missing


def test_lists_are_values_or_text_in_brackets() -> None:
    assert [is_list(cell) for cell in ([1], (1,), np.array([1]), "[1]")] == [True, True, True, False]
    assert as_list("[1, 2.5]") == [1, 2.5]
    assert as_list("[red, 'dark blue']") == ["red", "dark blue"]
    assert as_list("[open") == "[open"


def test_a_deeply_nested_list_is_a_list_of_words() -> None:
    assert len(parse_list("[" * 100_000 + "]" * 100_000)) == 1
