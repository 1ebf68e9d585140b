"""A training on all labels: no validation nodes, and decisions from the folds alone."""

import math

import pytest
import torch

import highwaygraph as hg
from highwaygraph.runs.folds import Fold, OutOfFold
from highwaygraph.runs.history import COMBINATION, TYPICAL
from highwaygraph.training.engine import train_candidates
from highwaygraph.training.folds.refit import LEAST_EPOCHS, decide
from tests.helpers.graphs import block_graph, unsplit_graph

CONFIG = hg.override(hg.PRESETS["plus"], {"fit.epochs": 12, "fit.min_epochs": 5, "highway.rounds": 3})


@pytest.fixture(scope="module")
def found() -> hg.CrossValidation:
    return hg.cross_validate(hg.Network(hidden=8), hg.split(unsplit_graph(), 10, 10), CONFIG, folds=3, workers=1)


@pytest.fixture(scope="module")
def result(found: hg.CrossValidation) -> hg.Result:
    return found.refit(progress=False)


def test_all_labels_train_and_none_validates(found: hg.CrossValidation, result: hg.Result) -> None:
    assert result.data.train_mask.nonzero().flatten().tolist() == found.nodes.tolist()
    assert not bool(result.data.val_mask.any())
    assert torch.equal(result.data.test_mask, hg.split(unsplit_graph(), 10, 10).test_mask)
    assert not math.isnan(result.test)
    assert math.isnan(result.best.val)
    assert result.folds is not None
    assert torch.equal(result.folds.logits, found.logits)


def test_epochs_and_rounds_are_medians_of_the_folds(found: hg.CrossValidation, result: hg.Result) -> None:
    decided = decide(found, found.candidates, found.config.fit.epochs)
    assert len(result.rounds) == result.best_round == len(decided.epochs)
    assert tuple(one.epochs for one in result.rounds) == decided.epochs
    assert result.baseline is not None
    assert result.baseline.round.epochs == decided.typical_epochs


def test_medians_of_an_example() -> None:
    zeros, nodes = torch.zeros(3, 2), torch.arange(3)
    plain = {"nodes": 1, "accuracy": 1.0, "typical": 1.0, "val": 1.0}
    folds = (
        Fold(number=1, best_round=1, epochs=(10, 70), typical_epochs=60, **plain),
        Fold(number=2, best_round=2, epochs=(30, 80, 50), typical_epochs=70, **plain),
        Fold(number=3, best_round=2, epochs=(50, 90), typical_epochs=65, **plain),
    )
    found = OutOfFold(nodes, nodes % 2, nodes, zeros, None, folds)
    decided = decide(found, {TYPICAL: zeros}, 100)
    # Chance does not select the first epochs.
    assert decided.epochs == (LEAST_EPOCHS, 80)
    assert decided.typical_epochs == 65
    assert decide(found, {TYPICAL: zeros}, 40).epochs == (40, 80)


def test_candidates_are_evaluated_out_of_fold(found: hg.CrossValidation, result: hg.Result) -> None:
    for one in result.candidates:
        if one.name not in (COMBINATION,):
            share = (found.candidates[one.name].argmax(dim=1) == found.labels).double().mean()
            assert one.val == pytest.approx(float(share))


def test_labels_of_test_nodes_are_not_read(found: hg.CrossValidation, result: hg.Result) -> None:
    data = hg.split(unsplit_graph(), 10, 10)
    data.y[data.test_mask] = data.y[data.test_mask].roll(5)
    other = hg.CrossValidation(**{**vars(found), "data": data})
    assert torch.equal(other.refit(progress=False).logits, result.logits)


def test_the_weights_are_those_of_a_training_with_validation_nodes() -> None:
    # Of one epoch, validation selects nothing.
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 1})
    data = unsplit_graph()
    found = hg.cross_validate("gcn", data, config, folds=2, workers=1)
    decided = decide(found, found.candidates, found.config.fit.epochs)
    data.train_mask = torch.arange(data.num_nodes) > 0
    data.val_mask = data.test_mask = torch.zeros_like(data.train_mask)
    model = hg.models.build("gcn", data)
    ours = train_candidates(model, data, config, progress=False, held_out=decided).result
    data.val_mask = torch.zeros_like(data.train_mask)
    data.val_mask[0] = True
    assert torch.equal(ours.logits, hg.train(model, data, config, progress=False).logits)


def test_other_graphs_are_predicted(result: hg.Result) -> None:
    other = block_graph(seed=1)
    assert result.predict(other).shape == (other.num_nodes,)


def test_mini_batches_are_refitted_too() -> None:
    changes = {"fit.batch_size": 20, "fit.epochs": 3, "fit.min_epochs": 1, "highway.rounds": 2}
    config = hg.override(hg.PRESETS["plus"], changes)
    found = hg.cross_validate(hg.Network(hidden=8), unsplit_graph(), config, folds=2, workers=1)
    assert found.refit(progress=False).predict().shape == (180,)


def test_a_threshold_comes_from_the_folds() -> None:
    config = hg.override(CONFIG, {"fit.threshold": "balanced_accuracy", "fit.monitor": "balanced_accuracy"})
    found = hg.cross_validate(hg.Network(hidden=8), unsplit_graph(classes=2), config, folds=2, workers=1)
    assert math.isfinite(found.refit(progress=False).threshold_shift)
