"""Encoders of a run or of a converted graph."""

import pytest

from highwaygraph.data.tables.encoders import Category, Number
from highwaygraph.data.tables.stored_encoders import read_encoders


def test_encoders_come_back() -> None:
    encoders = {"size": Number(mean=1, scale=2, missing=False), "kind": Category(values=["a", "b"])}
    assert read_encoders({name: encoder.model_dump() for name, encoder in encoders.items()}, 3) == encoders
    assert read_encoders(None, 3) is None


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"kind": "magic"}, "unknown kind"),
        ({"kind": "category", "values": ["a", "a"]}, "invalid options"),
        ({"kind": "words", "listed": False, "size": 10**9}, "declare other features than the graph has"),
        ({"kind": "words", "listed": False, "size": 512}, "declare other features than the graph has"),
        ({"kind": "vector", "length": 5, "scale": 1}, "declare other features than the graph has"),
    ],
)
def test_invalid_encoders_are_refused(record, message) -> None:
    with pytest.raises(ValueError, match=message):
        read_encoders({"column": record}, 3)
