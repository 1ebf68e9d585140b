"""The public functions."""

import json

import pytest

import highwaygraph as hg
from tests.helpers.trained import named_run


def test_a_node_is_given_by_its_id() -> None:
    found = hg.explain(named_run(), "node <7>, text")
    assert (found.id, found.node) == ("node <7>, text", 7)
    assert isinstance(found, hg.Explanation)


def test_several_nodes_are_values_for_json() -> None:
    ids = [f"node <{i}>, text" for i in (0, 90, 7)]
    found = hg.explain_nodes(named_run(), ids)
    assert [one["id"] for one in json.loads(json.dumps(found))] == ids
    alone = hg.explain(named_run(), ids[2]).as_dict()
    assert found[2]["messages"] == alone["messages"]
    assert found[2]["labels"] == alone["labels"]


def test_an_unknown_node_is_refused() -> None:
    with pytest.raises(hg.DataError, match="did you mean"):
        hg.explain(named_run(), "node <7>, tex")
