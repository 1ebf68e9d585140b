"""A forward that no call fits is refused by its signature, with the name of the argument and the calls."""

import pytest
from torch import nn
from torch_geometric import nn as pyg
from torch_geometric.data import Data

from highwaygraph.errors import ModelError
from highwaygraph.models import build
from highwaygraph.nn.forward_signature import call_text, refuse_unfilled
from highwaygraph.nn.hetero import inputs_for
from tests.helpers.edge_graphs import edge_kind_graph
from tests.helpers.edge_models import Relational, edge_feature_model


def module(signature: str) -> nn.Module:
    """Return a module whose forward has these arguments."""
    found: dict[str, type] = {}
    body = f"class Mine(nn.Module):\n    def forward(self, {signature}):\n        return 0"
    exec(body, {"nn": nn, "Data": Data}, found)
    return found["Mine"]()


@pytest.mark.parametrize(
    "signature",
    [
        "x, edge_index", "x, edge_index, batch=None", "h, edges", "features, adj, edge_attr=None", "x", "data",
        "x, edge_index, edge_weight", "x, edge_index, *, edge_attr, scale=1", "everything: Data, scale=1",
        "*args, **more", "batch, edge_index", "x, *rest",
    ],
)  # fmt: skip
def test_usual_signatures_are_accepted(signature) -> None:
    refuse_unfilled(module(signature), several_types=False)


def test_modules_of_pyg_and_built_in_networks_are_accepted() -> None:
    graph = edge_kind_graph()
    parts = [(pyg.RGCNConv(3, 2, 2), "x, edge_index, edge_type -> x")]
    models = [pyg.GCN(3, 4, 2), pyg.GAT(3, 4, 2), pyg.MLP([3, 4, 2]), pyg.Sequential("x, edge_index, edge_type", parts)]
    for model in (
        *models,
        Relational(3, 2, 3),
        edge_feature_model("gine", 3, 2, 4),
        build("gcn", graph),
        nn.Linear(3, 2),
    ):
        refuse_unfilled(model, several_types=False)


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        (
            "edge_index, x",
            "has the argument 'edge_index' in another place than the call .edge_index, x.: change the order",
        ),
        ("x, edge_attr, edge_index", "has the argument 'edge_attr' in another place"),
        ("x, edge_weight", "has the argument 'edge_weight' in another place"),
        ("x, *, edge_index", "has the argument 'edge_index' in another place"),
        ("x, *, edge_index=None", "has the argument 'edge_index' in another place"),
        ("edge_index", "has the argument 'edge_index' in another place"),
        ("x, edge_index, pos", "requires the argument 'pos', which no call fills: give it a default"),
        ("x, edge_index, *, pos", "requires the argument 'pos'"),
        ("x, edge_index, edge_weight, /", "requires the argument 'edge_weight'"),
        ("data, mask", "requires the argument 'mask'"),
        ("graph: Data, mask", "requires the argument 'mask'"),
        ("x_dict, edge_index_dict", "has the argument 'x_dict', but the graph has one node type"),
    ],
)
def test_a_forward_that_no_call_fits_is_refused(signature, message) -> None:
    with pytest.raises(ModelError, match=rf"^Mine\.forward {message}.*a module is called as forward\(x, edge_index\)"):
        refuse_unfilled(module(signature), several_types=False)


def test_pygs_sequential_declares_its_arguments() -> None:
    layers = [(pyg.GCNConv(3, 2), "x, edge_index -> x")]
    with pytest.raises(ModelError, match=r"Sequential\w*\.forward requires the argument 'batch'"):
        refuse_unfilled(pyg.Sequential("x, edge_index, batch", layers), several_types=False)


@pytest.mark.parametrize("signature", ["x_dict, edge_index_dict", "x, edge_index", "data", "x"])
def test_signatures_on_several_node_types(signature) -> None:
    refuse_unfilled(module(signature), several_types=True)


@pytest.mark.parametrize(
    "signature", ["edge_index_dict, x_dict", "x_dict, edge_index_dict, edge_attr_dict", "x, edge_index, edge_type"]
)
def test_other_signatures_on_several_node_types_are_refused(signature) -> None:
    with pytest.raises(ModelError, match=r"a module is called as forward\(x_dict, edge_index_dict\)"):
        refuse_unfilled(module(signature), several_types=True)


def test_the_call_is_shown_with_the_values_that_it_passes() -> None:
    graph = edge_kind_graph()
    calls = {
        "x, edge_index, edge_attr=None": "x, edge_index, edge_attr",
        "data": "data",
        "x": "x",
        "h, e": "x, edge_index",
    }
    for signature, expected in calls.items():
        assert call_text(inputs_for(module(signature), graph), ["edge_attr"]) == f"forward({expected})"
    del graph.edge_attr
    assert call_text(inputs_for(module("x, edge_index, edge_attr=None"), graph), []) == "forward(x, edge_index)"
