"""A log of how tables were read: the role of every column, and the rows that were left out or merged."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highwaygraph.errors import shortened

if TYPE_CHECKING:
    import pandas as pd

FIRST = 3


# Characters of an example.
MOST_SHOWN = 40


# Words of findings for a count of one: what is counted, what follows it, and what was done.
NOUNS = {
    "answers": "answer",
    "cells": "cell",
    "classes": "class",
    "columns": "column",
    "edges": "edge",
    "ends": "end",
    "labels": "label",
    "neighbours": "neighbour",
    "nodes": "node",
    "rows": "row",
    "words": "word",
}
VERBS = {
    "that are no dates": "that is no date",
    "that are": "that is",
    "that become": "that becomes",
    "that differ": "that differs",
}
OF_ONE = {"they are": "it is", "as they were": "as it was", "their labels are": "its labels are"}


@dataclass(frozen=True)
class Column:
    """One column: its name, its role, how it was encoded, and the number of its features."""

    name: str
    role: str
    note: str
    features: int = 0


@dataclass(frozen=True)
class Finding:
    """Something unexpected: how often it occurs, the first examples, and what was done about it."""

    what: str
    count: int
    examples: tuple[str, ...]
    done: str

    def __str__(self) -> str:
        shown = ", ".join(self.examples) + (", ..." if self.count > len(self.examples) else "")
        done = self.done if self.count > 1 else _in_singular(self.done, OF_ONE)
        return f"{counted(self.count, self.what)}{f' ({shown})' if self.examples else ''}: {done}"


def counted(count: int, what: str) -> str:
    """Return a number and what it counts, in the singular for one.

    Args:
        count: The number.
        what: What it counts, in the plural.

    Example:
        >>> counted(1, "cells in the column 'day' that are no dates"), counted(2, "edges")
        ("1 cell in the column 'day' that is no date", '2 edges')
    """
    if count != 1:
        return f"{count:,} {what}"
    noun, *rest = what.split(" ", 1)
    return " ".join(["1", NOUNS.get(noun, noun), *(_in_singular(part, VERBS) for part in rest)])


def _in_singular(text: str, forms: dict[str, str]) -> str:
    for plural, singular in forms.items():
        text = text.replace(plural, singular)
    return text


@dataclass
class Tally:
    """Number of rows with one property, and the first of them."""

    what: str
    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, rows: "pd.DataFrame", mask: NDArray[np.bool_]) -> None:
        """Count the rows of the mask."""
        count = int(mask.sum())
        self.count += count
        if count and len(self.examples) < FIRST:
            first = rows.iloc[np.flatnonzero(mask)[: FIRST - len(self.examples)]]
            self.examples += [" - ".join(str(cell) for cell in row) for row in first.itertuples(index=False)]


@dataclass
class ReadLog:
    """The columns of the nodes and of the edges, and the findings of one reading."""

    columns: list[Column] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    edge_columns: list[Column] = field(default_factory=list)

    def find(self, what: str, examples: Iterable[Any], count: int, done: str) -> None:
        """Add a finding unless its count is 0."""
        if count:
            first = tuple(shortened(str(e), MOST_SHOWN) for _, e in zip(range(FIRST), examples, strict=False))
            self.findings.append(Finding(what, count, first, done))


def quote_list(names: Iterable[Any], most: int = 8) -> str:
    """Return the first names, as an error shows them."""
    shown = [repr(str(name)) for name in names]
    return (", ".join(shown[:most]) or "none") + (" and more" if len(shown) > most else "")
