from highwaygraph.report.text_table import TextTable


def test_the_first_column_holds_words_unless_given() -> None:
    table = TextTable("runs", "Runs", ["Run"], [["a"]])
    assert (table.words, table.is_sorted) == ((0,), False)
