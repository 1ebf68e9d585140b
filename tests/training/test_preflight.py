import pytest
import torch
from torch import nn

from highwaygraph.errors import ConfigError, ModelError
from highwaygraph.models import build
from highwaygraph.nn.features import prepare_features
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.training.preflight import check_forward, prepare_minibatches
from tests.helpers.graphs import block_graph

CONFIG = override(PRESETS["full"], {"fit.device": "cpu"})


class Answers(nn.Module):
    """Gives a fixed answer of so many classes."""

    def __init__(self, classes: int, *, logs: bool = False) -> None:
        super().__init__()
        self.classes, self.logs = classes, logs

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        answer = x[:, : self.classes]
        return answer.log_softmax(dim=1) if self.logs else answer


def test_the_given_model_stays_as_it_was() -> None:
    data = block_graph()
    model = build("gcn", data, hidden=8)
    assert check_forward(model, prepare_features(model, data, CONFIG.fit), data, CONFIG) is not model


@pytest.mark.parametrize(
    ("model", "words"), [(Answers(2), "2 classes apart, but the labels name 3"), (Answers(3, logs=True), "log_softmax")]
)
def test_what_cannot_be_trained_is_said(model, words) -> None:
    data = block_graph()
    with pytest.raises(ModelError, match=words):
        check_forward(model, prepare_features(model, data, CONFIG.fit), data, CONFIG)


def test_hyper_by_lots_wants_undirected_edges() -> None:
    data = block_graph()
    model = build("hyper", data, hidden=8)
    assert "csr" in prepare_minibatches(model, data, CONFIG)
    data.edge_index = data.edge_index[:, data.edge_index[0] < data.edge_index[1]]
    with pytest.raises(ConfigError, match="undirected"):
        prepare_minibatches(model, data, CONFIG)
