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
        return f"{self.count:,} {self.what}{f' ({shown})' if self.examples else ''}: {self.done}"


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
