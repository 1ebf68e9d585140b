import math

from highwaygraph.runs.history import Epoch, Round
from highwaygraph.runs.trackers.protocol import Tracker, epoch_metrics, round_metrics
from tests.helpers.tracked import Recorder


def test_values_that_were_not_computed_are_left_out() -> None:
    epoch = Epoch(round=2, epoch=1, loss=0.5, pair_loss=0.1, val_loss=math.inf, val=0.75, val_f1=0.5)
    assert epoch_metrics(epoch) == {
        "train/loss": 0.5,
        "train/pair_loss": 0.1,
        "val/accuracy": 0.75,
        "val/f1": 0.5,
    }
    record = Round(epochs=3, val=0.5, test=math.nan, edges_added=4, edge_precision=math.nan, seconds=1.5)
    assert round_metrics(record) == {
        "round/epochs": 3.0,
        "round/val": 0.5,
        "round/edges_added": 4.0,
        "round/seconds": 1.5,
    }


def test_any_object_with_the_four_methods_is_a_tracker() -> None:
    assert isinstance(Recorder(), Tracker)
    assert not isinstance(object(), Tracker)
