from dataclasses import replace

import pytest
import torch

from highwaygraph.report.run_data import gain, model_name, read
from highwaygraph.runs.open import MissingModule
from tests.helpers.example import facts, run, without_test


def test_both_sides_are_judged_on_the_same_nodes() -> None:
    found = facts()
    typical, ours = found.sides
    assert (typical.name, ours.name) == ("typical training", "HighwayGraph")
    assert ours.accuracy == pytest.approx(run().test)
    assert ours.confusion.sum() == ours.judged.sum() == 120
    assert int(ours.confusion.diagonal().sum()) == int(ours.right.sum())
    assert sum(b.nodes for b in ours.bins) == 120
    assert found.gain.points == pytest.approx(100 * (ours.accuracy - typical.accuracy))
    assert found.judged_on == "test"


def test_the_gain_counts_what_changed() -> None:
    before, after = torch.tensor([1, 1, 0, 0, 0]).bool(), torch.tensor([1, 0, 1, 1, 0]).bool()
    found = gain(before, after)
    assert (found.mended, found.broken) == (2, 1)
    assert found.points == pytest.approx(20)
    differences = (after.float() - before.float()).double()
    assert found.error == pytest.approx(100 * float(differences.std(unbiased=False)) / 5**0.5)
    assert gain(before[:0], after[:0]).points == 0


def test_without_a_comparison_or_test_nodes() -> None:
    alone = facts(beside=False)
    assert alone.gain is None
    assert alone.sides == [alone.ours]
    assert read(without_test(run())).judged_on == "validation"


def test_names() -> None:
    assert model_name(run()) == "gcn"
    assert model_name(replace(run(), model=torch.nn.Linear(1, 1))) == "Linear"
    assert model_name(replace(run(), model=MissingModule("Mine"))) == "Mine"
