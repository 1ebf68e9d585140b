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
from highwaygraph.training.batches import RoundInputs, full_graph_data
from highwaygraph.training.step import node_loss, step, validate
from tests.helpers.graphs import block_graph

WIDE = {"consistency.num_views": 2, "consistency.weight": 1.0, "consistency.drop_nodes": 0.5, "fit.device": "cpu"}


def prepared(config, model_name="gcn", setting=None, **options):
    data = block_graph()
    model = build(model_name, data, **options)
    return model, full_graph_data(model, prepare_features(model, data, config.fit), data, config, 1, setting=setting)


def test_without_noise_two_views_are_one() -> None:
    one = override(PRESETS["typical"], {"fit.device": "cpu"})
    two = override(one, {"consistency.num_views": 2})
    losses, weights = [], []
    for config in (one, two):
        torch.manual_seed(0)
        model, task = prepared(config, dropout=0.0)
        losses.append(step(model, task, SGD(model.parameters(), lr=0.1), config, 1)[0])
        weights.append(model.layers[0].lin.weight)
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    torch.testing.assert_close(*weights, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", ["gcn", "gat", "sage", "hyper"])
def test_hidden_nodes_are_those_without_features(name) -> None:
    data = block_graph()
    model = build(name, data, dropout=0.0, bias=False)
    visible = (torch.arange(180) % 2).float()
    ready = model.prepare(data.x, data.edge_index, None)(None)
    expected = model(data.x * visible[:, None], data.edge_index)
    torch.testing.assert_close(model.run(ready, visible), expected, atol=1e-5, rtol=1e-4)


def test_the_pair_loss_joins_the_views() -> None:
    config = override(PRESETS["without-explicit"], WIDE)
    model, task = prepared(config)
    loss, pair = step(model, task, SGD(model.parameters(), lr=0.1), config, 1)
    assert 0 < pair < loss


def test_every_second_pass_reads_a_drawn_graph() -> None:
    config = override(PRESETS["typical"], WIDE | {"consistency.weight": 0.0})
    data = block_graph()
    drawn = tuple(add_highways(data, torch.tensor([[0], [k]])) for k in (100, 101))
    model, task = prepared(config, setting=RoundInputs(drawn, None))
    (lot,) = task.lots(1)
    read_graphs = []
    run = model.run
    model.run = lambda inputs, visible=None: read_graphs.append(inputs) or run(inputs, visible)
    for epoch in range(1, 9):
        step(model, task, SGD(model.parameters(), lr=0.1), config, epoch)
    whole = [inputs is lot.wide.whole for inputs in read_graphs]
    assert whole == [True, False] * 8
    assert {id(inputs) for inputs in read_graphs[1::2]} == {id(inputs) for inputs in lot.wide.drawn}
    # The features are prepared once for all graphs.
    assert all(inputs.x is lot.wide.whole.x for inputs in lot.wide.drawn)


def test_the_node_loss_may_weigh_nodes() -> None:
    logits, labels = torch.randn(6, 3, generator=torch.Generator().manual_seed(0)), torch.arange(6) % 3
    assert node_loss(logits, labels, None).item() == pytest.approx(F.cross_entropy(logits, labels).item())
    weights = torch.tensor([2.0, 0.5, 0.5] * 2)
    by_hand = sum(float(w * -one.log_softmax(0)[y]) for w, one, y in zip(weights, logits, labels, strict=True)) / 6
    assert node_loss(logits, labels, weights).item() == pytest.approx(by_hand, rel=1e-5)
    model, task = prepared(override(PRESETS["typical"], {"fit.device": "cpu"}))
    loss, right, f1 = validate(model, task)
    assert math.isnan(f1)
    assert loss > 0
    assert 0 <= right <= 1


def test_a_loss_that_is_no_number_is_said() -> None:
    config = override(PRESETS["typical"], {"fit.device": "cpu"})
    model, task = prepared(config)
    with torch.no_grad():
        model.layers[0].lin.weight.fill_(float("nan"))
    with pytest.raises(FailedError, match=r"no longer a number in epoch 1: lower fit\.lr"):
        step(model, task, SGD(model.parameters(), lr=0.1), config, 1)


def test_balanced_classes_count_the_same() -> None:
    config = override(PRESETS["full"], {"fit.device": "cpu", "fit.class_weights": "balanced", "fit.monitor": "f1"})
    data = block_graph()
    # Nine of the first class's ten labels are taken away.
    data.train_mask[((data.y == 0) & data.train_mask).nonzero().flatten()[1:]] = False
    model = build("gcn", data)
    task = full_graph_data(model, prepare_features(model, data, config.fit), data, config, 1)
    (lot,) = task.lots(1)
    shares = [float(lot.weights[lot.labels == c].sum()) for c in range(3)]
    assert shares == pytest.approx([shares[0]] * 3)
    assert float(lot.weights.mean()) == pytest.approx(1)
    loss, pair = step(model, task, SGD(model.parameters(), lr=0.1), config, 1)
    assert loss > pair > 0
    assert 0 <= validate(model, task)[2] <= 1
