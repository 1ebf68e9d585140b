"""One fold: the selected epochs, and the rows of all folds in the order of the nodes."""

import torch

from highwaygraph.config import Config, Fit
from highwaygraph.graph.folds import Division
from highwaygraph.runs.history import Epoch
from highwaygraph.training.folds.fold import best_epochs, pooled


def epoch(number: int, place: int, val: float, loss: float) -> Epoch:
    return Epoch(number, place, 1.0, 0.0, loss, val)


def test_the_selected_epoch_of_every_round() -> None:
    history = (epoch(1, 1, 0.5, 0.9), epoch(1, 2, 0.7, 0.8), epoch(1, 3, 0.7, 0.7), epoch(2, 1, 0.9, 0.1))
    assert best_epochs(history, Config()) == (2, 1)
    assert best_epochs(history, Config(fit=Fit(ties="last"))) == (3, 1)
    assert best_epochs(history, Config(fit=Fit(monitor="loss"))) == (3, 1)


def test_rows_of_folds_return_to_their_nodes() -> None:
    division = Division(torch.tensor([2, 5, 7]), torch.tensor([1, 0, 1]), 2)
    rows = pooled(division, [torch.tensor([[5.0]]), torch.tensor([[2.0], [7.0]])])
    assert rows.flatten().tolist() == [2.0, 5.0, 7.0]
