import pytest

from highwaygraph.errors import ConfigError
from highwaygraph.runtime.environment import require_extra


def test_what_is_there_is_given_and_what_is_not_is_said() -> None:
    assert require_extra("json", "Writing", "x").dumps([1]) == "[1]"
    with pytest.raises(ConfigError, match=r"Drawing needs nothing_here: pip install 'highwaygraph\[report\]'"):
        require_extra("nothing_here.deep", "Drawing", "report")
