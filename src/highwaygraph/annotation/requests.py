"""Requests of the page: a window, a node and an answer."""

import re
from typing import Any, NamedTuple, cast, get_args

from highwaygraph.annotation.session import MOST_CHARACTERS, Given
from highwaygraph.data.label_file import Kind
from highwaygraph.errors import UNPRINTABLE
from highwaygraph.service.refusal import RefusedError

WINDOW = re.compile("[A-Za-z0-9_-]{1,64}")


class AnswerRequest(NamedTuple):
    """An answer as a window sends it."""

    window: str
    node: int
    given: Given
    seen: Given | None
    """The answer to the node that the window shows, None where it shows none."""


def read_answer(document: Any, num_nodes: int) -> AnswerRequest:
    """Return the answer in a JSON document; refuse anything else.

    Args:
        document: A JSON document with its numbers as text.
        num_nodes: Number of nodes of the graph.

    Returns:
        The answer.

    Example:
        >>> read_answer({"window": "w", "node": "3", "answer": "label", "class": " a "}, 10).given.label
        'a'
    """
    fields = _fields(document)
    window, node = read_window(fields.get("window")), read_node(fields.get("node"), num_nodes)
    seen = fields.get("seen")
    return AnswerRequest(window, node, _given(fields), None if seen is None else _given(_fields(seen)))


def check_page(document: Any, answers: str) -> None:
    """Refuse a request of a page that was open before the server was started for another graph or label file.

    Args:
        document: The body of the request; the page sends the name of its answers.
        answers: Name of the answers of this session.
    """
    if _fields(document).get("answers", answers) != answers:
        raise RefusedError(410, "This page is about another graph or label file: reload it.")


def read_undo(document: Any) -> str:
    """Return the window of a request to undo its last answer."""
    return read_window(_fields(document).get("window"))


def read_window(value: Any) -> str:
    """Return the id of a window."""
    if not isinstance(value, str) or not WINDOW.fullmatch(value):
        raise RefusedError(422, "window has to be an id of letters and digits: reload the page.")
    return value


def read_node(value: Any, num_nodes: int) -> int:
    """Return the number of a node of the graph."""
    if not isinstance(value, str) or not re.fullmatch("[0-9]{1,15}", value) or int(value) >= num_nodes:
        raise RefusedError(422, f"node has to be a whole number below {num_nodes}.")
    return int(value)


def _fields(document: Any) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise RefusedError(422, "The body has to be an object with window, node and answer.")
    return document


def _given(fields: dict[str, Any]) -> Given:
    kind = fields.get("answer")
    if kind not in get_args(Kind):
        raise RefusedError(422, f"answer has to be one of {', '.join(get_args(Kind))}.")
    return Given(cast(Kind, str(kind)), _class_name(fields.get("class")) if kind == "label" else "")


def _class_name(value: Any) -> str:
    name = value.strip() if isinstance(value, str) else ""
    if not name or len(name) > MOST_CHARACTERS or UNPRINTABLE.search(name) or "\n" in name or "\t" in name:
        raise RefusedError(422, f"class has to be a name of 1 to {MOST_CHARACTERS} characters in one line.")
    return str(name)
