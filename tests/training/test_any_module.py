"""Any module trains: its parameters, dtypes, edge weights and errors."""

import pytest
import torch
from torch import nn
from torch_geometric import nn as pyg
from torch_geometric.utils import degree

from highwaygraph.errors import ModelError
from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph
from tests.helpers.own_module import FULL, TYPICAL, Own


class PartlyReset(Own):
    """Has a parameter that is not reset, and records its value at the start of each round."""

    seen: list[float] = []  # noqa: RUF012 (shared between the copies on purpose)

    def __init__(self) -> None:
        super().__init__()
        self.bonus = nn.Parameter(torch.full((3,), 0.25))

    def reset_parameters(self) -> None:
        super().reset_parameters()
        self.seen.append(self.bonus.mean().item())

    def forward(self, x, edge_index):
        return super().forward(x, edge_index) + self.bonus


def test_parameters_without_reset_start_each_round_with_their_given_value() -> None:
    PartlyReset.seen.clear()
    result = train(PartlyReset(), block_graph(), override(FULL, {"highway.node_threshold": 0.4}))
    assert len(result.rounds) > 1
    assert PartlyReset.seen == [0.25] * len(result.rounds)


class Attentive(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention, self.out = nn.MultiheadAttention(12, 2), nn.Linear(12, 3)

    def forward(self, x, edge_index):
        return self.out(self.attention(x, x, x)[0])


def test_attention_layers_are_initialised_by_the_seed() -> None:
    logits = [train(Attentive(), block_graph(), TYPICAL, seed=1).logits for _ in range(2)]
    assert torch.equal(*logits)


@pytest.mark.parametrize("kind", [torch.float64, torch.float16, torch.int64])
def test_features_may_have_any_numeric_dtype(kind) -> None:
    data = block_graph()
    data.x = (4 * data.x).round().to(kind)
    data.edge_weight = torch.ones(data.edge_index.size(1), dtype=torch.float64)
    for model in (build("gcn", data, hidden=16), pyg.GCN(12, 16, 2, 3)):
        result = train(model, data, TYPICAL)
        assert result.predict(result.graph).tolist() == result.predict().tolist()
    del data.edge_weight
    assert train(Own().double(), data, TYPICAL).logits.dtype == torch.float32


class Perceptron(nn.Sequential):
    """A small perceptron with batch normalisation."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__(nn.Linear(in_channels, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, out_channels))


class Stack(nn.Module):
    """Two layers of any kind, without a reset_parameters of its own."""

    def __init__(self, layer, *args, **options) -> None:
        super().__init__()
        self.layers = nn.ModuleList([layer(12, 16, *args, **options), layer(16, 3, *args, **options)])

    def forward(self, x, edge_index):
        return self.layers[1](self.layers[0](x, edge_index).relu(), edge_index)


class Propagated(nn.Module):
    """A perceptron followed by APPNP's propagation."""

    def __init__(self) -> None:
        super().__init__()
        self.predict, self.spread = Perceptron(12, 3), pyg.APPNP(5, 0.1)

    def forward(self, x, edge_index):
        return self.spread(self.predict(x), edge_index)


def pna() -> nn.Module:
    data = block_graph()
    histogram = degree(degree(data.edge_index[1], 180).long()).long()
    return pyg.PNA(12, 16, 2, 3, aggregators=["mean", "max"], scalers=["identity", "linear"], deg=histogram)


ARCHITECTURES = {
    "GCN": lambda: pyg.GCN(12, 16, 2, 3, dropout=0.3),
    "GAT": lambda: pyg.GAT(12, 16, 2, 3, heads=4),
    "GATv2": lambda: pyg.GAT(12, 16, 2, 3, v2=True),
    "GraphSAGE": lambda: pyg.GraphSAGE(12, 16, 2, 3),
    "lazy GraphSAGE": lambda: pyg.GraphSAGE(-1, 16, 2, 3),
    "GIN": lambda: pyg.GIN(12, 16, 2, 3),
    "PNA": pna,
    "EdgeCNN": lambda: pyg.EdgeCNN(12, 16, 2, 3),
    "SGC": lambda: pyg.SGConv(12, 3, K=2),
    "TAG": lambda: Stack(pyg.TAGConv),
    "ARMA": lambda: Stack(pyg.ARMAConv),
    "ChebConv": lambda: Stack(pyg.ChebConv, 2),
    "TransformerConv": lambda: Stack(pyg.TransformerConv),
    "APPNP": Propagated,
    "a user's own": Own,
}


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_any_architecture_trains_with_highways(name) -> None:
    data = block_graph()
    changes = {"fit.lr": 0.01, "fit.epochs": 100, "fit.patience": 30, "highway.node_threshold": 0.4}
    config = override(FULL, changes | {"highway.rounds": 3, "highway.keep": "last"})
    result = train(ARCHITECTURES[name](), data, config, seed=0)
    assert len(result.rounds) >= 2
    assert result.highways.size(1) > 0
    assert result.test > 0.4
    assert torch.isfinite(result.logits).all()


def test_edge_weights_are_used_and_highways_have_weight_one() -> None:
    data = block_graph()
    data.edge_weight = torch.rand(data.edge_index.size(1))
    result = train(build("gcn", data, hidden=16), data, override(FULL, {"highway.keep": "last"}))
    new = result.graph.edge_index.size(1) - data.edge_index.size(1)
    assert new > 0
    assert torch.equal(result.graph.edge_weight, torch.cat([data.edge_weight, torch.ones(new)]))
    for model in (Own(), pyg.GraphSAGE(12, 16, 2, 3)):
        with pytest.raises(ModelError, match="has no argument edge_weight"):
            train(model, data, FULL)


class LogSoftmax(Own):
    def forward(self, x, edge_index):
        return super().forward(x, edge_index).log_softmax(dim=1)


class Flat(Own):
    def forward(self, x, edge_index):
        return super().forward(x, edge_index).sum(dim=0)


def test_models_that_cannot_be_trained_are_refused() -> None:
    data = block_graph()
    with pytest.raises(ModelError, match="outputs 2 classes but the labels contain 3"):
        train(pyg.GCN(12, 16, 2, 2), data, FULL)
    assert train(LogSoftmax(), data, FULL).test > 0.5
    assert train(LogSoftmax(), data, TYPICAL).test > 0.5
    with pytest.raises(ModelError, match="cached=True"):
        train(pyg.GCN(12, 16, 2, 3, cached=True), data, FULL)
    with pytest.raises(ModelError, match="one row of logits per node"):
        train(Flat(), data, FULL)
    with pytest.raises(ModelError, match=r"cannot be called on this graph \(12 features\)"):
        train(pyg.GCN(5, 16, 2, 3), data, FULL)


class InPlace(Own):
    """Changes one of its inputs in place."""

    def __init__(self, name: str, *, in_training: bool = False) -> None:
        super().__init__()
        self.name, self.in_training = name, in_training

    def forward(self, x, edge_index, edge_weight=None):
        given = {"x": x, "edge_index": edge_index, "edge_weight": edge_weight, "data": x.data}
        if self.training or not self.in_training:
            given[self.name].mul_(2) if self.name != "edge_index" else edge_index.copy_(edge_index.flip(0))
        return super().forward(x, edge_index)


@pytest.mark.parametrize("in_training", [False, True])
@pytest.mark.parametrize("name", ["x", "edge_index", "edge_weight"])
def test_a_module_that_changes_its_inputs_is_refused_and_the_graph_stays(name, in_training) -> None:
    data = block_graph()
    data.edge_weight = torch.ones(data.edge_index.size(1))
    before = data.clone()
    with pytest.raises(ModelError, match=rf"InPlace.forward changes {name} in place.*{name}.clone\(\)"):
        train(InPlace(name, in_training=in_training), data, override(TYPICAL, {"fit.features": "raw"}))
    assert all(torch.equal(data[key], before[key]) for key in ("x", "edge_index", "edge_weight"))


def test_changes_that_torch_does_not_count_leave_the_graph_alone() -> None:
    data = block_graph()
    before = data.clone()
    result = train(InPlace("data"), data, override(TYPICAL, {"fit.features": "raw", "fit.epochs": 2}))
    with torch.inference_mode():
        result.predict(data)
    assert torch.equal(data.x, before.x)
    # Prediction, too, refuses a change in place.
    result.model.name = "x"
    with pytest.raises(ModelError, match="changes x in place"):
        result.predict(data)
    assert torch.equal(data.x, before.x)
