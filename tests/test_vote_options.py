"""Options of votes."""

import pytest

from highwaygraph.errors import ConfigError
from highwaygraph.vote_options import Votes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"targets": 0.5}, "need views"),
        ({"highways": True}, "need views"),
        ({"views": ("features",), "weight": -1.0}, "at least 0 or be 'auto'"),
        ({"views": ("words",)}, "views"),
    ],
)
def test_incoherent_options_are_refused(options, message) -> None:
    with pytest.raises(ConfigError, match=message):
        Votes(**options)
