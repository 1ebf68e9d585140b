"""Cross-validation: held-out nodes are read once, results do not depend on workers, and finished folds are kept."""

import math
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.nn import GCNConv

import highwaygraph as hg
from highwaygraph.errors import ConfigError, DataError, RunError
from highwaygraph.runtime import distributed
from highwaygraph.training.folds import cross_validate as module
from highwaygraph.training.folds import fold as one_fold
from tests.helpers.graphs import unsplit_graph

CONFIG = hg.override(hg.PRESETS["plus"], {"fit.epochs": 12, "fit.min_epochs": 5, "highway.rounds": 2})


class Own(nn.Module):
    """A user's module."""

    def __init__(self) -> None:
        super().__init__()
        self.first = GCNConv(12, 3)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Return logits."""
        logits: Tensor = self.first(x, edge_index)
        return logits


@pytest.fixture(scope="module")
def found() -> hg.CrossValidation:
    return hg.cross_validate(hg.Network(hidden=8), unsplit_graph(), CONFIG, folds=3, seed=1, workers=1)


def test_every_labelled_node_has_an_out_of_fold_prediction(found: hg.CrossValidation) -> None:
    data = unsplit_graph()
    assert found.nodes.tolist() == list(range(data.num_nodes))
    assert found.logits.shape == (data.num_nodes, 3)
    correct = (found.predict() == data.y).double()
    for one in found.folds:
        rows = found.fold == one.number - 1
        assert one.nodes == int(rows.sum())
        assert one.accuracy == pytest.approx(float(correct[rows].mean()))
        assert len(one.epochs) >= one.best_round
    assert found.accuracy == pytest.approx(float(correct.mean()))
    assert found.interval[0] <= found.accuracy <= found.interval[1]


def test_typical_training_is_paired(found: hg.CrossValidation) -> None:
    assert found.typical is not None
    assert found.gain is not None
    assert found.gain.nodes == len(found.nodes)
    share = float((found.typical.argmax(dim=1) == found.labels).double().mean())
    assert found.typical_accuracy == pytest.approx(share)
    assert 100 * (found.accuracy - share) == pytest.approx(found.gain.points)


def test_labels_of_a_fold_do_not_reach_its_predictions(found: hg.CrossValidation) -> None:
    data = unsplit_graph()
    task = module._task(hg.Network(hidden=8), data, CONFIG, (3, 1, 0.25), "refuse", baseline=True)
    held_out = task.division.nodes[task.division.number == 0]
    data.y[held_out] = data.y[held_out].roll(7)
    changed = one_fold.train_fold(one_fold.FoldTask(**{**vars(task), "data": data}), 0)
    assert torch.equal(changed.logits[one_fold.ANSWER], found.logits[found.fold == 0])


def test_processes_give_the_same_bits(found: hg.CrossValidation) -> None:
    again = hg.cross_validate(hg.Network(hidden=8), unsplit_graph(), CONFIG, folds=3, seed=1, workers=2)
    assert torch.equal(again.logits, found.logits)
    assert again.folds == found.folds


def test_finished_folds_are_not_trained_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = {"folds": 3, "workers": 1, "folder": tmp_path}
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 4})
    calls, train_fold = [], module.train_fold

    def interrupted(task: one_fold.FoldTask, number: int) -> one_fold.TrainedFold:
        calls.append(number)
        if number == 1 and calls.count(1) == 1:
            raise KeyboardInterrupt
        return train_fold(task, number)

    monkeypatch.setattr(module, "train_fold", interrupted)
    with pytest.raises(KeyboardInterrupt):
        hg.cross_validate("gcn", unsplit_graph(), config, **arguments)
    again = hg.cross_validate("gcn", unsplit_graph(), config, **arguments)
    assert calls == [0, 1, 1, 2]
    whole = hg.cross_validate("gcn", unsplit_graph(), config, folds=3, workers=1)
    assert torch.equal(again.logits, whole.logits)
    assert again.folds == whole.folds
    with pytest.raises(RunError, match="other options or data"):
        hg.cross_validate("gcn", unsplit_graph(), config, seed=1, **arguments)


def test_a_users_module_is_initialised_again_and_left_as_it_was() -> None:
    model, config = Own(), hg.override(hg.PRESETS["full"], {"fit.epochs": 5, "highway.rounds": 2})
    before = {name: value.clone() for name, value in model.state_dict().items()}
    found = hg.cross_validate(model, unsplit_graph(), config, folds=2, workers=1)
    assert {one.network for one in found.folds} == {"Own"}
    assert found.refit(progress=False).folds is not None
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_a_class_of_the_running_script_stays_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert module._is_importable(Own())
    monkeypatch.setattr(Own, "__module__", "__main__")
    assert not module._is_importable(Own())

    class Local(Own):
        pass

    assert not module._is_importable(Local())


def test_a_network_is_chosen_in_every_fold() -> None:
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 4})
    found = hg.cross_validate(hg.Network(model="auto", hidden=8), unsplit_graph(), config, folds=2, workers=1)
    result = found.refit(progress=False)
    assert result.model.network.model in {one.network for one in found.folds}


def test_typical_training_has_no_difference_to_itself() -> None:
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 4})
    found = hg.cross_validate("gcn", unsplit_graph(), config, folds=2, workers=1)
    assert found.gain is None
    assert not math.isnan(found.typical_accuracy)


def test_without_a_baseline_there_is_no_difference() -> None:
    config = hg.override(hg.PRESETS["full"], {"fit.epochs": 4, "highway.rounds": 1})
    found = hg.cross_validate("gcn", unsplit_graph(), config, folds=2, workers=1, baseline=False)
    assert found.gain is None
    assert math.isnan(found.typical_accuracy)


def test_several_processes_and_wrong_models_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="model"):
        hg.cross_validate("gnc", unsplit_graph())
    monkeypatch.setattr(module, "world_size", lambda: 2)
    with pytest.raises(ConfigError, match="one process"):
        hg.cross_validate("gcn", unsplit_graph())
    assert distributed.world_size() == 1


def test_a_graph_on_disk_is_refused(tmp_path: Path) -> None:
    data = hg.convert(unsplit_graph(), tmp_path / "graph")
    with pytest.raises(DataError, match="on disk"):
        hg.cross_validate("gcn", data)


def test_an_error_after_a_fold_ends_the_cross_validation_and_keeps_the_fold(tmp_path) -> None:
    seen = []

    def interrupt(fold: hg.Fold) -> None:
        seen.append(fold.number)
        raise KeyboardInterrupt

    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 3})
    options = {"folds": 2, "workers": 1, "folder": tmp_path, "progress": False}
    with pytest.raises(KeyboardInterrupt):
        hg.cross_validate("gcn", unsplit_graph(), config, on_fold=interrupt, **options)
    found = hg.cross_validate("gcn", unsplit_graph(), config, on_fold=lambda fold: seen.append(fold.number), **options)
    assert seen == [1, 2]
    assert len(found.folds) == 2
