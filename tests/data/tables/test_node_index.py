import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.data.tables import node_index
from highwaygraph.data.tables.node_index import NodeIndex


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


def test_an_id_that_is_no_unicode_is_never_found_and_disturbs_no_other() -> None:
    assert NodeIndex(["\ud800", "b"]).positions(pd.Series(["b", "?"])).tolist() == [1, -1]


WORDS = st.lists(st.sampled_from(["a", "b", "7", "7.0", "07", "x y", "é", "-3"]), min_size=1, max_size=9)


@given(WORDS, WORDS)
def test_arrow_and_pandas_find_the_same_nodes(ids, cells) -> None:
    column, found = pd.Series(cells), []
    for most in (0, 100):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(node_index, "MOST_IDS_PER_CELL", most)
            found.append(NodeIndex(ids).positions(column).tolist())
    assert found[0] == found[1]
    assert all(
        place < 0 or float(ids[place]) == float(cell) if cell[-1].isdigit() else ids[place] == cell or place < 0
        for place, cell in zip(found[0], cells, strict=True)
    )
