import numpy as np
import pandas as pd
import pytest
import torch

import highwaygraph as hg
from highwaygraph.data.tables.edge_rows import EdgeRows, edge_types, merge, relation_names, sorted_names
from highwaygraph.data.tables.edges import read_edges
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.data.tables.schema import ColumnRoles
from highwaygraph.errors import DataError
from highwaygraph.graph.queries import with_csr, with_edge_index

IDS = ["a", "b", "c"]
NAMED = ColumnRoles(edge_type="kind", edge_features="amount,days")
EDGES = pd.DataFrame(
    [("a", "b", "cites", 1, 2), ("b", "a", "cites", 3, 4), ("a", "b", "likes", 5, None), ("c", "a", None, 7, 8),
     ("b", "c", "likes", 9, 10)],
    columns=["source", "target", "kind", "amount", "days"],
)  # fmt: skip


def test_edges_of_different_types_stay_apart_and_equal_ones_are_averaged() -> None:
    found = read_edges(EDGES, IDS, log := ReadLog(), NAMED)
    assert found.edge_index.tolist() == [[0, 0, 1, 1, 1, 2], [1, 1, 2, 0, 0, 1]]
    assert found.relations == ["cites", "likes"]
    assert found.edge_type.tolist() == [0, 1, 1, 0, 1, 1]
    assert found.edge_attr[:3].tolist() == [[2, 3], [5, 0], [9, 10]]
    assert found.weight is None
    notes = [str(finding) for finding in log.findings]
    assert any("1 edge whose kind is missing or unknown" in note and "left out" in note for note in notes)
    assert any("1 edge whose days is no number" in note and "0 is used" in note for note in notes)


def test_relations_of_a_schema_decide_the_numbers() -> None:
    found = read_edges(EDGES, IDS, ReadLog(), NAMED, relations=["likes", "owns"])
    assert found.edge_type.tolist() == [0, 0, 0, 0]
    assert found.relations == ["likes", "owns"]


def test_features_that_are_mostly_words_are_refused() -> None:
    with pytest.raises(DataError, match="4 of 5 edges whose kind is no number.*or name it with --edge-type") as error:
        read_edges(EDGES.assign(kind=["x", "y", "1", "z", "w"]), IDS, ReadLog(), ColumnRoles(edge_features="kind"))
    assert "--edge-features" in str(error.value)


def test_numbers_as_relations_are_ordered_by_size() -> None:
    column = pd.Series([10, 9.0, None, 2])
    names = sorted_names(relation_names(column))
    assert names == ["2", "9", "10"]
    assert edge_types(column, names).tolist() == [2, 1, -1, 0]


def test_merging_nothing() -> None:
    none = np.empty(0, np.int64)
    found = merge(EdgeRows(none, none, None, np.empty((0, 2)), none), 3)
    assert found.edges.edge_attr.shape == (0, 2)
    assert found.repeated == 0


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_converted_graph_has_the_values_of_the_loaded_one(kind, tmp_path) -> None:
    nodes = pd.DataFrame({"id": IDS, "size": [1.0, 2.0, 3.0], "label": ["x", "y", "x"]})
    for name, table in (("nodes", nodes), ("edges", EDGES)):
        getattr(table, f"to_{kind}")(tmp_path / f"{name}.{kind}", index=False)
    options = {"edge_type": "kind", "edge_features": "amount,days"}
    loaded = hg.load(tmp_path, **options)
    mapped = hg.convert(tmp_path, tmp_path / "graph", **options)
    assert mapped.relations == loaded.relations == ["cites", "likes"]
    assert loaded.column_roles["edge_features"] == "amount,days"
    by_row, listed = with_csr(loaded).csr, with_edge_index(mapped)
    assert torch.equal(by_row.edge_attr, mapped.csr.edge_attr)
    assert torch.equal(by_row.edge_type, listed.edge_type)
    assert [str(f) for f in mapped.read_log.findings if "chunk" not in f.what] == [
        str(f) for f in loaded.read_log.findings
    ]
