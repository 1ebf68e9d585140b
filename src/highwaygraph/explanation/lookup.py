"""Nodes by the user's own ids."""

from collections.abc import Sequence
from difflib import get_close_matches
from itertools import islice

from highwaygraph.errors import DataError, shortened
from highwaygraph.graph.graph import Graph

# Ids that are compared with an unknown one, to suggest a similar one.
MOST_COMPARED = 200_000


def node_numbers(data: Graph, ids: Sequence[int | str]) -> list[int]:
    """Return the numbers of nodes from their ids.

    Args:
        data: The graph.
        ids: The user's ids, or numbers from 0 where the graph has no ids; text and numbers are compared as text.

    Returns:
        A number per id.

    Example:
        >>> node_numbers(Graph(num_nodes=2, ids=["paper7", "paper8"]), ["paper8"])
        [1]
    """
    known = range(data.num_nodes) if data.ids is None else data.ids
    wanted = {str(one) for one in ids}
    place: dict[str, int] = {}
    for number, one in enumerate(known):
        if str(one) in wanted:
            place.setdefault(str(one), number)
            if len(place) == len(wanted):
                break
    for one in ids:
        if str(one) not in place:
            raise DataError(_unknown(str(one), data))
    return [place[str(one)] for one in ids]


def _unknown(word: str, data: Graph) -> str:
    start = f"The training graph of this run has no node {shortened(word)!r}"
    if data.ids is None:
        return f"{start}: its nodes are numbered from 0 to {data.num_nodes - 1:,}."
    close = get_close_matches(word, map(str, islice(data.ids, MOST_COMPARED)), n=1, cutoff=0.6)
    hint = f"did you mean {shortened(close[0])!r}?" if close else f"its ids look like {shortened(str(data.ids[0]))!r}."
    return f"{start}: {hint}"
