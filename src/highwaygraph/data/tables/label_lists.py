"""A column of labels whose cells hold several, joined by a separator that the user named."""

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from highwaygraph.data.tables.columns import factorize
from highwaygraph.data.tables.labels import UNKNOWN, by_size
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.data.tables.tidy import tidy
from highwaygraph.errors import DataError, shortened

# Signs that other tables separate labels by.
OTHERS = (";", "|", ",")


def read_label_lists(
    column: pd.Series, separator: str, classes: list[str] | None, log: ReadLog
) -> tuple[Tensor, list[str]]:
    """Return a row of 0 and 1 per node, of -1 where its cell is empty, and the names of the labels, sorted.

    Args:
        column: A cell per node, such as "cs.LG;stat.ML".
        separator: The text between two labels; spaces around a label do not count.
        classes: Names of the labels where they are given; other labels are not used.
        log: Takes the labels that are not used.

    Returns:
        The labels, and their names.
    """
    codes, distinct = factorize(tidy(column))
    cells = [_labels(cell, separator) for cell in distinct]
    found = {label for cell in cells for label in cell}
    if classes is None:
        _check(distinct, cells, found, separator)
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


def _labels(cell: str, separator: str) -> list[str]:
    if cell.strip() in UNKNOWN:
        return []
    return list(dict.fromkeys(part.strip() for part in cell.split(separator) if part.strip()))


def _check(distinct: list[str], cells: list[list[str]], found: set[str], separator: str) -> None:
    """Refuse a column without the separator, one of quantities, of a single label, or with two separators."""
    if found and not any(separator in cell for cell in distinct):
        if decimals := sorted(label for label in found if by_size(label)[0] % 1 > 0):
            raise DataError(
                f"The label column holds numbers with decimals, such as {decimals[0]}: HighwayGraph classifies nodes "
                "and does not predict quantities, so divide them into classes first."
            )
        raise DataError(
            f"No cell of the label column holds the separator {separator!r}: name the one that it has, or leave out "
            "--label-separator for one class per node."
        )
    if len(found) < 2:
        raise DataError("The label column holds a single label: at least two are needed.")
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
