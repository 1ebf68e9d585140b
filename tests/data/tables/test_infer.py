import numpy as np
import pandas as pd
import pytest

from highwaygraph.data.tables.encoders import Category, Date, Flag, Ignored, Number, Text, Vector
from highwaygraph.data.tables.infer import infer_encoder


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
