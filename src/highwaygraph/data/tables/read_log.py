"""What was understood of somebody's files, and what looked wrong, as plain values to show and to keep."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

FIRST = 3


@dataclass(frozen=True)
class Column:
    """One column: its name, what it was taken for, and how many features it became."""

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
        return f"{self.count:,} {self.what} ({shown}): {self.done}"


@dataclass
class ReadLog:
    """Everything worth telling about how a graph was read."""

    columns: list[Column] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def find(self, what: str, examples: Iterable[Any], count: int, done: str) -> None:
        """Note something unexpected, unless it does not occur."""
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
