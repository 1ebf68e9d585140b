"""The table of suggestions."""

from highwaygraph.labelling.table import Suggestion, SuggestionTable

ROWS = (Suggestion("a", 0, 0.5, "one", 3, 2), Suggestion("b", 4, 0.25, "two", 1, None, "Theory", 0.5))


def test_a_table_is_a_sequence_of_suggestions() -> None:
    table = SuggestionTable("auto", ROWS)
    assert len(table) == 2
    assert table[1] is ROWS[1]
    assert table[:1] == ROWS[:1]
    assert list(table) == list(ROWS)
    assert table.nodes == [0, 4]


def test_columns_hold_predictions_only_where_there_are_any() -> None:
    columns = SuggestionTable("auto", ROWS).columns()
    assert list(columns) == ["id", "score", "reason", "covered", "hops", "predicted", "confidence"]
    assert columns["hops"] == [2, None]
    assert list(SuggestionTable("auto", ROWS[:1]).columns()) == ["id", "score", "reason", "covered", "hops"]
