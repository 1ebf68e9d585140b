import xml.etree.ElementTree as ET

import matplotlib as mpl

from highwaygraph.report import style


def picture():
    with style.look():
        figure = style.new()
        axis = figure.subplots()
        axis.plot([0, 1], [1, 0], color=style.BLUE, marker="o")
        axis.set_xlabel("words & <signs>")
        return figure


def test_the_element_has_the_pages_colours_and_no_names_that_clash() -> None:
    with style.look():
        one, two = (style.inline(picture(), name, 'a "line"') for name in ("one", "two"))
    root, other = (ET.fromstring(s.replace("<svg ", '<svg xmlns:xlink="x" ', 1)) for s in (one, two))
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'a "line"'
    assert "var(--ink)" in one
    assert "var(--blue)" in one
    assert "#0072b2" not in one
    assert "words &amp; &lt;signs&gt;" in one
    names = [{element.get("id") for element in tree.iter()} for tree in (root, other)]
    assert names[0] & names[1] <= {None}


def test_files_for_print_are_the_same_every_time(tmp_path) -> None:
    first, second = (tmp_path / name for name in "ab")
    for folder in (first, second):
        folder.mkdir()
        assert [path.suffix for path in style.save(picture(), "line", folder)] == [".svg", ".pdf", ".png"]
    for path in first.iterdir():
        assert path.read_bytes() == (second / path.name).read_bytes()


def test_the_users_own_settings_are_left_as_they_were() -> None:
    before = dict(mpl.rcParams)
    picture()
    assert dict(mpl.rcParams) == before
