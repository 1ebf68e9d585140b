"""The predictions that scores are computed on."""

import pytest
import torch

import highwaygraph as hg
from highwaygraph.graph.folds import with_masks
from highwaygraph.graph.queries import hops_to_own_class
from highwaygraph.report.run_data import read
from highwaygraph.report.summary import compare
from highwaygraph.runs.evaluation import evaluation, fold_hops, label_hops
from tests.helpers.graphs import block_graph
from tests.helpers.refitted import refitted


def test_test_nodes_are_scored_where_there_are_any() -> None:
    data = block_graph()
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 2})
    result = hg.train(hg.models.build("gcn", data), data, config, progress=False)
    found = evaluation(result)
    assert found.result is result
    assert found.source == "test"
    assert torch.equal(found.hops, hops_to_own_class(data))


def test_out_of_fold_predictions_are_scored_without_test_nodes() -> None:
    result = refitted()
    folds = result.folds
    assert folds is not None
    assert folds.typical is not None
    found = evaluation(result)
    share = float((folds.predict() == folds.labels).double().mean())
    assert found.source == "out-of-fold"
    assert found.result.test == pytest.approx(share)
    comparison = compare(result)
    assert comparison.source == "out-of-fold"
    assert comparison.hops[-1].accuracy == pytest.approx(share)
    assert comparison.hops[-1].nodes == len(folds.nodes) == sum(row.nodes for row in comparison.hops[:-1])
    before = float((folds.typical.argmax(dim=1) == folds.labels).double().mean())
    assert comparison.gain is not None
    assert comparison.gain.points == pytest.approx(100 * (share - before))
    summary = comparison.as_dict()
    assert summary["evaluated_on"] == "out-of-fold"
    assert summary["folds"]["accuracy"] == pytest.approx(folds.accuracy)
    run = read(result)
    assert run.evaluated_on == "out-of-fold"
    assert run.ours.accuracy == pytest.approx(share)


def test_hops_of_a_labelled_node_are_to_other_folds() -> None:
    result = refitted()
    folds, data = result.folds, result.data
    assert folds is not None
    hops = fold_hops(data, folds)
    own = folds.nodes[folds.fold == 0]
    rest = with_masks(data, folds.nodes[folds.fold == 1], own[:0], own[:0])
    assert torch.equal(hops[own], hops_to_own_class(rest)[own])
    assert 0 not in hops[own]
    anyone = fold_hops(data, folds, label_hops)
    assert torch.equal(anyone[own], label_hops(rest)[own])
    assert torch.equal(read(result).label_hops, anyone)
