"""Names of features, from the encoders of a node table."""

from collections.abc import Mapping
from typing import Any


def feature_names(encoders: Mapping[str, Any] | None, count: int) -> list[str]:
    """Return the name of every feature.

    Args:
        encoders: The encoder of every column; None for a graph that was not read from tables.
        count: The number of features.

    Returns:
        The column, with its category where it has some; hashed words and entries of a vector are numbered.

    Example:
        >>> feature_names(None, 2)
        ['feature 0', 'feature 1']
    """
    if not encoders:
        return [f"feature {i}" for i in range(count)]
    return [name for column, encoder in encoders.items() for name in _of_column(column, encoder)]


def _of_column(column: str, encoder: Any) -> list[str]:
    match encoder.kind:
        case "category":
            return [f"{column} = {value}" for value in encoder.values]
        case "number" | "date" | "flag":
            return [column, f"{column} is missing"][: encoder.width]
        case "words":
            return [f"{column}, word {i}" for i in range(encoder.width)]
        case _:
            return [f"{column}[{i}]" for i in range(encoder.width)]
