"""Small files that declare large sizes are refused before they take memory."""

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")

from highwaygraph.data.limits import ALWAYS_ALLOWED
from tests.helpers.hostile_sizes import hostile_sizes, peak


def test_declared_sizes_are_compared_with_what_is_there(tmp_path) -> None:
    found = {path.name: peak(path) for path in hostile_sizes(tmp_path)}
    assert {name for name, (outcome, _) in found.items() if outcome != "refused"} == set()
    assert max(mib for _, mib in found.values()) < 3 * ALWAYS_ALLOWED / 2**20
    assert len(found) >= 20
