"""A table of the terminal that folds long values in a narrow terminal, and below that lists its rows one by one."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

# Spaces between two columns.
GAP = 2


# Parts of a value at whose ends it is folded: words, and parts of names such as fit.weight_decay.
PIECES = re.compile(r"[^ _./,;-]*[_./,;-]+ *|[^ ]+ *| +")


# A slash or a percent sign stays with the number before it.
WORDS = re.compile(r"[^ ]+(?: [/%](?= |$))? *| +")


# A part of a value that is longer is folded anywhere.
LONGEST_PIECE = 18


class Cells(NamedTuple):
    """The texts of a column."""

    head: str
    values: Sequence[str]
    is_whole: bool = False
    """Whether values stay on one line where there is room."""


class FoldingTable(Table):
    """A table without borders: the words of its heads are never broken, and neither are numbers.

    Args:
        heads: The heads of columns that are aligned to the right; others are added by `add_column`.
        narrow: Shown in place of a list of the rows where there is no room for the columns.
    """

    def __init__(self, *heads: str, narrow: RenderableType | None = None) -> None:
        super().__init__(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="dim")
        self.narrow = narrow
        for head in heads:
            self.add_column(Text(head), justify="right", overflow="fold")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType | Segment]:
        """Yield the table as it is, with folded values, or as a list of its rows, by the width of the console."""
        columns = [_cells(column) for column in self.columns]
        room = options.max_width - GAP * (len(columns) - 1)
        if sum(map(_whole_width, columns)) <= room:
            yield from super().__rich_console__(console, options)
        elif widths := column_widths(columns, room):
            yield _folded(self, widths)
        elif self.narrow is not None:
            yield self.narrow
        else:
            yield from _listed(self, columns)


def column_widths(columns: Sequence[Cells], room: int) -> list[int] | None:
    """Return widths by which neither the word of a head nor a number is broken.

    Args:
        columns: The texts of every column.
        room: Characters of a line without the spaces between columns.

    Returns:
        A width per column: its longest part, and more from left to right as far as there is room; None without room.

    Example:
        >>> column_widths([Cells("Run", ["first run"]), Cells("Test %", ["81.9"])], room=12)
        [8, 4]
    """
    for keep in (True, False):
        least = [_least_width(column, keep=keep) for column in columns]
        spare = room - sum(least)
        if spare >= 0:
            break
    else:
        return None
    widths = []
    for fewest, column in zip(least, columns, strict=True):
        more = min(spare, _whole_width(column) - fewest)
        spare -= more
        widths.append(fewest + more)
    return widths


def fold(text: str, width: int) -> str:
    """Return a text in lines of a width, which end after a word or a part of a name wherever there is one.

    Args:
        text: The text.
        width: Most characters of a line.

    Returns:
        The lines; no character is lost but spaces at their ends.

    Example:
        >>> fold("fit.weight_decay", 11)
        'fit.weight_\\ndecay'
    """
    lines = [""]
    for part in _parts(text, width):
        if lines[-1] and len(lines[-1] + part.rstrip(" ")) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.rstrip(" ") for line in lines)


def _parts(text: str, width: int) -> Iterator[str]:
    """Yield the words of a text; of words that are too long the pieces, and of long pieces what fits in a line."""
    for word in WORDS.findall(text):
        if len(word.rstrip(" ")) <= width:
            yield word
            continue
        for piece in PIECES.findall(word):
            yield from [piece[i : i + width] for i in range(0, len(piece.rstrip(" ")), width)]


def _cells(column: Column) -> Cells:
    return Cells(_plain(column.header), [_plain(cell) for cell in column.cells], column.no_wrap)


def _plain(cell: object) -> str:
    return cell.plain if isinstance(cell, Text) else str(cell)


def _whole_width(column: Cells) -> int:
    return max(map(len, (column.head, *column.values)))


def _least_width(column: Cells, *, keep: bool) -> int:
    """Return the longest word of the head or part of a value, or the longest value where values are to be kept."""
    head = max(map(len, column.head.split(" ")))
    if column.is_whole and keep:
        return max(head, *map(len, column.values), 0)
    pieces = (len(piece.rstrip()) for value in column.values for piece in _pieces(value))
    return max(head, min(max(pieces, default=0), LONGEST_PIECE))


def _pieces(value: str) -> list[str]:
    # A number has no parts, whatever its signs are.
    return (WORDS if re.match(r"[+-]?\d", value) else PIECES).findall(value)


def _folded(table: Table, widths: list[int]) -> Table:
    found = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style=table.header_style)
    for column, width in zip(table.columns, widths, strict=True):
        found.add_column(Text(_plain(column.header)), justify=column.justify, overflow="fold", width=width)
    cells = zip(*(column.cells for column in table.columns), strict=True)
    for row, values in zip(table.rows, cells, strict=True):
        found.add_row(*map(_fold_cell, values, widths), style=row.style)
    return found


def _fold_cell(cell: object, width: int) -> Text:
    style = cell.style if isinstance(cell, Text) else ""
    text = _plain(cell)
    return Text(text if len(text) <= width else fold(text, width), style=style)


def _listed(table: Table, columns: Sequence[Cells]) -> Iterator[Text | Padding]:
    """Yield every row as its first value, and below it the others with their heads."""
    first, *others = columns
    for place, row in enumerate(table.rows):
        yield Text(f"{first.head} {first.values[place]}".strip(), style=row.style or "bold", overflow="fold")
        for column in others:
            if value := column.values[place].strip():
                yield Padding(Text(f"{column.head}: {value}" if column.head else value, overflow="fold"), (0, 0, 0, 2))
