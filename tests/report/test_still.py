from highwaygraph.report import graph_json, style
from highwaygraph.report.run_figures import still
from tests.helpers.example import facts


def test_nodes_edges_and_highways_are_all_there() -> None:
    found = facts()
    drawn = graph_json.draw(found)
    with style.look():
        edges, roads, nodes, rings = still(found, drawn).axes[0].collections
    assert len(edges.get_segments()) == drawn.edges.size(1)
    assert len(roads.get_segments()) == found.result.highways.size(1)
    assert len(nodes.get_offsets()) == 180
    assert len(rings.get_offsets()) == 30
