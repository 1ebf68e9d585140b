"""PyG's HeteroData as a graph."""

import pytest
import torch

import highwaygraph as hg
from highwaygraph.errors import DataError, HighwayWarning
from tests.helpers.library import FIELDS, library


def test_labels_masks_ids_and_classes_are_those_of_the_target_type() -> None:
    source = library(30)
    source["paper"].train_mask = torch.arange(30) < 3
    data = hg.load(source)
    assert data.ids[:2] == ["p0", "p1"]
    assert data.classes == list(FIELDS)
    assert torch.equal(data.y, source["paper"].y)
    assert torch.equal(data.train_mask, source["paper"].train_mask)
    assert torch.equal(data.hetero.x["author"], source["author"].x)


def test_a_type_without_features_gets_structural_ones() -> None:
    data = hg.load(library(60))
    venues = data.hetero.x["venue"]
    assert len(venues) == 9
    assert bool(venues.std(dim=0).gt(0).any())


def test_the_target_is_named_where_it_cannot_be_inferred() -> None:
    source = library(30)
    source["author"].y = torch.zeros(10, dtype=torch.long)
    with pytest.raises(DataError, match=r"several node types have labels \(paper, author\): name one with target="):
        hg.load(source)
    assert hg.load(source, target="author").num_nodes == 10
    with pytest.raises(DataError, match="There is no node type 'book': the types are paper, author, venue"):
        hg.load(source, target="book")
    with pytest.raises(DataError, match="The node type 'venue' has no labels"):
        hg.load(source, target="venue")
    assert hg.load(source, target="venue", labels=False).y.unique().tolist() == [-1]
    del source["author"].y, source["paper"].y
    with pytest.raises(DataError, match="no node type has labels"):
        hg.load(source)


def test_features_that_are_not_finite_are_named_by_their_type() -> None:
    data = library(30)
    data["author"].x[2, 0] = float("nan")
    with pytest.raises(DataError, match=r"^data\['author'\]\.x is NaN or infinite in 1 of .*first: node 2"):
        hg.load(data)


def test_faults_name_the_type_or_the_relation() -> None:
    source = library(30)
    relation = "author", "writes", "paper"
    source[relation].edge_index = torch.tensor([[0, 99], [0, 1]])
    with pytest.raises(DataError, match="1 of 2 edges author-writes-paper refer to nodes that do not exist"):
        hg.load(source)
    source[relation].edge_index = torch.rand(2, 2)
    with pytest.raises(DataError, match="The edges author-writes-paper must hold integers"):
        hg.load(source)
    source[relation].edge_index = torch.zeros(3, 2, dtype=torch.long)
    with pytest.raises(DataError, match="must be an edge_index of two rows"):
        hg.load(source)
    source["author"].x = torch.ones(10)
    with pytest.raises(DataError, match=r"data\['author'\].x must be a dense torch tensor"):
        hg.load(source)


def test_weights_of_edges_are_left_out_with_a_warning() -> None:
    source = library(30)
    source["author", "writes", "paper"].edge_weight = torch.ones(60)
    with pytest.warns(HighwayWarning, match="are not supported: they are left out"):
        hg.load(source)


def test_the_graph_cannot_be_converted_and_names_no_columns(tmp_path) -> None:
    with pytest.raises(DataError, match="Several node types are not supported on disk"):
        hg.convert(library(30), tmp_path / "graph")
    with pytest.raises(DataError, match="not read from tables"):
        hg.load(library(30), label="y")


def test_no_labels_and_lists_are_explained() -> None:
    source = library()
    del source["paper"].y
    with pytest.raises(DataError, match=r"Here no node type has labels: set data\[TYPE\].y"):
        hg.load(source)
    with pytest.raises(DataError, match=r"HeteroData \(2 here\) is not supported: give one HeteroData"):
        hg.load([library(), library()])
