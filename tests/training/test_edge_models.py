"""Users' modules with edge features and edge types, trained with highways."""

import pytest
import torch
from torch import nn

import highwaygraph as hg
from highwaygraph.graph.graph import Graph
from tests.helpers.edge_graphs import edge_kind_graph
from tests.helpers.edge_models import Relational, edge_feature_model

NAMES = ("gatv2", "transformer", "gine", "rgcn")
OPTIONS = {
    "pairs.weight": 0.0, "highway.joint": False, "highway.node_threshold": 0.5, "highway.rounds": 2,
    "highway.keep": "last", "fit.epochs": 60, "fit.patience": 60, "fit.lr": 0.01,
}  # fmt: skip
BATCHES = {"fit.batch_size": 30, "fit.num_neighbors": (20, 20), "fit.epochs": 25, "fit.patience": 25}


def build(name: str) -> nn.Module:
    return Relational(12, 3, 2) if name == "rgcn" else edge_feature_model(name, 12, 3, 4)


def without_values(data: Graph) -> Graph:
    """Return the graph with the same value at all edges."""
    same = data.clone()
    same.edge_attr, same.edge_type = torch.zeros_like(data.edge_attr), torch.zeros_like(data.edge_type)
    return same


@pytest.mark.parametrize("options", [{}, BATCHES], ids=["whole graph", "mini-batches"])
@pytest.mark.parametrize("name", NAMES)
def test_values_of_edges_improve_accuracy_with_highways(name, options) -> None:
    data = edge_kind_graph(seed=1)
    config = hg.override(hg.PRESETS["full"], OPTIONS | options)
    used, ignored = (hg.train(build(name), d, config, seed=0, progress=False) for d in (data, without_values(data)))
    assert used.highways.size(1) > 100
    assert used.test > ignored.test + 0.05


@pytest.mark.parametrize("name", NAMES)
def test_plus_trains_in_views_with_highways(name) -> None:
    data = edge_kind_graph(seed=1)
    short = {"fit.epochs": 6, "highway.rounds": 2, "highway.keep": "last", "select.typical": False}
    result = hg.train(build(name), data, hg.override(hg.PRESETS["plus"], short), seed=0, progress=False)
    assert result.logits.isfinite().all()


def test_a_mapped_graph_gives_the_results_of_the_graph_in_memory(tmp_path) -> None:
    data = edge_kind_graph(seed=1, size=40)
    # In memory, edges of equal ends and type stay apart; in the folder they are merged.
    order = (data.edge_index[1] * data.num_nodes + data.edge_index[0]) * 2 + data.edge_type
    _, inverse, counts = order.unique(return_inverse=True, return_counts=True)
    kept = counts[inverse] == 1
    data.edge_index, data.edge_attr = data.edge_index[:, kept], data.edge_attr[kept]
    data.edge_type = data.edge_type[kept]
    mapped = hg.convert(data, tmp_path / "graph")
    config = hg.override(hg.PRESETS["full"], OPTIONS | BATCHES | {"fit.epochs": 4})
    for name in ("gatv2", "rgcn"):
        model = build(name)
        one, other = (hg.train(model, d, config, seed=0, progress=False) for d in (data, mapped))
        assert torch.allclose(one.logits, other.logits, atol=1e-5)


@pytest.mark.parametrize("name", ["gine", "rgcn"])
def test_a_run_folder_keeps_the_values(name, tmp_path) -> None:
    data = edge_kind_graph(seed=1, size=40)
    data.relations = ["cites", "mentions"]
    config = hg.override(hg.PRESETS["full"], OPTIONS | {"fit.epochs": 4, "fit.patience": 4})
    result = hg.train(build(name), data, config, seed=0, progress=False)
    again = hg.open_run(result.save(tmp_path / "run"), model=build(name))
    assert torch.equal(again.data.edge_attr, data.edge_attr)
    assert torch.equal(again.data.edge_type, data.edge_type)
    assert again.data.relations == data.relations
    assert torch.allclose(again.predict_logits(again.graph), result.predict_logits(result.graph), atol=1e-5)
    assert torch.allclose(again.predict_logits(result.graph), result.logits, atol=1e-4)
