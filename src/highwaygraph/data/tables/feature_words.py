"""The words behind hashed columns of text, as far as the shown cells of some nodes contain them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from highwaygraph.data.tables.feature_names import feature_names


def feature_labels(
    encoders: Mapping[str, Any] | None,
    attributes: Mapping[str, Sequence[Any]] | None,
    columns: Iterable[int],
    nodes: Iterable[int],
    count: int,
) -> dict[int, str]:
    """Return the names of some features; a hashed word is named by the words of the nodes that have its hash.

    Args:
        encoders: The encoder of every column; None for a graph that was not read from tables.
        attributes: The cells that the graph keeps to be shown; long texts are cut there.
        columns: The features.
        nodes: The nodes whose cells are searched for words.
        count: The number of all features.

    Returns:
        The names by feature; a word that no cell contains is numbered.

    Example:
        >>> from highwaygraph.data.tables.encoders import Text
        >>> encoder = Text(listed=False, size=8)
        >>> feature_labels({"title": encoder}, {"title": ["graph"]}, [4], [0], 8)
        {4: 'title: graph'}
    """
    names, wanted = feature_names(encoders, count), list(columns)
    labels = {column: names[column] for column in wanted}
    first, places = 0, list(nodes)
    for name, encoder in (encoders or {}).items():
        cells = (attributes or {}).get(name)
        inside = [column for column in wanted if first <= column < first + encoder.width]
        if encoder.kind == "words" and cells is not None and inside:
            words = encoder.words_by_bucket(_whole_words(cells[place]) for place in places)
            found = {column: words[column - first] for column in inside if column - first in words}
            labels |= {column: f"{name}: {' / '.join(some)}" for column, some in found.items()}
        first += encoder.width
    return labels


def _whole_words(cell: Any) -> Any:
    """Return the cell without its last word where it was cut, which may be a part of a word."""
    if not isinstance(cell, str) or not cell.endswith("…"):
        return cell
    return re.sub(r"\w*…$", "", cell)
