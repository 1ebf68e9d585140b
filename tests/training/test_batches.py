import torch

from highwaygraph.config import Fit
from highwaygraph.graph.augment import add_pseudo_labels
from highwaygraph.models import build
from highwaygraph.nn.batches import compute_logits
from highwaygraph.nn.features import prepare_features
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.training.batches import full_graph_data
from tests.helpers.graphs import block_graph


def only_batch(round_data):
    (batch,) = round_data.batches(1)
    return batch


def test_batches_give_the_logits_of_their_nodes() -> None:
    data = block_graph()
    model = build("gcn", data).eval()
    config = override(PRESETS["full"], {"fit.device": "cpu"})
    round_data = full_graph_data(model, prepare_features(model, data, Fit(device="cpu")), data, config, 1)
    (batch,), (val_batch,) = round_data.batches(1), round_data.val_batches()
    whole = model(data.x, data.edge_index)
    torch.testing.assert_close(compute_logits(model, batch.inputs), whole[data.train_mask], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(compute_logits(model, val_batch.inputs), whole[data.val_mask], atol=1e-5, rtol=1e-4)
    assert torch.equal(batch.labels, data.y[data.train_mask])
    assert batch.pairs.weight.shape == (30, 30)


def test_no_pairs_where_their_weight_is_zero() -> None:
    data = block_graph()
    model = build("gcn", data)
    assert only_batch(full_graph_data(model, data.x, data, PRESETS["typical"], 1)).pairs is None


def test_each_round_samples_its_own_pairs() -> None:
    data = block_graph()
    model = build("gcn", data)
    config = override(PRESETS["full"], {"pairs.strategy": "remote", "pairs.limit": 60})
    first, again, other = (only_batch(full_graph_data(model, data.x, data, config, n)).pairs.pairs for n in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_pseudo_labelled_nodes_come_last_and_have_no_pairs() -> None:
    data = block_graph()
    nodes = data.test_mask.nonzero().flatten()[:5]
    anchors = data.train_mask.nonzero().flatten()[:1].expand(5)
    graph = add_pseudo_labels(data, torch.stack([anchors, nodes]))
    batch = only_batch(full_graph_data(build("gcn", data), data.x, graph, PRESETS["full"], 1))
    assert len(batch.labels) == 35
    assert (batch.labels[30:] == data.y[anchors[0]]).all()
    assert batch.pairs.weight.shape == (30, 30)
