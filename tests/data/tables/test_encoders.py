import json

import numpy as np
import pandas as pd
import pytest

from highwaygraph.data.tables.encoders import ENCODERS, Category, Date, Flag, Ignored, Number, Text, Vector
from highwaygraph.data.tables.tidy import tidy
from highwaygraph.errors import ConfigError


def test_numbers_are_scaled_and_gaps_marked() -> None:
    column = pd.Series([1.0, 3.0, None, np.inf])
    assert Number(mean=1, scale=2, missing=True).encode(column).tolist() == [[0, 0], [1, 0], [0, 1], [0, 1]]
    assert Number(mean=0, scale=1, missing=False).encode(pd.Series(["2", "x"])).tolist() == [[2], [0]]


def test_dates_are_days() -> None:
    column = pd.Series(["1970-01-03", "nonsense", None], dtype=object)
    assert Date(mean=1, scale=1, missing=True).encode(column).tolist() == [[1, 0], [0, 1], [0, 1]]


def test_a_word_in_a_later_table_does_not_make_all_flags_true() -> None:
    found = Flag(missing=True).read(tidy(pd.Series(["True", "False", "no", "yes", "0", "maybe", "", "NA"])))
    assert found.features.tolist() == [[1, 0], [0, 0], [0, 0], [1, 0], [0, 0], [0, 1], [0, 1], [0, 1]]
    assert found.unreadable.tolist() == [False] * 5 + [True, False, False]
    assert Flag(missing=False).read(pd.Series([1, 0, 2])).unreadable.tolist() == [False, False, True]


def test_hostile_encoders_are_refused() -> None:
    for kind in ({"kind": "words", "listed": False, "size": 0}, {"kind": "vector", "length": 0, "scale": 1},
                 {"kind": "category", "values": ["a", "a"]}):  # fmt: skip
        with pytest.raises((ValueError, ConfigError), match="should be|listed twice"):
            ENCODERS.validate_python({"column": kind})


def test_flags() -> None:
    column = pd.Series([True, False, None], dtype=object)
    assert Flag(missing=True).encode(column).tolist() == [[1, 0], [0, 0], [0, 1]]


def test_categories_that_were_not_seen_are_in_none() -> None:
    column = pd.Series(["b", "a", "new", None], dtype=object)
    assert Category(values=["a", "b"]).encode(column).tolist() == [[0, 1], [1, 0], [0, 0], [0, 0]]


def test_words_are_hashed_alike_whatever_their_order() -> None:
    encode = Text(listed=False, size=64).encode
    one, other, none = encode(pd.Series(["Graph networks", "networks, graph!", None], dtype=object))
    assert (one == other).all()
    assert one.sum() == 2
    assert none.sum() == 0
    lists = Text(listed=True, size=64).encode(pd.Series([["graph", "networks"], None], dtype=object))
    assert (lists[0] == one).all()


def test_vectors_of_another_length_count_as_missing() -> None:
    column = pd.Series([[2, 4], [1], None, (np.nan, 2)], dtype=object)
    assert Vector(length=2, scale=2).encode(column).tolist() == [[1, 2], [0, 0], [0, 0], [0, 1]]


def test_vectors_of_parquet_files() -> None:
    column = pd.Series([np.array([2, 4]), np.array([1.0]), None, np.array([np.inf, 2]), "[2, 6]"], dtype=object)
    features, unreadable = Vector(length=2, scale=2).read(column)
    assert features.tolist() == [[1, 2], [0, 0], [0, 0], [0, 1], [1, 3]]
    assert unreadable.tolist() == [False, True, False, False, False]


@pytest.mark.parametrize(
    "encoder",
    [
        Number(mean=1.5, scale=2, missing=True),
        Number(mean=0, scale=2, missing=False),
        Flag(missing=False),
        Date(mean=1, scale=2, missing=True),
        Category(values=["a"]),
        Text(listed=True),
        Vector(length=3, scale=1),
        Ignored(why="empty"),
    ],
)
def test_they_come_back_from_json_and_describe_themselves(encoder) -> None:
    text = json.dumps({"column": encoder.model_dump()})
    assert ENCODERS.validate_python(json.loads(text)) == {"column": encoder}
    assert encoder.describe()
    assert len(encoder.encode(pd.Series([None, None], dtype=object))) == 2
