"""A column of labels whose cells hold several: lists, or text with a separator that the user named."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from torch import Tensor

from highwaygraph.data.tables.cells import is_list, is_missing
from highwaygraph.data.tables.columns import Codes, as_word, factorize
from highwaygraph.data.tables.labels import UNKNOWN, by_size, refuse_quantities
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.data.tables.tidy import tidy
from highwaygraph.errors import DataError, shortened
from highwaygraph.graph.quantities import NO_REGRESSION

# Signs that other tables separate labels by.
OTHERS = (";", "|", ",")


def holds_lists(column: pd.Series) -> bool:
    """Return whether a cell of a column is a list, as in Parquet files, data frames and databases.

    Example:
        >>> holds_lists(pd.Series([["bio", "hot"], None])), holds_lists(pd.Series(["bio;hot"]))
        (True, False)
    """
    if isinstance(column.dtype, pd.ArrowDtype):
        return bool(pa.types.is_nested(column.dtype.pyarrow_dtype))
    return bool(column.dtype == object and column.map(_has_several).any())


def free_separator(names: list[str]) -> str:
    """Return a sign that is part of no label, so that labels joined by it can be divided again."""
    return next((sign for sign in OTHERS if not any(sign in name for name in names)), OTHERS[0])


def read_label_lists(
    column: pd.Series, separator: str, classes: list[str] | None, log: ReadLog
) -> tuple[Tensor, list[str]]:
    """Return a row of 0 and 1 per node, of -1 where its cell is empty, and the names of the labels, sorted.

    Args:
        column: A cell per node, such as "cs.LG;stat.ML" or a list; an empty list is an empty cell.
        separator: The text between two labels; spaces around a label do not count. Lists need none.
        classes: Names of the labels where they are given; other labels are not used.
        log: Takes the labels that are not used.

    Returns:
        The labels, and their names.
    """
    listed = holds_lists(column)
    codes, cells = _read_lists(column, separator) if listed else _read_texts(column, separator, check=classes is None)
    found = {label for cell in cells for label in cell}
    if classes is None:
        if listed:
            refuse_quantities(Counter(label for code in codes for label in cells[code]))
        if len(found) < 2:
            raise DataError("The label column holds a single label: at least two are needed.")
    names = sorted(found, key=by_size) if classes is None else classes
    place = {name: number for number, name in enumerate(names)}
    new = sorted(found - set(place))
    log.find("labels that the model was not trained on", new, len(new), "they are not used")
    # The last row is that of the code -1, a missing cell.
    rows = np.full((len(cells) + 1, len(names)), -1, dtype=np.int64)
    for row, cell in enumerate(cells):
        if cell:
            rows[row] = 0
            rows[row, [place[label] for label in cell if label in place]] = 1
    return torch.from_numpy(rows[codes]), names


def _read_texts(column: pd.Series, separator: str, *, check: bool) -> tuple[Codes, list[list[str]]]:
    """Return the number of every cell's labels, -1 where it is missing, and the labels of the different cells."""
    codes, distinct = factorize(tidy(column))
    cells = [_labels(cell, separator) for cell in distinct]
    if check:
        _check_separator(distinct, cells, separator)
    return codes, cells


def _read_lists(column: pd.Series, separator: str) -> tuple[Codes, list[list[str]]]:
    """Return the same of a column of lists; a cell of text among them is divided by the separator, if one is named."""
    rows = [() if is_missing(cell) else _listed(cell, separator) for cell in column]
    if {label for row in rows for label in row} <= {"0", "1"} and _are_vectors([row for row in rows if row]):
        raise DataError(
            "The lists of the label column are rows of 0 and 1: write the names of a node's labels, or give data.y "
            "with a column per label to hg.load."
        )
    place = {row: number for number, row in enumerate(dict.fromkeys(rows))}
    codes = np.array([place[row] for row in rows], dtype=np.int64)
    return codes, [list(dict.fromkeys(row)) for row in place]


def _are_vectors(rows: list[tuple[str, ...]]) -> bool:
    """Return whether rows are vectors, of which some repeat a number or all have the same length, and no names."""
    lengths = {len(row) for row in rows}
    return any(len(set(row)) < len(row) for row in rows) or (len(lengths) == 1 and lengths != {1})


def _has_several(cell: Any) -> bool:
    return is_list(cell) or isinstance(cell, set | frozenset)


def _listed(cell: Any, separator: str) -> tuple[str, ...]:
    if isinstance(cell, set | frozenset):
        # A set has no order; that of its words keeps equal cells equal.
        cell = sorted(cell, key=as_word)
    if not is_list(cell):
        # Without a separator, the line feed divides no label.
        return tuple(_labels(as_word(cell), separator or "\n"))
    if any(is_list(one) or isinstance(one, dict) for one in cell):
        raise DataError("Lists of lists are not supported as labels: write a list of names in every cell.")
    found = (as_word(one).strip() for one in cell if not is_missing(one))
    return tuple(word for word in found if word not in ("", *UNKNOWN))


def _labels(cell: str, separator: str) -> list[str]:
    if cell.strip() in UNKNOWN:
        return []
    return list(dict.fromkeys(part.strip() for part in cell.split(separator) if part.strip()))


def _check_separator(distinct: list[str], cells: list[list[str]], separator: str) -> None:
    """Refuse a column without the separator, and one with two separators."""
    found = {label for cell in cells for label in cell}
    if found and not any(separator in cell for cell in distinct):
        if decimals := sorted(label for label in found if by_size(label)[0] % 1 > 0):
            raise DataError(f"The label column holds numbers with decimals, such as {decimals[0]}: {NO_REGRESSION}.")
        raise DataError(
            f"No cell of the label column holds the separator {separator!r}: name the one that it has, or leave out "
            "--label-separator for one class per node."
        )
    for cell, labels in zip(distinct, cells, strict=True):
        other = _other_separator(labels, found)
        if other:
            raise DataError(
                f"The label column has two separators, {separator!r} and {other!r} as in {shortened(cell, 40)!r}: use "
                "one of them in all cells."
            )


def _other_separator(labels: list[str], found: set[str]) -> str:
    """Return a sign at which a label divides into labels of other cells, an empty text without any."""
    for label in labels:
        for sign in OTHERS:
            parts = [part.strip() for part in label.split(sign)] if sign in label else []
            if len(parts) > 1 and all(part in found for part in parts):
                return sign
    return ""
