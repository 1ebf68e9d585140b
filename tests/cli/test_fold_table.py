"""Scores by folds in the terminal."""

from dataclasses import replace

import torch

from highwaygraph.cli.fold_table import folds_table, pooled
from tests.helpers.refitted import refitted
from tests.helpers.rendered import rendered


def test_every_fold_and_the_mean_are_shown() -> None:
    folds = refitted().folds
    assert folds is not None
    text = rendered(folds_table(folds))
    assert f"Mean accuracy of the folds: {100 * folds.accuracy:.1f} %" in text
    assert "trained on all 180 labels" in text
    assert all(f"{100 * one.accuracy:.1f}" in text for one in folds.folds)


def test_the_accuracy_of_all_nodes_is_named_where_it_is_not_the_mean() -> None:
    folds = refitted().folds
    assert folds is not None
    right = torch.nn.functional.one_hot(folds.labels, 3).float()
    wrong = right.roll(1, dims=1)
    first = (torch.arange(len(right)) < 30)[:, None]
    one, two = (replace(folds.folds[0], number=number, nodes=30, accuracy=1 / number, typical=0.0) for number in (1, 2))
    uneven = replace(folds, logits=torch.where(first, right, wrong), typical=wrong, folds=(one, two))
    assert pooled(uneven) == (30 / 180, 0.0)
    text = rendered(folds_table(uneven))
    assert "Mean accuracy of the folds: 75.0 % (95 % interval" in text
    assert "Accuracy of all 180 held-out nodes, as in the tables below: 16.7 %; typical training 0.0 %." in text
    same = replace(uneven, logits=right, typical=None, folds=(one, replace(one, number=2)))
    same = replace(same, folds=tuple(replace(each, typical=float("nan")) for each in same.folds))
    assert "held-out nodes, as" not in rendered(folds_table(same))
