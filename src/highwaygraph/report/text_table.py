"""A table of text cells, which the terminal and a page show alike."""

from typing import NamedTuple


class TextTable(NamedTuple):
    """A table of text cells.

    Example:
        >>> TextTable("runs", "Runs", ["Run", "Test %"], [["a", "81.9"]]).words
        (0,)
    """

    name: str
    """Short name, for a link to it."""
    title: str
    heads: list[str]
    rows: list[list[str]]
    words: tuple[int, ...] = (0,)
    """Columns that hold words, aligned to the left; the others hold numbers."""
    is_sorted: bool = False
    """Whether the page sorts its rows by the column whose head is clicked."""
