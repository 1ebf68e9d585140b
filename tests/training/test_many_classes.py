"""Seventy classes with few labels."""

import pytest
import torch
from torch.nn import functional as F
from torch_geometric.data import Data

from highwaygraph.graph.splits import split
from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph


def many_classes(count: int = 70, size: int = 8) -> Data:
    """Return small communities, each a class with three labels to train on."""
    rng, nodes = torch.Generator().manual_seed(0), count * size
    y = torch.arange(count).repeat_interleave(size)
    neighbours = y.repeat(2) * size + torch.randint(size, (2 * nodes,), generator=rng)
    edges = torch.stack([torch.arange(nodes).repeat(2), neighbours])
    x = F.one_hot(y, count) + 0.3 * torch.randn(nodes, count, generator=rng)
    return split(Data(x=x, edge_index=torch.cat([edges, edges.flip(0)], dim=1), y=y), train=3, val=2, seed=0)


@pytest.mark.parametrize("preset", ["full", "plus"])
def test_seventy_classes_of_three_labels(preset: str) -> None:
    data = many_classes()
    changes = {"fit.epochs": 30, "fit.min_epochs": 0, "fit.device": "cpu", "fit.class_weights": "balanced"}
    result = train(build("gcn", data), data, override(PRESETS[preset], changes | {"fit.monitor": "f1"}))
    assert result.logits.shape == (560, 70)
    assert result.test > 0.1
    assert all(0 <= epoch.val_f1 <= 1 for epoch in result.history)


@pytest.mark.slow
def test_seventy_classes_some_with_three_labels() -> None:
    data = block_graph(classes=70, size=12, features=80)
    data.x = data.x + 8 * F.one_hot(data.y, 80)
    place = torch.arange(12).repeat(70)
    # Every second class has three labels only.
    data.y = torch.where((data.y % 2 == 0) & (place >= 3), -1, data.y)
    data = split(data, train=5, val=3, seed=0, small_classes="share")
    assert len(data.y[data.train_mask].unique()) == len(data.y[data.test_mask].unique()) == 70
    quick = {"fit.epochs": 60, "fit.lr": 0.03, "fit.patience": 20, "fit.class_weights": "balanced", "fit.monitor": "f1"}
    for config in (override(PRESETS["full"], quick | {"pairs.weight": 0.01}), PRESETS["plus"]):
        assert train(build("gcn", data, hidden=64), data, config, seed=0).test > 0.3
