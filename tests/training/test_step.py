import math

import pytest
import torch
from torch.nn import functional as F
from torch.optim import SGD

from highwaygraph.errors import FailedError
from highwaygraph.graph.augment import add_highways
from highwaygraph.models import build
from highwaygraph.nn.features import prepare_features
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.training import batches
from highwaygraph.training.batches import full_graph_data
from highwaygraph.training.step import step, validate
from highwaygraph.training.targets.single_label import SINGLE_LABEL
from tests.helpers.graphs import block_graph

VIEWS = {"consistency.num_views": 2, "consistency.weight": 1.0, "consistency.drop_nodes": 0.5, "fit.device": "cpu"}


def prepared(config, model_name="gcn", views=(), **options):
    data = block_graph()
    model = build(model_name, data, **options)
    return model, full_graph_data(model, prepare_features(model, data, config.fit), data, config, 1, views=views)


def test_two_views_without_dropout_equal_one() -> None:
    one = override(PRESETS["typical"], {"fit.device": "cpu"})
    two = override(one, {"consistency.num_views": 2})
    losses, weights = [], []
    for config in (one, two):
        torch.manual_seed(0)
        model, data = prepared(config, dropout=0.0)
        losses.append(step(model, data, SGD(model.parameters(), lr=0.1), config, 1)[0])
        weights.append(model.layers[0].lin.weight)
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    torch.testing.assert_close(*weights, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", ["gcn", "gat", "sage", "hyper"])
def test_dropped_nodes_have_no_features(name) -> None:
    data = block_graph()
    model = build(name, data, dropout=0.0, bias=False)
    visible = (torch.arange(180) % 2).float()
    ready = model.prepare(data.x, data.edge_index, None)(None)
    expected = model(data.x * visible[:, None], data.edge_index)
    torch.testing.assert_close(model.run(ready, visible), expected, atol=1e-5, rtol=1e-4)


def test_the_pair_loss_is_part_of_the_consistency_step() -> None:
    config = override(PRESETS["without-explicit"], VIEWS)
    model, data = prepared(config)
    loss, pair = step(model, data, SGD(model.parameters(), lr=0.1), config, 1)
    assert 0 < pair < loss


@pytest.mark.parametrize("num_views", [2, 3, 4])
def test_every_second_view_uses_a_graph_with_highways(num_views) -> None:
    options = VIEWS | {"consistency.weight": 0.0, "consistency.num_views": num_views}
    config = override(PRESETS["typical"], options)
    views = tuple(add_highways(block_graph(), torch.tensor([[0], [k]])) for k in (100, 101))
    model, data = prepared(config, views=views)
    (batch,) = data.batches(1)
    used = []
    run = model.run
    model.run = lambda inputs, visible=None: used.append(inputs) or run(inputs, visible)
    for epoch in range(1, 9):
        step(model, data, SGD(model.parameters(), lr=0.1), config, epoch)
    if batch.views.stacked:
        # A pass is a view of the original graph and a view of a graph with highways.
        assert [inputs.x.shape[0] for inputs in used] == [360] * 8 * (num_views // 2)
        augmented = batch.views.graphs
    else:
        original, *augmented = batch.views.graphs
        places = range(num_views, 9 * num_views)
        assert [inputs is original for inputs in used] == [place % 2 == 0 for place in places]
        used = [inputs for inputs in used if inputs is not original]
    assert {id(inputs) for inputs in used} == {id(inputs) for inputs in augmented}
    # The features are prepared once for all graphs.
    assert all(inputs.x is batch.views.graphs[0].x for inputs in batch.views.graphs)


@pytest.mark.parametrize("name", ["gcn", "gat", "sage", "hyper", "appnp"])
def test_two_views_in_one_pass_equal_two_passes(name, monkeypatch) -> None:
    config = override(PRESETS["without-explicit"], VIEWS | {"consistency.drop_nodes": 0.0})
    views = (add_highways(block_graph(), torch.tensor([[0, 1], [100, 150]])),)
    found = []
    for limit in (batches.MAX_STACKED_NODES, 0):
        monkeypatch.setattr(batches, "MAX_STACKED_NODES", limit)
        torch.manual_seed(0)
        model, data = prepared(config, name, views=views, dropout=0.0)
        loss = step(model, data, SGD(model.parameters(), lr=0.1), config, 50)
        found.append((loss, next(iter(data.batches(1))).views.stacked, model.state_dict()))
    (one, stacked, weights), (two, separate, expected) = found
    assert (stacked, separate) == (True, False)
    assert one == pytest.approx(two, rel=1e-4)
    torch.testing.assert_close(weights, expected, atol=1e-5, rtol=1e-4)


def test_the_node_loss_accepts_a_weight_per_node() -> None:
    logits, labels = torch.randn(6, 3, generator=torch.Generator().manual_seed(0)), torch.arange(6) % 3
    assert SINGLE_LABEL.node_loss(logits, labels, None).item() == pytest.approx(F.cross_entropy(logits, labels).item())
    weights = torch.tensor([2.0, 0.5, 0.5] * 2)
    by_hand = sum(float(w * -one.log_softmax(0)[y]) for w, one, y in zip(weights, logits, labels, strict=True)) / 6
    assert SINGLE_LABEL.node_loss(logits, labels, weights).item() == pytest.approx(by_hand, rel=1e-5)
    config = override(PRESETS["typical"], {"fit.device": "cpu"})
    model, data = prepared(config)
    loss, correct, f1, balanced = validate(model, data, config)
    assert math.isnan(f1)
    assert math.isnan(balanced)
    assert loss > 0
    assert 0 <= correct <= 1


def test_scores_by_class_are_computed_where_they_are_monitored() -> None:
    # The validation nodes of the toy graph have as many nodes in every class: both accuracies are the same.
    for monitor, place in (("f1", 2), ("balanced_accuracy", 3)):
        config = override(PRESETS["typical"], {"fit.device": "cpu", "fit.monitor": monitor})
        values = validate(*prepared(config), config)
        assert [math.isnan(value) for value in values] == [False, False, place != 2, place != 3]
    assert values[3] == pytest.approx(values[1])


def test_a_loss_that_is_not_finite_is_reported() -> None:
    config = override(PRESETS["typical"], {"fit.device": "cpu"})
    model, data = prepared(config)
    with torch.no_grad():
        model.layers[0].lin.weight.fill_(float("nan"))
    with pytest.raises(FailedError, match=r"no longer a number in epoch 1: lower fit\.lr"):
        step(model, data, SGD(model.parameters(), lr=0.1), config, 1)


def test_balanced_class_weights_sum_to_the_same_per_class() -> None:
    config = override(PRESETS["full"], {"fit.device": "cpu", "fit.class_weights": "balanced", "fit.monitor": "f1"})
    data = block_graph()
    # Nine of the first class's ten labels are removed.
    data.train_mask[((data.y == 0) & data.train_mask).nonzero().flatten()[1:]] = False
    model = build("gcn", data)
    round_data = full_graph_data(model, prepare_features(model, data, config.fit), data, config, 1)
    (batch,) = round_data.batches(1)
    sums = [float(batch.weights[batch.labels == c].sum()) for c in range(3)]
    assert sums == pytest.approx([sums[0]] * 3)
    assert float(batch.weights.mean()) == pytest.approx(1)
    loss, pair = step(model, round_data, SGD(model.parameters(), lr=0.1), config, 1)
    assert loss > pair > 0
    assert 0 <= validate(model, round_data, config)[2] <= 1
