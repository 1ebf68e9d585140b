from collections import Counter

import pytest
from rich.text import Text

from highwaygraph.cli.folding_table import Cells, FoldingTable, column_widths, fold
from tests.helpers.rendered import rendered

COLUMNS = [Cells("Run", ["first run"]), Cells("Validation %", ["81.2"]), Cells("Answer", ["HighwayGraph"])]


def example() -> FoldingTable:
    table = FoldingTable()
    table.add_column("Class")
    table.add_column("Test nodes", justify="right", no_wrap=True)
    table.add_column("Precision %", justify="right", no_wrap=True)
    table.add_row(Text("Reinforcement_Learning"), "1,234", "69.8 / 75.1", style="bold")
    return table


def test_widths_keep_heads_and_numbers_whole() -> None:
    assert column_widths(COLUMNS, 30) == [8, 10, 12]
    assert column_widths(COLUMNS, 27) == [5, 10, 12]
    assert column_widths(COLUMNS, 26) is None


def test_whole_values_are_folded_only_where_there_is_no_room() -> None:
    columns = [Cells("Class", ["a"]), Cells("F1 %", ["69.8 / 75.1"], is_whole=True)]
    assert column_widths(columns, 16) == [5, 11]
    assert column_widths(columns, 12) == [5, 7]
    assert column_widths(columns, 10) is None


def test_lines_end_after_words_and_parts_of_names() -> None:
    assert fold("fit.weight_decay", 11).split("\n") == ["fit.weight_", "decay"]
    assert fold("smoothed features, 8 hops", 10).split("\n") == ["smoothed", "features,", "8 hops"]
    assert fold("x" * 7, 3).split("\n") == ["xxx", "xxx", "x"]
    assert fold("100.0 / 95.2", 8).split("\n") == ["100.0 /", "95.2"]
    # The space of a mark is no place for a new line, and is kept.
    assert fold("3\N{NO-BREAK SPACE}< and", 4) == "3\N{NO-BREAK SPACE}<\nand"


@pytest.mark.parametrize("width", [32, 40, 60])
def test_no_character_is_lost_and_no_line_too_long(width) -> None:
    shown, whole = (rendered(example(), columns) for columns in (width, 1_000))
    assert max(map(len, shown.splitlines())) <= width
    assert Counter("".join(shown.split())) == Counter("".join(whole.split()))
    assert all(word in shown for word in ("Class", "Test", "nodes", "Precision", "1,234"))


def test_without_room_for_columns_rows_are_listed() -> None:
    lines = [line.rstrip() for line in rendered(example(), 24).splitlines()]
    assert "  Test nodes: 1,234" in lines
    assert "  Precision %: 69.8 /" in lines
    assert "".join(lines).startswith("ClassReinforcement_Learn")


def test_a_table_that_fits_is_one_of_rich() -> None:
    assert rendered(example(), 80).splitlines()[0].split() == ["Class", "Test", "nodes", "Precision", "%"]
    assert len(rendered(example(), 80).splitlines()) == 2


def test_heads_of_the_constructor_are_aligned_to_the_right() -> None:
    table = FoldingTable("Score", "%")
    table.add_row("1", "22.2")
    assert rendered(table).splitlines()[1].startswith("    1  22.2")
