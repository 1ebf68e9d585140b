import math

import pytest
import torch
from torch.nn import functional as F

from highwaygraph.config import Mix
from highwaygraph.models import build
from highwaygraph.nn.graphmix import ramp
from highwaygraph.nn.modules import TrainingBatch
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.open import open_run
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph

OPTIONS = {"bias": False, "hidden_dropout": 0.0, "hidden": 16}


def training_batch(data, asked: list[tuple[int, int]]) -> TrainingBatch:
    def ask(nodes, times):
        asked.append((len(nodes), times))
        return torch.zeros(times, len(nodes), 3)

    train, others = (mask.nonzero().flatten() for mask in (data.train_mask, ~data.train_mask))
    return TrainingBatch(train, data.y[train], others, lambda nodes: data.x[nodes], ask)


def test_a_fair_coin_decides_which_branch_learns() -> None:
    data, asked = block_graph(), []
    model = build("graphmix", data, **OPTIONS)
    batch = training_batch(data, asked)
    torch.manual_seed(0)
    losses = [model.training_loss(batch, 1) for _ in range(200)]
    assert 70 < sum(loss is None for loss in losses) < 130
    assert set(asked) == {(30, 10)}


def test_the_branch_without_the_graph_is_the_loop_one_would_write() -> None:
    data = block_graph()
    model = build("graphmix", data, dropout=0.0, **OPTIONS)
    batch = training_batch(data, [])
    loss = next(loss for seed in range(20) if (loss := seeded_loss(model, batch, seed)) is not None)
    seed = next(seed for seed in range(20) if seeded_loss(model, batch, seed) is not None)
    torch.manual_seed(seed)
    torch.rand(())
    sample = batch.unlabelled[torch.randperm(150)[:30]]
    first, last = (layer.lin.weight for layer in model.layers)
    total = 0.0
    parts = (
        (batch.train, F.one_hot(batch.labels).float(), 1.0),
        (sample, torch.full((30, 3), 1 / 3), ramp(Mix(), 1)),
    )
    for nodes, targets, weight in parts:
        hidden = (data.x[nodes] @ first.T).clamp(min=0)
        proportion, other = torch.rand(()), torch.randperm(30)
        hidden = proportion * hidden + (1 - proportion) * hidden[other]
        targets = proportion * targets + (1 - proportion) * targets[other]
        chance = (hidden @ last.T).softmax(dim=1)
        total += weight * -(targets * chance.log() + (1 - targets) * (1 - chance).log()).mean()
    torch.testing.assert_close(loss, total)


def seeded_loss(model, batch, seed):
    torch.manual_seed(seed)
    return model.training_loss(batch, 1)


def test_the_ramp_rises_between_its_epochs() -> None:
    mix = Mix(weight=10.0, ramp_from=500, ramp_to=1000)
    assert ramp(mix, 1) == ramp(mix, 500) == pytest.approx(10 * math.exp(-5))
    assert ramp(mix, 750) == pytest.approx(10 * math.exp(-1.25))
    assert ramp(mix, 1000) == ramp(mix, 2000) == 10


def test_it_trains_with_highways_twice_the_same_and_is_saved(tmp_path) -> None:
    data = block_graph()
    config = override(PRESETS["full"], {"fit.epochs": 40, "fit.patience": 40, "fit.ties": "last"})
    results = [train(build("graphmix", data, **OPTIONS), data, config) for _ in range(2)]
    assert torch.equal(results[0].logits, results[1].logits)
    assert results[0].test > 0.8
    assert any(epoch.pair_loss == 0 for epoch in results[0].history)
    assert any(epoch.pair_loss > 0 for epoch in results[0].history)
    again = open_run(results[0].save(tmp_path / "run"))
    assert torch.equal(again.predict(data), results[0].predict(data))
