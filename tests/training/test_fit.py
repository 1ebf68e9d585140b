"""The epochs of one round."""

import pytest
import torch

from highwaygraph.errors import FailedError
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph
from tests.helpers.own_module import FULL, TYPICAL, Own


def test_a_round_stops_early_after_its_patience() -> None:
    result = train(Own(), block_graph(), override(PRESETS["typical"], {"fit.patience": 3}))
    vals = [e.val for e in result.history]
    assert len(vals) == vals.index(max(vals)) + 1 + 3
    assert result.val == max(vals)


def test_monitoring_the_loss_selects_the_epoch_of_least_loss() -> None:
    result = train(Own(), block_graph(), override(TYPICAL, {"fit.monitor": "loss"}))
    least = min(result.history, key=lambda e: e.val_loss)
    assert result.val == least.val


def test_a_loss_that_explodes_stops_the_run() -> None:
    data = block_graph()
    data.x = data.x * 1e30
    with pytest.raises(FailedError, match="no longer a number"):
        train(Own(), data, override(FULL, {"fit.lr": 1e10}))


def test_ties_may_select_the_last_epoch() -> None:
    data = block_graph()
    options = {"fit.epochs": 40, "fit.patience": 40}
    first, last = (
        train(Own(), data, override(PRESETS["typical"], options | {"fit.ties": t})) for t in ("first", "last")
    )
    best = [e.epoch for e in first.history if e.val == first.val]
    assert len(best) > 1
    weights = [next(result.model.parameters()) for result in (first, last)]
    assert first.val == last.val
    assert not torch.equal(*weights)
