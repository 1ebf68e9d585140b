"""A folder with a table per node type and per relation."""

import pandas as pd
import pytest
import torch

import highwaygraph as hg
from highwaygraph.data.tables.schema import Schema
from highwaygraph.data.tables.typed import find_typed_tables
from highwaygraph.errors import DataError
from tests.helpers.library import write_library


@pytest.fixture
def folder(tmp_path):
    write_library(tmp_path / "library", papers=30)
    return tmp_path / "library"


def test_tables_give_the_edges_of_the_same_graph_in_pyg(tmp_path) -> None:
    source = write_library(tmp_path / "library", papers=60)
    data, expected = hg.load(tmp_path / "library", label="field"), hg.load(source)
    assert (data.name, data.ids, data.classes) == ("library", expected.ids, expected.classes)
    assert torch.equal(data.y, expected.y)
    assert set(data.hetero.edges) == set(expected.hetero.edges)
    for relation, edges in expected.hetero.edges.items():
        # A table's repeated edges are kept once.
        assert torch.equal(data.hetero.edges[relation].unique(dim=1), edges.unique(dim=1))
    assert {name: x.size(1) for name, x in data.hetero.x.items()} == {"author": 4, "venue": 33}
    assert list(data.encoders) == list("abcdef")


def test_the_log_names_type_and_relation(folder) -> None:
    log = hg.load(folder, label="field").read_log
    roles = {column.name: column.role for column in [*log.columns, *log.edge_columns]}
    assert roles["paper.field"] == "label"
    assert roles["author.q"] == "feature"
    assert roles["author-writes-paper.author"] == "end"
    assert all(finding.what.endswith(("-paper", "-venue")) for finding in log.findings)


def test_edges_within_a_type_are_undirected_and_the_label_is_inferred(folder) -> None:
    papers = pd.read_csv(folder / "nodes.paper.csv").rename(columns={"field": "label"})
    papers.to_parquet(folder / "nodes.paper.parquet")
    (folder / "nodes.paper.csv").unlink()
    (folder / "edges.paper.cites.paper.csv").write_text("source,target\np0,p1\np1,p0\np2,p3\n")
    data = hg.load(folder)
    assert data.edge_index.tolist() == [[0, 2, 1, 3], [1, 3, 0, 2]]
    assert data.relations == ["cites", "highway"]


def test_faults_of_a_folder_are_refused(folder) -> None:
    with pytest.raises(DataError, match="no table has a column called label, .* or y: name it with --label"):
        hg.load(folder)
    with pytest.raises(DataError, match="There is no node type 'book'"):
        hg.load(folder, target="book")
    with pytest.raises(DataError, match="edge_type, edges: not supported for a folder with a table per node type"):
        hg.load(folder, "edges.csv", edge_type="kind")
    with pytest.raises(DataError, match="Several node types are not supported on disk"):
        hg.convert(folder, folder / "graph")
    (folder / "nodes.paper.tsv").write_text("id\np0\n")
    with pytest.raises(DataError, match=r"nodes.paper.csv and nodes.paper.tsv are tables of the same name"):
        hg.load(folder, label="field")


def test_every_type_has_a_table_and_some_relation_too(folder) -> None:
    (folder / "nodes.venue.csv").unlink()
    with pytest.raises(DataError, match="edges.paper.in.venue.csv names the node type 'venue', which has no table"):
        find_typed_tables(folder)
    for path in folder.glob("edges.*"):
        path.unlink()
    with pytest.raises(DataError, match="has no edges: add a table such as edges.SOURCE.RELATION.TARGET.csv"):
        find_typed_tables(folder)
    for path in folder.glob("nodes.*"):
        path.rename(folder / path.name.replace("nodes.", "nodes_"))
    assert find_typed_tables(folder) is None


def test_a_target_needs_several_types(tmp_path) -> None:
    (tmp_path / "nodes.csv").write_text("id,label\n1,a\n2,b\n")
    (tmp_path / "edges.csv").write_text("source,target\n1,2\n")
    with pytest.raises(DataError, match="target names one of several node types, and these tables have one"):
        hg.load(tmp_path, target="paper")


def test_another_folder_is_read_by_the_schema_of_a_run(tmp_path) -> None:
    write_library(tmp_path / "library", papers=60)
    data = hg.split(hg.load(tmp_path / "library", label="field"), train=5, val=5)
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 2})
    result = hg.train(hg.models.build("hetero_sage", data, hidden=8), data, config, progress=False)
    write_library(tmp_path / "other", papers=90, seed=1)
    papers = pd.read_csv(tmp_path / "other" / "nodes.paper.csv")
    papers.drop(columns="field").to_csv(tmp_path / "other" / "nodes.paper.csv", index=False)
    other = hg.load(tmp_path / "other", schema=result.schema())
    assert (other.num_nodes, other.classes, other.encoders) == (90, data.classes, data.encoders)
    assert result.predict(other).shape == (90,)
    same = hg.load(tmp_path / "library", schema=result.schema())
    assert torch.allclose(result.predict_logits(same), result.logits, atol=1e-5)
    with pytest.raises(DataError, match="not supported for other tables of several node types"):
        hg.load(tmp_path / "other", schema=result.schema(), text_encoder="model2vec:x")
    with pytest.raises(DataError, match="the run's graph has one type"):
        hg.load(tmp_path / "other", schema=Schema({}, []))


def test_lists_of_labels_are_refused(folder) -> None:
    papers = pd.read_csv(folder / "nodes.paper.csv")
    papers["field"] = [[name, "other"] for name in papers["field"].astype(str)]
    papers.to_parquet(folder / "nodes.paper.parquet")
    (folder / "nodes.paper.csv").unlink()
    with pytest.raises(DataError, match="Lists of labels are not supported for a folder with a table per node type"):
        hg.load(folder, label="field")
