import pandas as pd
import pytest

import highwaygraph as hg
from highwaygraph.errors import DataError
from highwaygraph.study.tables.generate import TABLES, generate

tables = pytest.mark.parametrize("name", TABLES)


@tables
def test_the_same_seed_gives_the_same_tables(name) -> None:
    one, again, other = generate(name), generate(name), generate(name, seed=1)
    for first, second in zip(one, again, strict=True):
        pd.testing.assert_frame_equal(first, second)
    assert not one.nodes.equals(other.nodes)
    assert one.nodes["label"].value_counts().to_dict() == other.nodes["label"].value_counts().to_dict()


@tables
def test_pandas_tables_and_csv_files_give_the_same_graph(name, tmp_path) -> None:
    nodes, edges = generate(name)
    nodes.to_csv(tmp_path / "nodes.csv", index=False)
    edges.to_csv(tmp_path / "edges.csv", index=False)
    one, other = hg.load(nodes, edges), hg.load(tmp_path)
    assert one.classes == other.classes
    assert one.y.equal(other.y)
    assert one.edge_index.equal(other.edge_index)
    assert one.x.shape == other.x.shape
    assert (one.x - other.x).abs().max() < 1e-4


@tables
def test_every_node_has_a_class(name) -> None:
    graph = hg.load(*generate(name))
    assert (graph.y >= 0).all()
    # The name of a company is another word in every row.
    assert [finding.examples for finding in graph.read_log.findings] == [("name",)] * (name == "companies")


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(DataError, match="no tables 'shops'. Did you mean 'shop'"):
        generate("shops")
