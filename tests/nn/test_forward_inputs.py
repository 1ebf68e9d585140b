import pytest
import torch
from torch import Tensor, nn
from torch_geometric import nn as pyg
from torch_geometric.data import Data

from highwaygraph.errors import ModelError
from highwaygraph.nn.forward_inputs import ForwardInputs, call_forward, edge_values, forward_inputs
from tests.helpers.edge_graphs import edge_kind_graph
from tests.helpers.edge_models import Relational, edge_feature_model


class Unnamed(nn.Module):
    """A single argument whose annotation decides."""

    def forward(self, everything: Data) -> Tensor:
        return everything.x


class Quoted(nn.Module):
    """An annotation as text."""

    def forward(self, everything: "Data", scale: float = 1.0) -> Tensor:
        return everything.x * scale


class Named(nn.Module):
    """A single argument whose name decides."""

    def forward(self, data):
        return data.x[:, :1] + data.edge_attr.mean() + data.num_nodes


class Weighted(nn.Module):
    """Edge weights without a default."""

    def forward(self, x, edge_index, edge_weight):
        return x


class Optional(nn.Module):
    """All values, each with a default."""

    def forward(self, x, edge_index, edge_weight=None, edge_attr=None, edge_type=None):
        return x


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (Unnamed(), ("data", ("edge_weight", "edge_attr", "edge_type"), ())),
        (Quoted(), ("data", ("edge_weight", "edge_attr", "edge_type"), ())),
        (Named(), ("data", ("edge_weight", "edge_attr", "edge_type"), ())),
        (nn.Linear(3, 2), ("features", (), ())),
        (nn.Sequential(nn.Linear(3, 2)), ("features", (), ())),
        (Weighted(), ("edges", ("edge_weight",), ("edge_weight",))),
        (Optional(), ("edges", ("edge_weight", "edge_attr", "edge_type"), ())),
        (edge_feature_model("gatv2", 3, 2, 4), ("edges", ("edge_attr",), ("edge_attr",))),
        (Relational(3, 2, 3), ("edges", ("edge_type",), ("edge_type",))),
        (pyg.GCN(3, 4, 2), ("edges", ("edge_weight",), ())),
        (pyg.GAT(3, 4, 2), ("edges", ("edge_attr",), ())),
        (pyg.Sequential("x, edge_index", [(pyg.GCNConv(3, 2), "x, edge_index -> x")]), ("edges", (), ())),
        (
            pyg.Sequential("x, edge_index, edge_type", [(pyg.RGCNConv(3, 2, 2), "x, edge_index, edge_type -> x")]),
            ("edges", ("edge_type",), ("edge_type",)),
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, nn.Module) else None,
)
def test_the_signature_decides_the_call(model, expected) -> None:
    assert forward_inputs(model) == ForwardInputs(*expected)


def test_a_data_has_the_edges_values_and_no_labels() -> None:
    graph = edge_kind_graph()
    seen: list[Data] = []

    class Keeps(nn.Module):
        def forward(self, data):
            seen.append(data)
            return data.x

    values = edge_values(Keeps(), forward_inputs(Keeps()), graph)
    call_forward(Keeps(), "data", graph.x, graph.edge_index, values)
    assert sorted(seen[0].keys()) == ["edge_attr", "edge_index", "edge_type", "num_nodes", "x"]
    assert torch.equal(seen[0].edge_type, graph.edge_type)


def test_a_value_that_forward_needs_and_the_graph_lacks_is_refused() -> None:
    graph = edge_kind_graph()
    del graph.edge_attr
    model = edge_feature_model("gine", 12, 3, 4)
    with pytest.raises(ModelError, match=r"TwoLayers\.forward needs edge_attr, but the graph has no edge features"):
        edge_values(model, forward_inputs(model), graph)
    assert edge_values(Optional(), forward_inputs(Optional()), graph).keys() == {"edge_type"}


def test_weights_without_an_argument_are_refused() -> None:
    graph = edge_kind_graph()
    graph.edge_weight = torch.ones(graph.num_edges)
    with pytest.raises(ModelError, match="no argument edge_weight"):
        edge_values(Relational(12, 3, 3), forward_inputs(Relational(12, 3, 3)), graph)
    assert "edge_weight" in edge_values(Named(), forward_inputs(Named()), graph)
