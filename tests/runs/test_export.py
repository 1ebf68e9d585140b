import json
from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file

import highwaygraph as hg
from highwaygraph.errors import FailedError
from highwaygraph.graph.augment import undirected_edges
from highwaygraph.runs.export import export
from tests.helpers.example import NASTY, run


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


def test_a_path_that_cannot_be_written_is_refused(tmp_path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FailedError, match="Choose another place with --out"):
        export(run(), "csv", tmp_path / "file" / "x")
