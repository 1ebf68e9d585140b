import networkx as nx
import pytest

import highwaygraph as hg
from highwaygraph.data.formats import NETWORKS
from highwaygraph.data.networkx_io import READERS, read_network, to_tables
from highwaygraph.errors import DataError


def small() -> nx.Graph:
    graph = nx.Graph()
    graph.add_node("a", label="x", size=1.0, id="mine")
    graph.add_node("b", label="y", size=2.0)
    graph.add_edge("a", "b", weight=0.5)
    graph.add_edge("b", "c")
    return graph


def test_nodes_and_edges_become_tables() -> None:
    nodes, edges = to_tables(small())
    assert nodes["id"].tolist() == ["a", "b", "c"]
    assert nodes["id (attribute)"].tolist()[0] == "mine"
    assert edges.to_numpy().tolist() == [["a", "b", 0.5], ["b", "c", 1.0]]
    grid, _ = to_tables(nx.grid_2d_graph(2, 2))
    assert grid["id"].tolist()[0] == "(0, 0)"
    assert "weight" not in to_tables(nx.path_graph(3))[1]
    with pytest.raises(DataError, match="no node in it"):
        to_tables(nx.Graph())


@pytest.mark.parametrize("kind", ["graphml", "gexf", "gml", "edgelist"])
def test_files(tmp_path, kind) -> None:
    path = tmp_path / f"g.{kind}"
    graph = small()
    del graph.nodes["a"]["id"]
    {"graphml": nx.write_graphml, "gexf": nx.write_gexf, "gml": nx.write_gml, "edgelist": nx.write_edgelist}[kind](
        graph, path
    )
    assert set(read_network(path).nodes) == {"a", "b", "c"}


def test_every_ending_has_its_reader() -> None:
    assert set(READERS) == set(NETWORKS)


def test_files_that_are_not_read(tmp_path) -> None:
    bad = tmp_path / "bad.graphml"
    bad.write_text('<!DOCTYPE g [<!ENTITY a "b">]><graphml/>')
    with pytest.raises(DataError, match="declares a document type or entities"):
        read_network(bad)
    bad.write_text("<graphml")
    with pytest.raises(DataError, match="bad.graphml cannot be read as graphml"):
        read_network(bad)
    with pytest.raises(DataError, match="There is no file"):
        read_network(tmp_path / "none.gexf")


ENTITY = '<!DOCTYPE graphml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
BODY = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="k" for="node" attr.name="t" attr.type="string"/>
<graph edgedefault="undirected"><node id="n"><data key="k">&b;</data></node></graph></graphml>"""


@pytest.mark.parametrize("kind", ["graphml", "gexf"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "iso-8859-1"])
@pytest.mark.parametrize("before", ["", f"<!--{'-x' * 35_000}-->", " " * 70_000, "<?p x?>"])
def test_a_document_type_is_refused_in_any_encoding_and_place(tmp_path, kind, encoding, before) -> None:
    declared = {"utf-8-sig": "utf-8", "utf-16-le": "utf-16", "utf-16-be": "utf-16"}.get(encoding, encoding)
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    text = f'{mark}<?xml version="1.0" encoding="{declared}"?>{before}{ENTITY}{BODY}'
    path = tmp_path / f"g.{kind}"
    path.write_bytes(text.encode(encoding))
    with pytest.raises(DataError, match="declares a document type or entities"):
        read_network(path)


def test_utf_16_and_long_comments_are_read(tmp_path) -> None:
    text = f'<?xml version="1.0" encoding="utf-16"?><!--{"x" * 70_000}-->{BODY.replace("&b;", "<!-- <!DOCTYPE --> ü")}'
    path = tmp_path / "g.graphml"
    path.write_bytes(text.encode("utf-16"))
    assert list(read_network(path).nodes) == ["n"]


def test_a_deeply_nested_gml_is_a_sentence(tmp_path) -> None:
    path = tmp_path / "g.gml"
    path.write_text("graph [ " + "a [ " * 3000 + "] " * 3000 + "]")
    with pytest.raises(DataError, match="cannot be read as gml"):
        read_network(path)


def test_an_unknown_encoding_is_refused(tmp_path) -> None:
    (tmp_path / "g.graphml").write_text('<?xml version="1.0" encoding="utf-nine"?><graphml/>')
    with pytest.raises(DataError, match=r"g.graphml cannot be read as graphml: unknown encoding"):
        read_network(tmp_path / "g.graphml")


def test_attributes_of_edges_become_types_and_features(tmp_path) -> None:
    graph = nx.MultiGraph()
    graph.add_nodes_from((node, {"size": float(node), "label": str(node % 2)}) for node in range(3))
    graph.add_edge(0, 1, kind="cites", days=2.0)
    graph.add_edge(0, 1, kind="likes", days=3.0, where=["a list"])
    graph.add_edge(1, 2, kind="likes")
    nx.write_graphml(graph.edge_subgraph([(0, 1, 0), (1, 2, 0)]), tmp_path / "g.graphml")
    found = hg.load(graph, edge_type="kind", edge_features="days")
    assert found.relations == ["cites", "likes"]
    assert found.edge_type[:3].tolist() == [0, 1, 1]
    assert found.edge_attr[:3, 0].tolist() == [2.0, 3.0, 0.0]
    assert hg.load(tmp_path / "g.graphml", edge_type="kind").edge_type[:2].tolist() == [0, 1]
