import re

import pytest

from highwaygraph.report.style import colours


@pytest.mark.parametrize("count", [1, 7, 10, 70])
def test_every_class_has_a_colour_of_its_own(count: int) -> None:
    found = colours(count)
    assert len(set(found)) == count
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in found)
