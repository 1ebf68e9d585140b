"""Nodes by id: numbers, text, and a suggestion for an unknown one."""

import pytest

from highwaygraph.errors import DataError
from highwaygraph.explanation.lookup import node_numbers
from highwaygraph.graph.graph import Graph

NAMED = Graph(num_nodes=3, ids=["paper7", "paper8", 12])
PLAIN = Graph(num_nodes=3)


def test_ids_and_numbers_are_found_as_text_too() -> None:
    assert node_numbers(NAMED, ["paper8", "12", 12]) == [1, 2, 2]
    assert node_numbers(PLAIN, ["2", 0]) == [2, 0]


@pytest.mark.parametrize(
    ("data", "word", "message"),
    [
        (NAMED, "paper9", r"no node 'paper9': did you mean 'paper\d'\?"),
        (NAMED, "zzz", r"no node 'zzz': its ids look like 'paper7'\."),
        (PLAIN, "3", r"no node '3': its nodes are numbered from 0 to 2\."),
        (PLAIN, "-1", "numbered from 0"),
    ],
)
def test_an_unknown_id_is_refused_with_a_suggestion(data: Graph, word: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        node_numbers(data, [word])
