from collections import Counter
from dataclasses import replace

import pytest
import torch

from highwaygraph.report import run_data as run_data_module
from highwaygraph.report.run_data import model_name, read
from highwaygraph.report.run_page import Report
from highwaygraph.runs import evaluation
from highwaygraph.runs.open import MissingModule
from tests.helpers.example import run, run_data, without_test


def test_both_trainings_are_evaluated_on_the_same_nodes() -> None:
    found = run_data()
    typical, ours = found.sides
    assert (typical.name, ours.name) == ("typical training", "HighwayGraph")
    assert ours.accuracy == pytest.approx(run().test)
    assert ours.confusion.sum() == ours.evaluated.sum() == 120
    assert int(ours.confusion.diagonal().sum()) == int(ours.correct.sum())
    assert found.reliability.overall.before.nodes == 120
    assert found.gain.points == pytest.approx(100 * (ours.accuracy - typical.accuracy))
    assert found.evaluated_on == "test"


def test_without_a_comparison_or_test_nodes() -> None:
    alone = run_data(baseline=False)
    assert alone.gain is None
    assert alone.sides == [alone.ours]
    found = read(without_test(run()))
    assert found.evaluated_on == "validation"
    assert sum(row.nodes for row in found.ours.hops) == int(run().data.val_mask.sum())


def test_distances_are_computed_once_and_accuracy_by_hops_once_per_training(monkeypatch) -> None:
    calls = Counter()

    def counted(name, module=run_data_module):
        original = getattr(module, name)

        def wrapper(*args, **options):
            calls[name] += 1
            return original(*args, **options)

        monkeypatch.setattr(module, name, wrapper)

    counted("hops_to_own_class", evaluation)
    for name in ("accuracy_by_hop", "reliability", "accuracy"):
        counted(name)
    Report(run(), {}).page()
    assert calls == {"hops_to_own_class": 1, "accuracy_by_hop": 2, "reliability": 1, "accuracy": 2}


def test_names() -> None:
    assert model_name(run()) == "gcn"
    assert model_name(replace(run(), model=torch.nn.Linear(1, 1))) == "Linear"
    assert model_name(replace(run(), model=MissingModule("Mine"))) == "Mine"
