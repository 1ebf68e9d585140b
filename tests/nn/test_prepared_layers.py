"""PyG's layers on prepared operators give the logits and gradients of PyG's own code, or call it."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch_geometric import nn as pyg

from highwaygraph.nn.prepared_layers import PreparedGraph, _supported_layers
from tests.helpers.graphs import irregular_graph

SUPPORTED: dict[str, Callable[[], nn.Module]] = {
    "gcn": lambda: pyg.GCNConv(12, 5),
    "gcn-no-bias": lambda: pyg.GCNConv(12, 5, bias=False),
    "sage": lambda: pyg.SAGEConv(12, 5),
    "sage-no-root": lambda: pyg.SAGEConv(12, 5, root_weight=False, bias=False),
    "gat": lambda: pyg.GATConv(12, 5, heads=3),
    "gat-mean": lambda: pyg.GATConv(12, 5, heads=2, concat=False, negative_slope=0.3),
}
OTHERS: dict[str, Callable[[], nn.Module]] = {
    "improved": lambda: pyg.GCNConv(12, 5, improved=True),
    "no-loops": lambda: pyg.GCNConv(12, 5, add_self_loops=False),
    "not-normalised": lambda: pyg.GCNConv(12, 5, normalize=False, add_self_loops=False),
    "max": lambda: pyg.GCNConv(12, 5, aggr="max"),
    "reverse": lambda: pyg.GCNConv(12, 5, flow="target_to_source"),
    "sage-max": lambda: pyg.SAGEConv(12, 5, aggr="max"),
    "sage-project": lambda: pyg.SAGEConv(12, 5, project=True),
    "sage-unit": lambda: pyg.SAGEConv(12, 5, normalize=True),
    "gat-residual": lambda: pyg.GATConv(12, 5, residual=True),
    "gat-edges": lambda: pyg.GATConv(12, 5, add_self_loops=False),
    "gatv2": lambda: pyg.GATv2Conv(12, 5),
}


class Count(nn.Module):
    """Calls a layer on edges that a function derives from those given."""

    def __init__(self, layer: nn.Module, edges: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.layer, self.edges = layer, edges

    def forward(self, x: Tensor, edge_index: Tensor, **more: Any) -> Tensor:
        logits: Tensor = self.layer(x, self.edges(edge_index), **more)
        return logits


def result(model: nn.Module, graph: PreparedGraph | None, **more: Any) -> tuple[Tensor, list[Tensor]]:
    """Return logits and gradients, by the operators where a graph is given."""
    data = irregular_graph()
    model.zero_grad()
    edge_index = data.edge_index if graph is None else graph.edge_index
    if graph is None:
        logits = model(data.x.float(), edge_index, **more)
    else:
        with graph.used_by(model):
            logits = model(data.x.float(), edge_index, **more)
    logits.square().sum().backward()
    return logits.detach(), [p.grad.clone() for p in model.parameters()]


def prepared(weight: Tensor | None = None) -> PreparedGraph:
    data = irregular_graph()
    return PreparedGraph(data.edge_index, weight, data.num_nodes)


@pytest.mark.parametrize("name", SUPPORTED)
def test_operators_give_the_logits_and_gradients_of_pyg(name, monkeypatch) -> None:
    torch.manual_seed(0)
    layer = SUPPORTED[name]()
    expected = result(layer, None)
    # Without any message of PyG's own.
    monkeypatch.setattr(layer, "propagate", None)
    found = result(layer, prepared())
    for one, other in zip([found[0], *found[1]], [expected[0], *expected[1]], strict=True):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)


def test_edge_weights_are_part_of_the_operator() -> None:
    weight = torch.rand(irregular_graph().edge_index.size(1))
    layer = pyg.GCNConv(12, 5)
    expected, found = result(layer, None, edge_weight=weight), result(layer, prepared(weight), edge_weight=weight)
    torch.testing.assert_close(found[0], expected[0], atol=1e-4, rtol=1e-4)
    # Weights of the module's own are not those of the operator, nor is their absence.
    for own in (weight * 2 + 1, None):
        expected, found = result(layer, None, edge_weight=own), result(layer, prepared(weight), edge_weight=own)
        assert torch.equal(found[0], expected[0])


@pytest.mark.parametrize("name", OTHERS)
def test_layers_with_other_settings_run_as_pyg_wrote_them(name) -> None:
    layer = OTHERS[name]()
    assert _supported_layers(layer) == []
    assert torch.equal(result(layer, prepared())[0], result(layer, None)[0])


@pytest.mark.parametrize("name", SUPPORTED)
def test_other_edges_are_never_combined_with_the_operators(name) -> None:
    kept = torch.rand(irregular_graph().edge_index.size(1)) < 0.5
    model = Count(SUPPORTED[name](), lambda edges: edges[:, kept])
    assert torch.equal(result(model, prepared())[0], result(model, None)[0])


def test_attention_is_dropped_in_training_only() -> None:
    layer, graph, x = pyg.GATConv(12, 5, dropout=0.5), prepared(), irregular_graph().x.float()
    with graph.used_by(layer):
        first, second = (layer(x, graph.edge_index) for _ in range(2))
        layer.eval()
        third, fourth = (layer(x, graph.edge_index) for _ in range(2))
    assert not torch.equal(first, second)
    assert torch.equal(third, fourth)


def test_returned_attention_comes_from_pyg() -> None:
    layer, graph = pyg.GATConv(12, 5), prepared()
    with graph.used_by(layer):
        _, (edges, alpha) = layer(irregular_graph().x.float(), graph.edge_index, return_attention_weights=True)
    assert edges.size(1) == len(alpha)


def test_layers_get_their_forward_back_after_an_error() -> None:
    layer = pyg.GCNConv(12, 5)
    with pytest.raises(ZeroDivisionError), prepared().used_by(layer):
        assert "forward" in vars(layer)
        raise ZeroDivisionError
    assert "forward" not in vars(layer)


def test_hooks_and_compiled_modules_are_left_alone() -> None:
    hooked = pyg.GCNConv(12, 5)
    hooked.register_message_forward_hook(lambda *_: None)
    normed = pyg.SAGEConv(12, 5)
    normed.lin_l.register_forward_pre_hook(lambda *_: None)
    compiled = nn.Sequential(pyg.GCNConv(12, 5))
    compiled.compile()
    for model in (hooked, normed, compiled):
        assert _supported_layers(model) == []
    called = pyg.GCNConv(12, 5)
    called.register_forward_hook(lambda *_: None)
    assert _supported_layers(called) == [called]


def test_lower_precision_runs_as_pyg_wrote_it() -> None:
    layer, graph, x = pyg.GCNConv(12, 5).bfloat16(), prepared(), irregular_graph().x.bfloat16()
    with graph.used_by(layer):
        assert torch.equal(layer(x, graph.edge_index), pyg.GCNConv.forward(layer, x, graph.edge_index))
