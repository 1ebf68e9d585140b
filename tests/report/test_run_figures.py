import numpy as np
import pytest

from highwaygraph.report import graph_json, run_figures, style
from tests.helpers.example import run_data


@pytest.mark.parametrize("name", ["hops", "rounds", "curves", "confusion", "reliability"])
@pytest.mark.parametrize("baseline", [True, False])
def test_every_figure_works_with_and_without_a_baseline(name: str, baseline: bool) -> None:
    with style.context():
        text = style.inline(getattr(run_figures, name)(run_data(baseline=baseline)), name, name)
    assert "<svg" in text
    assert ("typical training" in text) == (baseline and name in ("hops", "curves", "reliability"))


def test_the_figure_of_hops_shows_the_numbers() -> None:
    found = run_data()
    with style.context():
        axis = run_figures.hops(found).axes[0]
    lines = [
        np.asarray(line.get_ydata(), dtype=float)
        for line in axis.get_lines()
        if len(line.get_ydata()) == len(found.ours.hops)
    ]
    for side in found.sides:
        expected = [100 * row.accuracy for row in side.hops]
        assert any(np.allclose(line, expected, equal_nan=True) for line in lines)


def test_the_selected_round_is_marked() -> None:
    found = run_data()
    with style.context():
        above, below = run_figures.rounds(found).axes
    assert any(text.get_text() == "selected" for text in above.texts)
    assert [bar.get_height() for bar in below.patches] == [r.edges_added for r in found.result.rounds]


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
