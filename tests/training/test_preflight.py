import pytest
import torch
from torch import nn

from highwaygraph.errors import ConfigError, DataError, ModelError
from highwaygraph.models import build
from highwaygraph.nn.features import prepare_features
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.training.preflight import check_arguments, check_forward, check_weights, prepare_minibatches
from tests.helpers.graphs import block_graph

CONFIG = override(PRESETS["full"], {"fit.device": "cpu"})


class Constant(nn.Module):
    """Returns the first features as logits."""

    def __init__(self, classes: int, *, logs: bool = False) -> None:
        super().__init__()
        self.classes, self.logs = classes, logs

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        logits = x[:, : self.classes]
        return logits.log_softmax(dim=1) if self.logs else logits


def test_negative_weights_are_refused_for_networks_that_normalise_them() -> None:
    data = block_graph()
    data.edge_weight = torch.ones(data.edge_index.size(1))
    check_weights(build("gcn", data, hidden=8), data)
    data.edge_weight[:3] = -1
    with pytest.raises(DataError, match=r"3 of .* edge weights are negative, which gcn cannot normalise: make"):
        check_weights(build("gcn", data, hidden=8), data)
    check_weights(Constant(3), data)
    check_weights(build("sage", data, hidden=8), data)
    check_weights(build("mlp", data, hidden=8), data)


def test_the_given_model_is_not_changed() -> None:
    data = block_graph()
    model = build("gcn", data, hidden=8)
    assert check_forward(model, prepare_features(model, data, CONFIG.fit), data, CONFIG) is not model


@pytest.mark.parametrize(
    ("model", "message"),
    [(Constant(2), "outputs 2 classes but the labels contain 3"), (Constant(3, logs=True), "log_softmax")],
)
def test_models_that_cannot_be_trained_are_refused(model, message) -> None:
    data = block_graph()
    with pytest.raises(ModelError, match=message):
        check_forward(model, prepare_features(model, data, CONFIG.fit), data, CONFIG)


def test_hyper_in_minibatches_needs_undirected_edges() -> None:
    data = block_graph()
    model = build("hyper", data, hidden=8)
    assert "csr" in prepare_minibatches(model, data, CONFIG)
    data.edge_index = data.edge_index[:, data.edge_index[0] < data.edge_index[1]]
    with pytest.raises(ConfigError, match="undirected"):
        prepare_minibatches(model, data, CONFIG)


def test_weights_in_half_precision_are_refused() -> None:
    with pytest.raises(ModelError, match="weights are in half precision.*use torch.autocast"):
        check_arguments(nn.Linear(2, 2).half(), CONFIG)
    check_arguments(nn.Linear(2, 2).double(), CONFIG)


def test_a_stray_label_is_refused_before_logits_of_its_size() -> None:
    data = block_graph()
    features = prepare_features(Constant(3), data, CONFIG.fit)
    data.y[0], data.num_nodes = 10**6, 10**6 + 1
    with pytest.raises(DataError, match="The largest label is 1,000,000, but only 4 classes occur"):
        check_forward(Constant(3), features, data, CONFIG)
