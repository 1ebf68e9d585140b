"""Single cells of a table: missing ones, and lists written as text."""

import json
from typing import Any

import numpy as np
import pandas as pd


def is_missing(value: Any) -> bool:
    """Return whether a cell is empty."""
    return value is None or (not is_list(value) and bool(pd.isna(value)))


def is_list(value: Any) -> bool:
    """Return whether a cell holds several values."""
    return isinstance(value, list | tuple | np.ndarray)


def is_numeric_array(value: Any) -> bool:
    """Return whether a cell is a NumPy array of numbers, as Parquet files have them."""
    return isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iuf"


def is_written_list(value: Any) -> bool:
    """Return whether a cell is text in square brackets."""
    return isinstance(value, str) and value.startswith("[") and value.endswith("]")


def as_list(value: Any) -> Any:
    """Return a list where a cell is one or is written as one, else the cell itself."""
    return parse_list(value) if is_written_list(value) else value


def parse_list(text: str) -> Any:
    """Return the list that a text in square brackets stands for: JSON, or bare words between commas."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return [part.strip().strip("'\"") for part in text[1:-1].split(",")]
