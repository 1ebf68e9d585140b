"""Reliability before and after calibration, on nodes that did not calibrate."""

import highwaygraph as hg
from highwaygraph.report.reliability import reliability
from highwaygraph.training.metrics import calibration, calibration_error
from tests.helpers.graphs import block_graph
from tests.helpers.refitted import refitted


def test_of_test_nodes() -> None:
    data = block_graph()
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 30})
    result = hg.train(hg.models.build("gcn", data), data, config, progress=False)
    found = reliability(result)
    assert found is not None
    confidence, predicted = result.predict_proba()[data.test_mask].max(dim=1)
    bins = calibration(confidence, predicted == data.y[data.test_mask])
    assert found.before.bins == bins
    assert found.before.error == calibration_error(bins)
    assert sum(one.nodes for one in found.after.bins) == int(data.test_mask.sum())


def test_of_folds() -> None:
    found = reliability(refitted())
    assert found is not None
    assert found.source == "out-of-fold"
    assert sum(one.nodes for one in found.after.bins) == 180


def test_none_without_test_nodes_and_folds() -> None:
    data = block_graph()
    data.test_mask[:] = False
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 2})
    assert reliability(hg.train(hg.models.build("gcn", data), data, config, progress=False)) is None
