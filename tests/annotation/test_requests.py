"""Requests of the page: anything but a window, a node and an answer is refused with a sentence."""

import pytest

from highwaygraph.annotation.requests import read_answer, read_node, read_undo, read_window
from highwaygraph.annotation.session import Given
from highwaygraph.service.refusal import RefusedError

GOOD = {"window": "w-1", "node": "3", "answer": "label", "class": "red"}


def test_an_answer_is_read() -> None:
    found = read_answer(GOOD | {"seen": {"answer": "not sure", "class": ""}}, 10)
    assert found == ("w-1", 3, Given("label", "red"), Given("not sure"))
    assert read_answer(GOOD | {"answer": "skipped"}, 10).given == Given("skipped")


@pytest.mark.parametrize(
    "change",
    [
        {"window": ""}, {"window": None}, {"window": "a b"}, {"window": "x" * 65},
        {"node": "10"}, {"node": "-1"}, {"node": "1.5"}, {"node": None}, {"node": "1e3"}, {"node": 3},
        {"answer": "maybe"}, {"answer": None}, {"answer": ["label"]},
        {"class": ""}, {"class": "  "}, {"class": None}, {"class": "x" * 201}, {"class": "a\nb"}, {"class": "a\x00"},
        {"class": "\ud800"}, {"seen": 3}, {"seen": {"answer": "x"}},
    ],
)  # fmt: skip
def test_other_values_are_refused(change) -> None:
    with pytest.raises(RefusedError) as error:
        read_answer(GOOD | change, 10)
    assert error.value.status == 422


def test_other_documents_are_refused() -> None:
    for read in (read_undo, lambda document: read_answer(document, 10)):
        with pytest.raises(RefusedError, match="The body has to be an object"):
            read(["w"])
    assert read_undo({"window": "w"}) == read_window("w") == "w"
    assert read_node("9", 10) == 9
