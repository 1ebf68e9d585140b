"""Options of the built-in networks."""

import pytest

from highwaygraph.errors import ConfigError
from highwaygraph.network_options import Network


def test_the_rate_of_hidden_layers_follows_the_first_unless_given() -> None:
    assert Network(dropout=0.3).inner_dropout == 0.3
    assert Network(dropout=0.3, hidden_dropout=0.0).inner_dropout == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hidden_dropout": 1.0}, "hidden_dropout must lie between 0 and 1"),
        ({"model": "gat", "hidden": 12, "heads": 8}, "12 is no multiple of 8"),
        ({"model": "gcn2", "theta": 0.0}, "theta"),
        ({"model": "appnp", "alpha": 1.5}, "alpha"),
    ],
)
def test_options_that_make_no_network_are_refused(options, message) -> None:
    with pytest.raises(ConfigError, match=message):
        Network(**options)
