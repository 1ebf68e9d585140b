import pandas as pd
import pytest

from highwaygraph.data.tables.ids import clean_ids, select_nodes
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.errors import DataError


def test_ids_keep_their_zeros() -> None:
    assert clean_ids(pd.Series(["007", "7"])).tolist() == ["007", "7"]
    assert clean_ids(pd.Series([" 7", "8 "])).tolist() == [7, 8]
    assert clean_ids(pd.Series([7.0, 8.0])).tolist() == [7, 8]
    assert clean_ids(pd.Series([7.5])).tolist() == ["7.5"]
    assert clean_ids(pd.Series(["1.0", "20.00", "0"])).tolist() == [1, 20, 0]
    assert clean_ids(pd.Series(["5", "-3", "0"])).tolist() == [5, -3, 0]
    assert clean_ids(pd.Series(["5", "-0"])).tolist() == ["5", "-0"]
    assert clean_ids(pd.Series(["5", "+3"])).tolist() == ["5", "+3"]
    assert clean_ids(pd.Series(["9" * 16, "1"])).tolist() == [int("9" * 16), 1]
    assert clean_ids(pd.Series(["1" + "0" * 16, "1"])).tolist() == ["1" + "0" * 16, "1"]
    assert clean_ids(pd.Series(["1.0", "1", "2"])).tolist() == ["1.0", "1", "2"]
    assert clean_ids(pd.Series(["NA", "None", "null", "nan"])).tolist() == ["NA", "None", "null", "nan"]
    assert clean_ids(pd.Series([2**60, 2**60 + 1], dtype=object)).tolist() == [str(2**60), str(2**60 + 1)]


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
