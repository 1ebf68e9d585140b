"""Columns of labels and of the split into training, validation and test nodes."""

import math
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from highwaygraph.data.tables.read_log import ReadLog

UNKNOWN = ("", "nan", "none", "null", "-1", "?", "<na>", "nat")


PARTS = {"train": "train", "training": "train", "val": "val", "valid": "val", "validation": "val", "dev": "val",
         "test": "test", "testing": "test"}  # fmt: skip


NO_PART = ("", "none", "nan", "unlabelled", "unlabeled", "<na>")


def read_labels(column: pd.Series, classes: list[str] | None, log: ReadLog) -> tuple[Tensor, list[str]]:
    """Return class numbers, -1 where a label is empty, and the names of the classes, sorted, numbers by size.

    Args:
        column: A label per node.
        classes: Names of the classes where they are given; labels of other classes are not used.
        log: Takes the labels that are not used.
    """
    words = [class_name(value) for value in column]
    found = set(words) - {""}
    names = classes if classes is not None else sorted(found, key=_by_size)
    number = {name: i for i, name in enumerate(names)}
    new = sorted(found - set(number))
    log.find("classes that the model was not trained on", new, len(new), "their labels are not used")
    return torch.tensor([number.get(word, -1) for word in words], dtype=torch.long), names


def class_name(value: Any) -> str:
    """Return a label as text, empty where there is none; the float 3.0 is 3 in a column with missing values."""
    whole = isinstance(value, float) and math.isfinite(value) and value == int(value)
    word = str(int(value) if whole else value).strip()
    return "" if word.lower() in UNKNOWN else word


def is_split(column: pd.Series) -> bool:
    """Return whether a column holds train, val or test, and nothing else."""
    words = {str(value).strip().lower() for value in column}
    return words <= {*PARTS, *NO_PART} and bool(words & set(PARTS))


def read_split(column: pd.Series, known: Tensor, ids: list[Any], log: ReadLog) -> dict[str, Tensor]:
    """Return the three masks; a node without a label is in none of them."""
    parts = [PARTS.get(str(value).strip().lower(), "") for value in column]
    lost = [i for i, (part, label) in enumerate(zip(parts, known.tolist(), strict=True)) if part and not label]
    log.find("nodes in the split without a label", (ids[i] for i in lost), len(lost), "taken out of it")
    return {f"{name}_mask": torch.tensor([part == name for part in parts]) & known for name in ("train", "val", "test")}


def _by_size(name: str) -> tuple[float, str]:
    try:
        return float(name), name
    except ValueError:
        return math.inf, name
