import pandas as pd
import pytest

from highwaygraph.data.tables.ids import NodeIndex, clean_ids, select_nodes
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.errors import DataError


def test_ids_keep_their_zeros() -> None:
    assert clean_ids(pd.Series(["007", "7"])).tolist() == ["007", "7"]
    assert clean_ids(pd.Series([" 7", "8 "])).tolist() == [7, 8]
    assert clean_ids(pd.Series([7.0, 8.0])).tolist() == [7, 8]
    assert clean_ids(pd.Series([7.5])).tolist() == ["7.5"]
    assert clean_ids(pd.Series(["1.0", "20.00", "0"])).tolist() == [1, 20, 0]
    assert clean_ids(pd.Series(["1.0", "1", "2"])).tolist() == ["1.0", "1", "2"]
    assert clean_ids(pd.Series(["NA", "None", "null", "nan"])).tolist() == ["NA", "None", "null", "nan"]
    assert clean_ids(pd.Series([2**60, 2**60 + 1], dtype=object)).tolist() == [str(2**60), str(2**60 + 1)]


@pytest.mark.parametrize(
    ("ids", "cells", "positions"),
    [
        ([0, 1, 2], ["2", "2.0", " 1 ", "01", "x", None, "-1", "3"], [2, 2, 1, -1, -1, -1, -1, -1]),
        ([5, 9], [9.0, 5.0, None], [1, 0, -1]),
        ([5, 9], [9, 5, 7], [1, 0, -1]),
        (["7", "x"], [7.0, None], [0, -1]),
        (["7.0", "7", "x"], ["7.0", "7", "x ", "7.00"], [0, 1, 2, 1]),
        (["nan", "x"], [None, "x"], [-1, 1]),
        ([10**17, 3], [str(10**17), "3.0"], [0, 1]),
        (["a", "a", "b"], ["a", "b"], [1, 2]),
        ([4, 4], ["4"], [1]),
    ],
)
def test_positions_of_nodes(ids, cells, positions) -> None:
    assert NodeIndex(ids).positions(pd.Series(cells)).tolist() == positions


def test_rows_without_an_id_and_repeated_ids_are_left_out() -> None:
    log = ReadLog()
    ids, kept = select_nodes(pd.Series(["b", None, "a", "b "]), log)
    assert (ids, kept.tolist()) == (["b", "a"], [True, False, True, False])
    assert [(f.what, f.count, f.examples) for f in log.findings] == [
        ("nodes without an id", 1, ("row 2",)),
        ("nodes with an id that came before", 1, ("b",)),
    ]
    with pytest.raises(DataError, match="has no node in it"):
        select_nodes(pd.Series([None, None]), log)
