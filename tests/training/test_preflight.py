import warnings
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch_geometric import nn as pyg

from highwaygraph.errors import ConfigError, DataError, HighwayWarning, ModelError
from highwaygraph.models import build
from highwaygraph.nn import features
from highwaygraph.nn.features import prepare_features
from highwaygraph.nn.modules import returns_log_probs
from highwaygraph.nn.sparse_features import SparseFeatures
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.training.engine import train
from highwaygraph.training.preflight import (
    check_arguments,
    check_forward,
    check_weights,
    prefer_sparse,
    prepare_minibatches,
    warn_unused_values,
)
from tests.helpers.edge_graphs import edge_kind_graph
from tests.helpers.edge_models import edge_feature_model
from tests.helpers.graphs import block_graph, irregular_graph
from tests.helpers.label_graphs import NAMES, split_label_graph

CONFIG = override(PRESETS["full"], {"fit.device": "cpu"})


class Constant(nn.Module):
    """Returns the first features as logits."""

    def __init__(self, classes: int, *, finish: Callable[..., torch.Tensor] | None = None) -> None:
        super().__init__()
        self.classes, self.finish = classes, finish

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        logits = x[:, : self.classes]
        return self.finish(logits, dim=1) if self.finish else logits


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
    [
        (Constant(2), "outputs 2 classes but the labels contain 3"),
        (Constant(3, finish=torch.softmax), "returns probabilities.*leave out softmax"),
    ],
)
def test_models_that_cannot_be_trained_are_refused(model, message) -> None:
    data = block_graph()
    with pytest.raises(ModelError, match=message):
        check_forward(model, prepare_features(model, data, CONFIG.fit), data, CONFIG)


@pytest.mark.parametrize("finish", [torch.softmax, torch.log_softmax])
def test_a_softmax_over_nodes_is_refused(finish) -> None:
    data = block_graph()
    model = Over(finish)
    with pytest.raises(ModelError, match="columns of the model's output sum to 1 over the nodes.*: use dim=1"):
        check_forward(model, prepare_features(model, data, CONFIG.fit), data, CONFIG)


class Over(nn.Module):
    """A module that normalises its output over the nodes in place of the classes."""

    def __init__(self, finish: Callable[[torch.Tensor, int], torch.Tensor]) -> None:
        super().__init__()
        self.lin, self.finish = nn.LazyLinear(3), finish

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        return self.finish(self.lin(x), 0)


class PositiveLogits(nn.Module):
    """Logits that are all between 0 and 1 while the parameters are as small as at the start."""

    def __init__(self, finish: Callable[[torch.Tensor], torch.Tensor] = lambda logits: logits) -> None:
        super().__init__()
        self.bias, self.finish = nn.Parameter(torch.full((len(NAMES),), 0.05)), finish

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        return self.finish(self.bias.expand(len(x), -1))


def test_small_positive_logits_of_labels_are_not_probabilities() -> None:
    data = split_label_graph()
    features = prepare_features(PositiveLogits(), data, CONFIG.fit)
    check_forward(PositiveLogits(), features, data, CONFIG)
    for finish in (torch.sigmoid, lambda logits: logits.softmax(dim=1)):
        with pytest.raises(ModelError, match="returns probabilities.*leave out sigmoid"):
            check_forward(PositiveLogits(finish), features, data, CONFIG)


def test_log_probabilities_are_recognised() -> None:
    data = block_graph()
    for finish, expected in ((torch.log_softmax, True), (None, False)):
        model = Constant(3, finish=finish)
        checked = check_forward(model, prepare_features(model, data, CONFIG.fit), data, CONFIG)
        assert returns_log_probs(checked) == expected
        assert not returns_log_probs(model)


def test_a_model_without_use_for_edge_features_is_warned_of() -> None:
    data = edge_kind_graph()
    with pytest.warns(HighwayWarning, match="GCN takes no edge_attr or edge_type: the edge features and edge types of"):
        assert warn_unused_values(build("gcn", data), data) is data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_unused_values(edge_feature_model("gatv2", 12, 3, 4), data)
        warn_unused_values(build("gcn", data), block_graph())


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


class ReadsMemory(nn.Module):
    """Computes without the functions of torch that sparse features replace."""

    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(12, 3)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        with torch._C.DisableTorchFunctionSubclass():
            return self.out(x)


class Refuses(ReadsMemory):
    """Accepts plain tensors only."""

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        if type(x) is not torch.Tensor:
            raise TypeError("not a tensor")
        return self.out(x)


def test_sparse_features_are_used_where_the_logits_are_the_same() -> None:
    data = irregular_graph()
    x = data.x.float()
    assert isinstance(prefer_sparse(pyg.GCN(12, 8, 2, 3), x, data), SparseFeatures)
    for module in (ReadsMemory(), Refuses()):
        assert prefer_sparse(module, x, data) is x
    # Dense features, double precision and built-in networks keep what they have.
    assert prefer_sparse(pyg.GCN(12, 8, 2, 3), block_graph().x, block_graph()) is not None
    assert not isinstance(prefer_sparse(pyg.GCN(12, 8, 2, 3), block_graph().x, block_graph()), SparseFeatures)
    assert prefer_sparse(pyg.GCN(12, 8, 2, 3), x.double(), data).dtype == torch.float64
    built_in = build("gcn", data)
    prepared = prepare_features(built_in, data, CONFIG.fit)
    assert prefer_sparse(built_in, prepared, data) is prepared


@pytest.mark.parametrize("preset", ["typical", "plus"])
def test_a_module_trains_alike_with_sparse_and_dense_features(preset, monkeypatch) -> None:
    short = {"fit.epochs": 8, "fit.min_epochs": 0, "fit.device": "cpu", "consistency.drop_nodes": 0.0}
    config = override(PRESETS[preset], short | {"select.typical": False, "select.baselines": False})
    data, found = irregular_graph(), []
    for below in (0.4, 0.0):
        monkeypatch.setattr(features, "SPARSE_BELOW", below)
        found.append(train(pyg.GCN(12, 8, 2, 3, dropout=0.0), data, config, seed=0, progress=False).logits)
    torch.testing.assert_close(*found, atol=1e-3, rtol=1e-2)
