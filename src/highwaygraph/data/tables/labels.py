"""Columns of labels, of the split into training, validation and test nodes, and of the graph of a node."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from torch import Tensor

from highwaygraph.data.tables.columns import Codes, factorize
from highwaygraph.data.tables.ids import whole_words, without_point
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.data.tables.tidy import tidy
from highwaygraph.errors import DataError
from highwaygraph.graph.quantities import MOST_NUMBERS, NO_REGRESSION, are_quantities

UNKNOWN = ("-1", "?")
"""Labels that mean that a node has none, beside an empty cell."""


DOUBTFUL = (
    "na",
    "n/a",
    "n.a.",
    "#n/a",
    "nan",
    "none",
    "null",
    "unknown",
    "unlabelled",
    "unlabeled",
    "missing",
    "-",
    "<na>",
)
"""Classes, in lower case, that may be meant as no label."""


# Classes above which labels are rather names.
MOST_ALIKE = 10


SEPARATORS = (";", "|")
"""Signs that may separate the labels of a cell; a comma is part of many names."""


PARTS = {"train": "train", "training": "train", "val": "val", "valid": "val", "validation": "val", "dev": "val",
         "test": "test", "testing": "test"}  # fmt: skip


NAMES = ("train", "val", "test")


NO_PART = ("", "none", "nan", "unlabelled", "unlabeled", "<na>")


def read_labels(column: pd.Series, classes: list[str] | None, log: ReadLog) -> tuple[Tensor, list[str]]:
    """Return class numbers, -1 where a label is empty, and the names of the classes, sorted, numbers by size.

    Args:
        column: A label per node.
        classes: Names of the classes where they are given; labels of other classes are not used.
        log: Takes the labels that are not used.
    """
    codes, distinct = factorize(tidy(column))
    names = _class_names(distinct, classes)
    counts = dict(zip(names, np.bincount(codes[codes >= 0], minlength=len(names)).tolist(), strict=True))
    for word in (word for word in UNKNOWN if word in counts):
        log.find(
            f"nodes labelled {word}", (), counts.pop(word), "counted as unlabelled; write another word for a class"
        )
    found = sorted(counts, key=by_size) if classes is None else classes
    number = {name: i for i, name in enumerate(found)}
    new = sorted(set(counts) - set(number))
    log.find("classes that the model was not trained on", new, len(new), "their labels are not used")
    if classes is None:
        refuse_quantities(counts)
        _note_separators(counts, log)
        _note_doubtful(counts, log)
    # The last entry is that of the code -1, a missing cell.
    by_code = np.array([*(number.get(name, -1) for name in names), -1], dtype=np.int64)
    return torch.from_numpy(by_code[codes]), found


def refuse_quantities(counts: dict[str, int]) -> None:
    """Refuse labels that are numbers, most of them with decimals or nearly every one different.

    Args:
        counts: Number of the nodes of every label.
    """
    sizes = [by_size(word)[0] for word in counts]
    if sizes and max(sizes) < math.inf and are_quantities(sizes, sum(counts.values())):
        decimals = [word for word, size in zip(counts, sizes, strict=True) if size % 1]
        shown = ", ".join(sorted(decimals or counts, key=by_size)[:3])
        raise DataError(
            f"The label column holds {len(counts):,} different numbers, such as {shown}, of {sum(counts.values()):,} "
            f"nodes: {NO_REGRESSION}, or name another column with --label."
        )


def _note_separators(counts: dict[str, int], log: ReadLog) -> None:
    """Note labels that look like lists: their parts, at a semicolon or a bar, are fewer than they are."""
    for separator in SEPARATORS:
        lists = [word for word in counts if separator in word]
        parts = {part.strip() for word in counts for part in word.split(separator)}
        if lists and len(parts) < len(counts):
            log.find(f"labels with {separator!r}", lists, sum(counts[word] for word in lists),
                     "each is a class of its own; for several labels per node, "
                     f"name it with --label-separator {separator!r}")  # fmt: skip


def _class_names(distinct: list[str], classes: list[str] | None) -> list[str]:
    """Return labels as written; 3.0 as 3 where a missing value made floats of all, or where that is a known class."""
    if classes is not None:
        known = set(classes)
        return [word if word in known else without_point(word) for word in distinct]
    whole = whole_words(pa.array(distinct, pa.large_string()))
    return distinct if whole is None else whole.to_pylist()


def _note_doubtful(counts: dict[str, int], log: ReadLog) -> None:
    """Note classes that may be meant as no label, and labels that look like a quantity."""
    for word in (word for word in counts if word.lower() in DOUBTFUL):
        log.find(f"nodes labelled {word!r}", (), counts[word],
                 "a class like any other; leave the cell empty where the class is not known")  # fmt: skip
    total = sum(counts.values())
    if len(counts) > MOST_ALIKE and len(counts) > total / 2:
        log.find("labels, nearly all of them different", counts, total,
                 "each is a class of its own; name the column of the classes with --label")  # fmt: skip
    alike = [word for word, count in Counter(word.lower() for word in counts).items() if count > 1]
    log.find("classes that differ in upper and lower case only", alike, len(alike), "kept as different classes")
    if len(counts) > MOST_NUMBERS and all(by_size(word)[0] < math.inf for word in counts):
        log.find("different numbers as labels", sorted(counts, key=by_size), len(counts),
                 "each is a class of its own; bin a quantity: regression is not supported")  # fmt: skip


def is_split(column: pd.Series) -> bool:
    """Return whether a column holds train, val or test, and nothing else."""
    found = set(_parts(column)[1])
    return found <= {*PARTS, *NO_PART} and bool(found & set(PARTS))


def read_split(column: pd.Series, known: Tensor, ids: list[Any], log: ReadLog) -> dict[str, Tensor]:
    """Return the three masks; a node without a label is in none of them."""
    codes, distinct = _parts(column)
    other = [word not in PARTS and word not in NO_PART for word in distinct]
    examples = dict.fromkeys(word for word, is_other in zip(distinct, other, strict=True) if is_other)
    count = int(np.array(other)[codes].sum())
    log.find("nodes whose split is none of train, val and test", examples, count, "left out of it")
    parts = torch.from_numpy(np.array([PARTS.get(word, "") for word in distinct])[:, None] == np.array(NAMES))[codes]
    lost = (parts.any(dim=1) & ~known).nonzero().flatten().tolist()
    log.find("nodes in the split without a label", (ids[i] for i in lost), len(lost), "taken out of it")
    return {f"{name}_mask": part & known for name, part in zip(NAMES, parts.T.contiguous(), strict=True)}


def read_graphs(column: pd.Series, ids: list[Any]) -> Tensor:
    """Return the number of every node's graph, by the alphabet of their names; refuse a node without one."""
    codes, distinct = factorize(tidy(column))
    missing = np.flatnonzero(codes < 0)
    if len(missing):
        raise DataError(
            f"{len(missing):,} nodes have no graph (first: {ids[missing[0]]}): fill in the column of the graph, or "
            "leave out --graph (graph=...)."
        )
    place = {name: number for number, name in enumerate(sorted(distinct, key=by_size))}
    return torch.from_numpy(np.array([place[name] for name in distinct], dtype=np.int64)[codes])


def _parts(column: pd.Series) -> tuple[Codes, list[str]]:
    """Return the number of every cell's word, and the words in lower case; an empty one where cells are missing."""
    codes, distinct = factorize(tidy(column))
    missing = [""] if (codes < 0).any() else []
    # The code -1 of a missing cell is the last word.
    return codes, [*(word.strip().lower() for word in distinct), *missing]


def by_size(name: str) -> tuple[float, str]:
    """Return the key that sorts names by alphabet, and numbers by size before them."""
    try:
        size = float(name)
    except ValueError:
        size = math.inf
    # NaN has no place in an order.
    return (size if math.isfinite(size) else math.inf), name
