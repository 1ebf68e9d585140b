"""Propagated features against dense algebra."""

import numpy as np
import pytest
import torch

from highwaygraph.data.load import convert
from highwaygraph.data.mapped.store import open_mapped_graph
from highwaygraph.graph.graph import Graph
from highwaygraph.labelling import embedding
from highwaygraph.labelling.embedding import propagated_features, undirected_matrix
from highwaygraph.nn.scaling import learn_scaling
from tests.helpers.graphs import block_graph, irregular_graph


def vectors(graph: Graph, *, unit_rows: bool = True) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return propagated_features(graph, undirected_matrix(graph), generator, unit_rows=unit_rows)


def expected(graph: Graph, *, unit_rows: bool) -> torch.Tensor:
    """Return the rows of S^2 X."""
    loops = torch.from_numpy(undirected_matrix(graph).toarray()) + torch.eye(graph.num_nodes)
    scale = loops.sum(dim=1).rsqrt()
    propagate = scale[:, None] * loops * scale
    table = propagate @ propagate @ learn_scaling(graph).apply(graph.x.double())
    return table / table.norm(dim=1, keepdim=True) if unit_rows else table


def test_the_matrix_has_both_directions_and_neither_loops_nor_parallel_edges() -> None:
    matrix = undirected_matrix(irregular_graph()).toarray()
    assert np.array_equal(matrix, matrix.T)
    assert not matrix.diagonal().any()
    assert set(np.unique(matrix)) == {0.0, 1.0}


@pytest.mark.parametrize("unit_rows", [False, True])
def test_distances_are_those_of_propagated_features(unit_rows) -> None:
    graph = block_graph()
    found, table = vectors(graph, unit_rows=unit_rows).double(), expected(graph, unit_rows=unit_rows)
    assert torch.allclose(torch.cdist(found, found), torch.cdist(table, table), atol=1e-3)


def test_many_features_are_reduced_without_changing_near_and_far(monkeypatch) -> None:
    graph = block_graph(features=200)
    monkeypatch.setattr(embedding, "FEATURES", 64)
    monkeypatch.setattr(embedding, "MOST_ENTRIES", 0)
    near = torch.cdist(vectors(graph), vectors(graph))
    assert vectors(graph).size(1) <= embedding.DIMENSIONS
    same = graph.y[:, None] == graph.y
    assert near[same].mean() < 0.9 * near[~same].mean()


def test_chunks_and_a_graph_on_disk_give_the_same_vectors(tmp_path, monkeypatch) -> None:
    graph = block_graph()
    whole = vectors(graph)
    monkeypatch.setattr(embedding, "CHUNK_ROWS", 7)
    assert torch.allclose(vectors(graph), whole, atol=1e-5)
    convert(graph, tmp_path / "graph")
    stored = vectors(open_mapped_graph(tmp_path / "graph"))
    assert torch.allclose(torch.cdist(stored, stored), torch.cdist(whole, whole), atol=1e-3)


def test_a_graph_without_features_or_with_constant_ones_has_vectors_of_no_columns() -> None:
    graph = block_graph()
    graph.x = torch.zeros(graph.num_nodes, 3)
    assert vectors(graph).shape == (graph.num_nodes, 0)
    graph.x = torch.zeros(graph.num_nodes, 0)
    assert vectors(graph).shape == (graph.num_nodes, 0)
