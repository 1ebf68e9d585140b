import warnings
from dataclasses import replace

import pytest
import torch

from highwaygraph.errors import HighwayWarning
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.history import Epoch
from highwaygraph.training.selection import better, score, stop_reason, update_best, warn_collapse
from highwaygraph.training.state import RoundState, TrainingState
from tests.helpers.graphs import block_graph

EPOCH = Epoch(1, 3, loss=1.0, pair_loss=0.0, val_loss=0.5, val=0.8, val_f1=0.7, val_balanced_accuracy=0.6)


@pytest.mark.parametrize(
    ("monitor", "expected"), [("accuracy", 0.8), ("f1", 0.7), ("balanced_accuracy", 0.6), ("loss", -0.5)]
)
def test_the_score_is_the_monitored_value(monitor, expected) -> None:
    assert score(EPOCH, override(PRESETS["full"], {"fit.monitor": monitor})) == expected


def test_ties_select_the_first_or_the_last_epoch() -> None:
    first, last = (override(PRESETS["full"], {"fit.ties": which}) for which in ("first", "last"))
    assert not better(EPOCH, EPOCH, first)
    assert better(EPOCH, EPOCH, last)
    assert better(replace(EPOCH, val=0.9), EPOCH, first)
    assert not better(replace(EPOCH, val=0.7), EPOCH, last)


def test_stop_reasons() -> None:
    config = override(PRESETS["full"], {"highway.rounds": 4, "highway.patience": 2})
    assert [stop_reason(number, best, config) for number, best in ((1, 1), (2, 1), (3, 1), (4, 4))] == [
        None, None, "validation", "rounds"
    ]  # fmt: skip


def test_predictions_of_a_single_class_cause_a_warning() -> None:
    data = block_graph()
    with pytest.warns(HighwayWarning, match="All nodes are predicted to be of one class"):
        warn_collapse(torch.zeros(180, dtype=torch.long), data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_collapse(data.y, data)


def test_balanced_accuracy_selects_another_epoch_than_accuracy_where_one_class_is_rare() -> None:
    largest_class = replace(EPOCH, epoch=1, val=0.95, val_balanced_accuracy=0.5)
    both_classes = replace(EPOCH, epoch=2, val=0.9, val_balanced_accuracy=0.8)
    for monitor, expected in (("accuracy", False), ("balanced_accuracy", True)):
        config = override(PRESETS["full"], {"fit.monitor": monitor})
        assert better(both_classes, largest_class, config) is expected


@pytest.mark.parametrize(
    ("monitor", "expected"), [("accuracy", 1.0), ("f1", 1.0), ("balanced_accuracy", 1.0), ("loss", -0.5514)]
)
def test_rounds_in_mini_batches_are_compared_by_exact_logits(monitor, expected) -> None:
    data, model = block_graph(), torch.nn.Linear(1, 1)
    finished = RoundState(model, torch.optim.Adam(model.parameters()), best=EPOCH, logits=torch.eye(3)[data.y])
    for size, value in ((0, score(EPOCH, override(PRESETS["full"], {"fit.monitor": monitor}))), (8, expected)):
        config = override(PRESETS["full"], {"fit.monitor": monitor, "fit.batch_size": size})
        state = TrainingState()
        assert update_best(state, finished, data, config) == pytest.approx(value, abs=1e-4)
        assert state.best.score == pytest.approx(value, abs=1e-4)
