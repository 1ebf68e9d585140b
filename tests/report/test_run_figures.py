from highwaygraph.report import graph_json, run_figures, style
from tests.helpers.example import run_data


def test_unknown_classes_are_grey() -> None:
    with style.context():
        figure = run_figures.embedding([[0, 0], [1, 1]], [0, -1], ["#ff0000"])
    shades = figure.axes[0].collections[0].get_facecolors()
    assert shades[0][:3].tolist() == [1, 0, 0]
    assert shades[1][0] != 1


def test_the_static_graph_shows_nodes_edges_and_highways() -> None:
    found = run_data()
    visible = graph_json.visible_graph(found)
    with style.context():
        edges, highways, nodes, rings = run_figures.static_graph(found, visible).axes[0].collections
    assert len(edges.get_segments()) == visible.edges.size(1)
    assert len(highways.get_segments()) == found.result.highways.size(1)
    assert len(nodes.get_offsets()) == 180
    assert len(rings.get_offsets()) == 30
