"""Scores by folds in the terminal."""

from highwaygraph.cli.fold_table import folds_table
from tests.helpers.refitted import refitted
from tests.helpers.rendered import rendered


def test_every_fold_and_the_mean_are_shown() -> None:
    folds = refitted().folds
    assert folds is not None
    text = rendered(folds_table(folds))
    assert f"Accuracy by folds: {100 * folds.accuracy:.1f} %" in text
    assert "trained on all 180 labels" in text
    assert all(f"{100 * one.accuracy:.1f}" in text for one in folds.folds)
