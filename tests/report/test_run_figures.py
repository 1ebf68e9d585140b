import numpy as np
import pytest

from highwaygraph.report import run_figures, style
from tests.helpers.example import facts


@pytest.mark.parametrize("name", ["hops", "rounds", "curves", "confusion", "reliability"])
@pytest.mark.parametrize("beside", [True, False])
def test_every_chart_can_be_drawn_with_and_without_a_comparison(name: str, beside: bool) -> None:
    with style.look():
        text = style.inline(getattr(run_figures, name)(facts(beside=beside)), name, name)
    assert "<svg" in text
    assert ("typical training" in text) == (beside and name in ("hops", "curves", "reliability"))


def test_the_chart_of_hops_shows_the_numbers() -> None:
    found = facts()
    with style.look():
        axis = run_figures.hops(found).axes[0]
    drawn = [
        np.asarray(line.get_ydata(), dtype=float)
        for line in axis.get_lines()
        if len(line.get_ydata()) == len(found.ours.hops)
    ]
    for side in found.sides:
        expected = [100 * row.accuracy for row in side.hops]
        assert any(np.allclose(line, expected, equal_nan=True) for line in drawn)


def test_the_rounds_mark_the_answer() -> None:
    found = facts()
    with style.look():
        above, below = run_figures.rounds(found).axes
    assert any(text.get_text() == "the answer" for text in above.texts)
    assert [bar.get_height() for bar in below.patches] == [r.edges_added for r in found.result.rounds]


def test_unknown_classes_are_grey() -> None:
    with style.look():
        figure = run_figures.embedding([[0, 0], [1, 1]], [0, -1], ["#ff0000"])
    shades = figure.axes[0].collections[0].get_facecolors()
    assert shades[0][:3].tolist() == [1, 0, 0]
    assert shades[1][0] != 1
