"""Names by which an open page notices that its server was started again, and for which graph and label file."""

import hashlib
import secrets
from pathlib import Path
from typing import NamedTuple

from highwaygraph.graph.fingerprint import data_hash
from highwaygraph.graph.graph import Graph


class Identity(NamedTuple):
    """The names of a session."""

    session: str
    """Another one at every start."""
    graph: str
    """Of the graph."""
    answers: str
    """Of the label file and the ids, to which answers belong."""


def identify(graph: Graph, labels: Path) -> Identity:
    """Return the names of a new session.

    Args:
        graph: The graph.
        labels: Its label file.

    Returns:
        Hexadecimal digits.
    """
    ids = _digest("\0".join(map(str, graph.ids or range(graph.num_nodes))))
    return Identity(secrets.token_hex(8), data_hash(graph) + ids, _digest(f"{labels}\0{ids}"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:16]
