import torch

from highwaygraph.config import Fit
from highwaygraph.models import build
from highwaygraph.nn.batches import compute_logits
from highwaygraph.nn.features import prepare_features
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.training.batches import full_graph_data
from tests.helpers.graphs import block_graph


def only_lot(task):
    (lot,) = task.lots(1)
    return lot


def test_a_task_holds_the_logits_of_its_nodes_only() -> None:
    data = block_graph()
    model = build("gcn", data).eval()
    config = override(PRESETS["full"], {"fit.device": "cpu"})
    task = full_graph_data(model, prepare_features(model, data, Fit(device="cpu")), data, config, 1)
    (lot,), (exam,) = task.lots(1), task.exams()
    whole = model(data.x, data.edge_index)
    torch.testing.assert_close(compute_logits(model, lot.inputs), whole[data.train_mask], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(compute_logits(model, exam.inputs), whole[data.val_mask], atol=1e-5, rtol=1e-4)
    assert torch.equal(lot.labels, data.y[data.train_mask])
    assert lot.pairs.weight.shape == (30, 30)


def test_no_pairs_where_their_weight_is_zero() -> None:
    data = block_graph()
    model = build("gcn", data)
    assert only_lot(full_graph_data(model, data.x, data, PRESETS["typical"], 1)).pairs is None


def test_each_round_draws_its_own_sample() -> None:
    data = block_graph()
    model = build("gcn", data)
    config = override(PRESETS["full"], {"pairs.strategy": "remote", "pairs.limit": 60})
    first, again, other = (only_lot(full_graph_data(model, data.x, data, config, n)).pairs.pairs for n in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
