"""Reliability before and after calibration, on nodes that did not calibrate."""

import pytest
import torch

import highwaygraph as hg
from highwaygraph.graph.bfs import UNREACHABLE
from highwaygraph.graph.queries import hops_from
from highwaygraph.report.reliability import BeforeAfter, Reliability, reliability
from highwaygraph.training.metrics import CalibrationBin, calibration, calibration_error
from tests.helpers.example import run, without_test
from tests.helpers.graphs import block_graph
from tests.helpers.refitted import refitted


def test_of_test_nodes() -> None:
    data = block_graph()
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 30})
    result = hg.train(hg.models.build("gcn", data), data, config, progress=False)
    found = reliability(result)
    confidence, predicted = result.predict_proba()[data.test_mask].max(dim=1)
    bins = calibration(confidence, predicted == data.y[data.test_mask])
    assert found.overall.before.bins == bins
    assert found.overall.before.error == calibration_error(bins)
    assert found.overall.after.nodes == int(data.test_mask.sum())
    assert found.source == "test"


def test_distances_are_those_of_any_label_and_hold_every_node() -> None:
    found, data = reliability(run()), run().data
    hops = hops_from(data, data.train_mask.nonzero().flatten())[data.test_mask]
    counts = [int(((hops != UNREACHABLE) & (hops <= 1)).sum()), int((hops == 2).sum())]
    assert [one.before.nodes for one in found.by_distance[:2]] == counts
    assert sum(one.after.nodes for one in found.by_distance) == int(data.test_mask.sum())


def test_of_folds() -> None:
    found = reliability(refitted())
    assert found.source == "out-of-fold"
    assert found.overall.after.nodes == 180


def test_validation_nodes_calibrate_and_have_no_diagram_after_it() -> None:
    found = reliability(without_test(run()))
    assert (found.source, found.overall.after) == ("validation", None)
    assert found.overall.before.nodes == int(run().data.val_mask.sum())


def test_the_error_by_chance_is_that_of_simulated_nodes_without_any() -> None:
    draw = torch.Generator().manual_seed(0)
    confidence = torch.tensor([0.65]).expand(200)
    errors = []
    for _ in range(500):
        correct = torch.rand(200, generator=draw) < confidence
        errors.append(calibration_error(calibration(confidence, correct)))
    found = Reliability([CalibrationBin(0.65, 0.5, 200)]).chance
    assert found == pytest.approx(sum(errors) / len(errors), rel=0.1)


@pytest.mark.parametrize(("nodes", "enough"), [(99, False), (100, True)])
def test_few_nodes_have_no_error(nodes: int, enough: bool) -> None:
    assert BeforeAfter(Reliability([CalibrationBin(0.5, 0.5, nodes)]), None).has_enough == enough
