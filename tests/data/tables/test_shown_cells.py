import copy
import json
import pickle

import pandas as pd

from highwaygraph.data.tables.shown_cells import MANY_NODES, MAX_LENGTH, MAX_LENGTH_OF_MANY, ShownCells
from highwaygraph.data.tables.tidy import tidy


def test_texts_are_cut_and_missing_ones_empty() -> None:
    shown = ShownCells(tidy(pd.Series(["äöü", "x" * 999, None])))
    assert list(shown) == ["äöü", "x" * (MAX_LENGTH - 1) + "…", ""]
    assert [shown[i] for i in range(3)] == list(shown)
    assert shown[1:] == list(shown)[1:]
    assert shown[-1] == ""


def test_texts_of_many_nodes_are_cut_sooner() -> None:
    shown = ShownCells(tidy(pd.Series(["x" * 99] * (MANY_NODES + 1))))
    short = "x" * (MAX_LENGTH_OF_MANY - 1) + "…"
    # A part of the column is cut as the whole.
    assert (shown[0], shown[:2], next(iter(shown))) == (short, [short] * 2, short)


def test_a_whole_text_can_be_read() -> None:
    shown = ShownCells(tidy(pd.Series(["x" * 999, None])))
    assert (shown.whole(0), shown.whole(1)) == ("x" * 999, "")


def test_numbers_are_rounded() -> None:
    shown = ShownCells(pd.Series([1.23456, float("inf"), None]))
    assert shown == [1.235, "inf", ""]
    assert shown[0] == 1.235
    assert json.dumps(list(ShownCells(pd.Series([3, 4])))) == "[3, 4]"


def test_copies_are_equal() -> None:
    shown = ShownCells(tidy(pd.Series(["a", "b"])))
    assert copy.deepcopy(shown) == shown
    assert pickle.loads(pickle.dumps(shown)) == shown
    assert shown != ["a"]
