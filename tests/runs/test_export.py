import json
from dataclasses import replace
from typing import get_args

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file

import highwaygraph as hg
from highwaygraph.errors import ConfigError, FailedError, RunError
from highwaygraph.graph.augment import undirected_edges
from highwaygraph.runs.export import Kind, default_path, export
from highwaygraph.runs.folder import FILES, verify
from highwaygraph.runs.result import Result
from tests.helpers.example import NASTY, run
from tests.helpers.graphs import symmetric_weights
from tests.helpers.writers import tree


def edges() -> tuple[int, int]:
    return undirected_edges(run().data.edge_index, 180).size(1), run().highways.size(1)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_export_as_tables(tmp_path, kind) -> None:
    nodes, edge_file = export(run(), kind, tmp_path / "graph")
    read = pd.read_parquet if kind == "parquet" else pd.read_csv
    table = read(edge_file)
    original, new = edges()
    assert len(table) == original + new
    assert table["highway_round"].notna().sum() == new
    assert table["highway_pair_score"].dropna().between(0, 1).all()
    assert read(nodes)["id"][0] == NASTY
    # Loaded again: the same nodes, and the highways as edges.
    data = hg.load(tmp_path / "graph")
    assert data.edge_index.size(1) == run().graph.edge_index.size(1)
    assert torch.equal(data.y, run().data.y)
    assert torch.equal(data.train_mask, run().data.train_mask)
    # A model must not be trained on the predictions of a run.
    assert {c.name for c in data.read_log.columns if c.role == "ignored"} >= {"highway_class", "highway_confidence"}


def test_export_as_graphml(tmp_path) -> None:
    (path,) = export(run(), "graphml", tmp_path / "g.graphml")
    graph = nx.read_graphml(path)
    assert graph.number_of_edges() == sum(edges())
    assert sum("highway_round" in facts for *_, facts in graph.edges(data=True)) == edges()[1]
    assert graph.nodes[NASTY]["label"] == "<b>a</b>"


def test_export_as_arrays_and_tensors(tmp_path) -> None:
    (path,) = export(run(), "npz", tmp_path / "g.npz")
    again = hg.load(path)
    assert torch.equal(again.edge_index, run().graph.edge_index)
    assert torch.equal(again.x, run().data.x)
    assert again.ids == run().data.ids
    with np.load(path) as arrays:
        assert arrays["highway_round"].tolist() == run().highway_round.tolist()
    (path,) = export(run(), "pt-safe", tmp_path / "g.safetensors")
    tensors = load_file(path)
    assert torch.equal(tensors["edge_index"], run().graph.edge_index)
    assert torch.equal(tensors["highway_confidence"], run().highway_confidence)
    with safe_open(path, "pt") as file:
        assert json.loads(file.metadata()["ids"]) == run().data.ids


def test_edge_weights_are_exported(tmp_path) -> None:
    data = run().data.clone()
    data.edge_weight = torch.arange(data.edge_index.size(1)) + 0.5
    (_, edge_file) = export(replace(run(), data=data), "csv", tmp_path / "graph")
    table = pd.read_csv(edge_file)
    first = undirected_edges(data.edge_index, 180)[:, 0]
    place = (data.edge_index == first[:, None]).all(dim=0).nonzero()[0]
    assert table["weight"][0] == data.edge_weight[place].item()
    assert (table["weight"][table["highway_round"].notna()] == 1).all()


def strange() -> Result:
    """Return the run with ids and classes that CSV has to quote, and weights of many digits."""
    data = run().data.clone()
    data.ids = ["@user0", "a\rb", 'say "x", y', "=1+1", "x\r-2", "a\nb", *(f"n{i}" for i in range(6, 180))]
    data.classes = ["@a", "b\rc", "+1"]
    data.edge_weight = symmetric_weights(data) * torch.logspace(-8, 3, data.edge_index.size(1))
    # One weight for both directions of an edge.
    reverse = {pair: i for i, pair in enumerate(zip(*data.edge_index.tolist(), strict=True))}
    first = torch.tensor([reverse[min(a, b), max(a, b)] for a, b in reverse])
    data.edge_weight = data.edge_weight[first]
    return replace(run(), data=data)


def test_an_export_as_csv_gives_the_graph_back(tmp_path) -> None:
    result = strange()
    export(result, "csv", tmp_path / "graph")
    again, graph = hg.load(tmp_path / "graph"), result.graph
    assert again.ids == graph.ids
    assert [again.classes[c] for c in again.y.tolist()] == [graph.classes[c] for c in graph.y.tolist()]
    for mask in ("train_mask", "val_mask", "test_mask"):
        assert torch.equal(again[mask], graph[mask])
    weights = [
        dict(zip(zip(*data.edge_index.tolist(), strict=True), data.edge_weight.tolist(), strict=True))
        for data in (again, graph)
    ]
    assert weights[0] == weights[1]


def test_no_export_has_the_name_of_a_file_of_a_run(tmp_path) -> None:
    path = run().save(tmp_path / "run")
    for kind in get_args(Kind):
        assert default_path(path, kind).name not in FILES
        export(run(), kind, default_path(path, kind))
    verify(path)
    before = tree(path)
    for kind in ("graphml", "npz", "pt-safe"):
        with pytest.raises(RunError, match="is a file of the run"):
            export(run(), kind, path / "graph.safetensors")
    assert tree(path) == before


def test_graphml_refuses_characters_that_xml_cannot_hold(tmp_path) -> None:
    data = run().data.clone()
    data.ids = ["a\rb", *data.ids[1:]]
    with pytest.raises(ConfigError, match="GraphML cannot hold all characters of .*--to csv"):
        export(replace(run(), data=data), "graphml", tmp_path / "g.graphml")


def test_a_path_that_cannot_be_written_is_refused(tmp_path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FailedError, match="Choose another place with --out"):
        export(run(), "csv", tmp_path / "file" / "x")
