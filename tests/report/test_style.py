import re
import xml.etree.ElementTree as ET

import matplotlib as mpl
import pytest

from highwaygraph.report import style


def figure():
    with style.context():
        made = style.new()
        axis = made.subplots()
        axis.plot([0, 1], [1, 0], color=style.BLUE, marker="o")
        axis.set_xlabel("words & <signs>")
        return made


def test_an_inline_figure_has_the_colours_of_the_page_and_unique_ids() -> None:
    with style.context():
        one, two = (style.inline(figure(), name, 'a "line"') for name in ("one", "two"))
    root, other = (ET.fromstring(s.replace("<svg ", '<svg xmlns:xlink="x" ', 1)) for s in (one, two))
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'a "line"'
    assert "var(--ink)" in one
    assert "var(--blue)" in one
    assert "#0072b2" not in one
    assert "words &amp; &lt;signs&gt;" in one
    names = [{element.get("id") for element in tree.iter()} for tree in (root, other)]
    assert names[0] & names[1] <= {None}


def test_files_for_print_are_reproducible(tmp_path) -> None:
    first, second = (tmp_path / name for name in "ab")
    for folder in (first, second):
        folder.mkdir()
        assert [path.suffix for path in style.save(figure(), "line", folder)] == [".svg", ".pdf", ".png"]
    for path in first.iterdir():
        assert path.read_bytes() == (second / path.name).read_bytes()


def test_the_users_matplotlib_settings_are_unchanged() -> None:
    before = dict(mpl.rcParams)
    figure()
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("count", [1, 7, 10, 70])
def test_every_class_has_a_distinct_colour(count: int) -> None:
    found = style.colours(count)
    assert len(set(found)) == count
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in found)
