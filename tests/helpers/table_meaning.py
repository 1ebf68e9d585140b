"""The meaning of cells, written down independently of the library: words, numbers, flags, dates, lists and gaps."""

import json
import re
from datetime import date, datetime
from typing import Any, NamedTuple

GAPS = {"na", "n/a", "nan", "none", "null", "<na>", "#n/a"}
"""Words that are a gap in a column of numbers, flags, dates or lists, in any case; elsewhere they are words."""
WHOLE = re.compile(r"(?:0|-?[1-9][0-9]*)(?:\.0+)?")
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
LEADING_ZERO = re.compile(r"[+-]?0[0-9]")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")
UNLABELLED = ("-1", "?")


class Meaning(NamedTuple):
    """The kind of a column and the value of every cell, None for a gap."""

    kind: str
    values: list[Any]


def words(cells: list[str]) -> list[str | None]:
    """Return ids or labels as text: as written, whole numbers without a final .0 where that merges no two of them."""
    stripped = [cell.strip() for cell in cells]
    present = {cell for cell in stripped if cell}
    if is_whole(present):
        return [without_point(cell) if cell else None for cell in stripped]
    return [cell or None for cell in stripped]


def is_whole(present: set[str]) -> bool:
    """Return whether all of these are whole numbers, no two of them the same number."""
    return all(WHOLE.fullmatch(cell) for cell in present) and len({without_point(c) for c in present}) == len(present)


def without_point(cell: str) -> str:
    """Return a whole number without a final .0."""
    return re.sub(r"\.0+$", "", cell)


def meaning(cells: list[str]) -> Meaning:
    """Return the kind and the values of a column of features."""
    stripped = [cell.strip() for cell in cells]
    present = [cell for cell in stripped if cell and cell.lower() not in GAPS]
    for kind, holds, value in (
        ("number", _are_numbers, number),
        ("flag", lambda cells: all(c in FLAGS for c in cells), FLAGS.get),
        ("date", lambda cells: all(DATE.fullmatch(c) for c in cells), days),
        ("list", lambda cells: all(c.startswith("[") and c.endswith("]") for c in cells), parse_list),
    ):
        if present and holds(present):
            values = [value(cell) if cell and cell.lower() not in GAPS else None for cell in stripped]
            return Meaning("vector" if kind == "list" and _are_vectors(values) else kind, values)
    return Meaning("words", [cell or None for cell in stripped])


FLAGS = {"true": True, "false": False, "True": True, "False": False, "TRUE": True, "FALSE": False}


def number(cell: str) -> float | None:
    """Return a number, None where the cell is none."""
    return float(cell) if NUMBER.fullmatch(cell) else None


def days(cell: str) -> float | None:
    """Return a date as days since 1970, None where the cell is none."""
    if not DATE.fullmatch(cell):
        return None
    # The zero is written as a date, because timestamps do not reach year 1.
    since = datetime.fromisoformat(cell) - datetime.combine(date(1970, 1, 1), datetime.min.time())
    return since.total_seconds() / 86400


def parse_list(cell: str) -> list[Any]:
    """Return the list that a text in square brackets stands for: JSON, or bare words between commas."""
    try:
        found: list[Any] = json.loads(cell)
    except ValueError:
        found = [part.strip().strip("'\"") for part in cell[1:-1].split(",")]
    return found


def _are_numbers(cells: list[str]) -> bool:
    return all(NUMBER.fullmatch(cell) and not LEADING_ZERO.match(cell) for cell in cells)


def _are_vectors(values: list[Any]) -> bool:
    return all(isinstance(e, int | float) for value in values if value is not None for e in value)
