import networkx as nx
import pandas as pd
import pytest

import highwaygraph as hg
from highwaygraph.errors import DataError
from highwaygraph.report.graph_json import columns, visible_graph
from highwaygraph.report.run_data import read

NODES = pd.DataFrame({"id": ["a", "b", "c"], "size": [1, 2, 3], "label": ["x", "y", None]})
EDGES = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})


def check(data) -> None:
    assert data.ids == ["a", "b", "c"]
    assert data.y.tolist() == [0, 1, -1]
    assert data.edge_index.size(1) == 4
    assert data.x.size(1) == 1


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet"])
def test_a_folder_a_file_and_a_pair(tmp_path, kind) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, table in (("nodes", NODES), ("edges", EDGES)):
        path = folder / f"{name}.{kind}"
        if kind == "parquet":
            table.to_parquet(path)
        else:
            table.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    check(hg.load(folder))
    assert hg.load(folder).name == "papers"
    check(hg.load(folder / f"nodes.{kind}"))
    moved = (folder / f"edges.{kind}").rename(tmp_path / f"e.{kind}")
    check(hg.load(str(folder / f"nodes.{kind}"), str(moved)))
    with pytest.raises(DataError, match="Where are the edges"):
        hg.load(folder / f"nodes.{kind}")
    with pytest.raises(DataError, match="holds no graph: nodes.csv and edges.csv"):
        hg.load(folder)


def test_frames_and_networks(tmp_path) -> None:
    check(hg.load(NODES, EDGES))
    graph = nx.Graph()
    for node, size, label in NODES.itertuples(index=False):
        graph.add_node(node, size=size, **({"label": label} if label else {}))
    graph.add_edges_from(EDGES.itertuples(index=False))
    check(hg.load(graph))
    nx.write_graphml(graph, tmp_path / "g.graphml")
    check(hg.load(tmp_path / "g.graphml"))
    with pytest.raises(DataError, match="needs one of edges"):
        hg.load(NODES)


def test_a_run_remembers_how_its_tables_were_read(tmp_path) -> None:
    many = pd.DataFrame({"id": range(40), "kind": ["u", "v"] * 20, "label": ["x", "y"] * 20})
    ring = pd.DataFrame({"source": range(40), "target": [(i + 2) % 40 for i in range(40)]})
    data = hg.split(hg.load(many, ring), train=5, val=5, seed=0)
    config = hg.override(hg.PRESETS["full"], {"fit.epochs": 40, "fit.device": "cpu"})
    path = hg.train(hg.models.build("gcn", data, hidden=8), data, config).save(tmp_path / "run")
    again = hg.open_run(path)
    assert again.data.encoders == data.encoders
    assert again.data.ids == data.ids
    assert again.data.attributes == {"kind": ["u", "v"] * 20}
    found = read(again)
    assert columns(found, visible_graph(found))["attributes"]["kind"] == ["u", "v"] * 20


def test_names_of_columns_may_contain_commas_and_spaces() -> None:
    edges = EDGES.set_axis(["from, city", " to"], axis=1)
    check(hg.load(NODES, edges))
    with pytest.raises(DataError, match="two columns, as in a,b, not 'a'"):
        hg.load(NODES, EDGES, ends="a")
    check(hg.load(NODES, EDGES.assign(key=["a", "b"]), ends="source, target"))
