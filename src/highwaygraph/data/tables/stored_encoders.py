"""Encoders that were stored with a run or a converted graph, where pandas may be missing."""

from importlib.util import find_spec
from typing import Any

from pydantic import ValidationError

from highwaygraph.errors import HighwayError


def read_encoders(records: dict[str, Any] | None, width: int) -> dict[str, Any] | None:
    """Return the encoders of a graph that was read from tables, None where pandas is not installed.

    Args:
        records: The encoder of every column, as it is stored.
        width: Number of features of the graph.

    Raises:
        ValueError: There is no such encoder.
    """
    if records is None or find_spec("pandas") is None:
        return None
    from highwaygraph.data.tables.encoders import ENCODERS

    try:
        encoders: dict[str, Any] = {**ENCODERS.validate_python(records)}
    except (ValidationError, HighwayError) as error:
        raise ValueError("an encoder of a column is of an unknown kind or has invalid options") from error
    # Without any feature column, the features come from the graph itself.
    if sum(encoder.width for encoder in encoders.values()) not in (0, width):
        raise ValueError("the encoders declare other features than the graph has")
    return encoders
