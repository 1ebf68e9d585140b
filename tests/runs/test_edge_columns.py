import pandas as pd
import pytest
import torch

import highwaygraph as hg
from highwaygraph.data.npz import read_npz
from highwaygraph.data.safetensors_io import read_tensors
from highwaygraph.graph.augment import distinct_edges
from highwaygraph.runs.edge_columns import edge_value_columns
from highwaygraph.runs.export import export
from tests.helpers.edge_graphs import edge_kind_graph
from tests.helpers.edge_models import Relational


def test_columns_have_the_names_of_the_users_table() -> None:
    graph = edge_kind_graph(size=40)
    _, place = distinct_edges(graph.edge_index, graph.num_nodes, graph.edge_type)
    plain = edge_value_columns(graph, place, 2)
    assert list(plain) == ["edge_type", "edge_attr_0", "edge_attr_1", "edge_attr_2", "edge_attr_3"]
    assert plain["edge_type"][-2:] == [1, 1]
    assert plain["edge_attr_0"][-1] == pytest.approx(float(graph.edge_attr[:, 0].mean()), abs=1e-5)
    graph.relations = ["cites", "mentions"]
    graph.column_roles = {"edge_type": "kind", "edge_features": "a,b,c,d"}
    named = edge_value_columns(graph, place, 1)
    assert list(named) == ["kind", "a", "b", "c", "d"]
    assert named["kind"][-1] == "mentions"
    assert set(named["kind"]) == {"cites", "mentions"}


def test_an_edge_is_listed_once_per_type() -> None:
    edge_index = torch.tensor([[1, 0, 0, 2, 2], [0, 1, 1, 2, 0]])
    pairs, place = distinct_edges(edge_index, 3, torch.tensor([0, 0, 1, 0, 1]))
    assert pairs.tolist() == [[0, 0, 0], [1, 1, 2]]
    assert place.tolist() == [1, 2, 4]


@pytest.mark.parametrize("kind", ["csv", "parquet", "npz", "pt-safe", "graphml"])
def test_every_export_has_the_values(kind, tmp_path) -> None:
    data = edge_kind_graph(size=40)
    options = {"fit.epochs": 2, "highway.rounds": 2, "highway.keep": "last", "highway.node_threshold": 0.1}
    config = hg.override(hg.PRESETS["without-joint"], options)
    result = hg.train(Relational(12, 3, 2), data, config, seed=0, progress=False)
    assert result.highways.size(1)
    (*_, path) = export(result, kind, tmp_path / {"npz": "g.npz", "pt-safe": "g.safetensors"}.get(kind, "g.graphml"))
    if kind in ("csv", "parquet"):
        table = getattr(pd, f"read_{kind}")(path)
        assert set(table["edge_type"]) == {0, 1}
        assert (table["edge_type"][table["highway_round"].notna()] == 1).all()
        assert table["edge_attr_3"].notna().all()
    elif kind == "graphml":
        assert 'attr.name="edge_attr_0"' in path.read_text()
    else:
        again = read_npz(path) if kind == "npz" else read_tensors(path)
        assert torch.equal(again.edge_type, result.graph.edge_type)
        assert torch.equal(again.edge_attr, result.graph.edge_attr)
