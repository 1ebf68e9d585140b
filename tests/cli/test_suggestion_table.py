"""The table of suggestions on a terminal."""

from rich.console import Console

from highwaygraph.cli.suggestion_table import suggestion_table
from highwaygraph.labelling.table import Suggestion, SuggestionTable


def rendered(*rows: Suggestion) -> str:
    console = Console(width=120)
    with console.capture() as capture:
        console.print(suggestion_table(SuggestionTable("auto", rows)))
    return capture.get()


def test_a_line_per_suggestion_without_predictions() -> None:
    text = rendered(Suggestion("paper[1]", 0, 0.5, "covers 3 nodes", 3, 2), Suggestion("b", 1, 0.4, "other", 0))
    assert "Predicted" not in text
    assert [line.split() for line in text.splitlines()[1:]] == [
        ["1", "paper[1]", "2", "covers", "3", "nodes"],
        ["2", "b", "-", "other"],
    ]


def test_predictions_have_a_column() -> None:
    text = rendered(Suggestion("a", 0, 0.5, "why", 3, 2, "Theory", 0.345))
    assert "Theory (34 %)" in text or "Theory (35 %)" in text
