"""A log of how tables were read: the role of every column, and the rows that were left out or merged."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

FIRST = 3


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
class ReadLog:
    """The columns and the findings of one reading."""

    columns: list[Column] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def find(self, what: str, examples: Iterable[Any], count: int, done: str) -> None:
        """Add a finding unless its count is 0."""
        if count:
            first = tuple(_shown(e) for _, e in zip(range(FIRST), examples, strict=False))
            self.findings.append(Finding(what, count, first, done))


def _shown(example: Any) -> str:
    text = str(example)
    return text if len(text) <= 40 else text[:39] + "…"


def quote_list(names: Iterable[Any], most: int = 8) -> str:
    """Return the first names, as an error shows them."""
    shown = [repr(str(name)) for name in names]
    return (", ".join(shown[:most]) or "none") + (" and more" if len(shown) > most else "")
