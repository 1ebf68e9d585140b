"""The table of suggestions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, overload


@dataclass(frozen=True)
class Suggestion:
    """A node to label next.

    Example:
        >>> Suggestion("paper7", 7, 0.2, "covers 9 nodes", covered=9).hops is None
        True
    """

    id: int | str
    """The user's own id of the node, or its number."""
    node: int
    """The number of the node in the graph, from 0."""
    score: float
    """The strategy's score, in a unit of its own."""
    reason: str
    """Why this node, in plain words."""
    covered: int
    """Nodes within 2 hops of it that are more than 2 hops from every label and from every suggestion above."""
    hops: int | None = None
    """Hops to the nearest label; None where there is none or no path leads to one."""
    predicted: str | None = None
    """Class that the run predicts; None without a run."""
    confidence: float | None = None
    """Calibrated probability of this class."""


COLUMNS = tuple(field.name for field in fields(Suggestion) if field.name != "node")


@dataclass(frozen=True)
class SuggestionTable(Sequence[Suggestion]):
    """The suggestions in the order in which they are to be labelled.

    Example:
        >>> table = SuggestionTable("auto", (Suggestion("a", 0, 1.0, "covers 2 nodes", covered=2),))
        >>> [row.id for row in table], table.columns()["covered"]
        (['a'], [2])
    """

    strategy: str
    """Name of the strategy."""
    rows: tuple[Suggestion, ...]
    """The suggestions."""

    @overload
    def __getitem__(self, place: int) -> Suggestion: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Suggestion, ...]: ...

    def __getitem__(self, place: int | slice) -> Suggestion | tuple[Suggestion, ...]:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Suggestion]:
        return iter(self.rows)

    @property
    def nodes(self) -> list[int]:
        """The numbers of the nodes in the graph."""
        return [row.node for row in self.rows]

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the table by name, for a CSV file or a data frame; prediction only where there is one.

        Returns:
            A list per column, all of the same length.
        """
        table = {name: [getattr(row, name) for row in self.rows] for name in COLUMNS}
        if all(row.predicted is None for row in self.rows):
            del table["predicted"], table["confidence"]
        return table
