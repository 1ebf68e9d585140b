import pytest

from highwaygraph.config import Config, Fit, Highway, Pairs
from highwaygraph.options import dotted, override
from highwaygraph.presets import PRESETS


def test_override_replaces_dotted_names() -> None:
    changed = override(PRESETS["full"], {"fit.lr": 1e-3, "seed": 4})
    assert changed == Config(fit=Fit(lr=1e-3), seed=4)
    assert PRESETS["full"].fit.lr != 1e-3


def test_dotted_and_override_are_inverse() -> None:
    config = Config(pairs=Pairs(strategy="remote", limit=9), highway=Highway(node_threshold="auto"))
    assert override(Config(), dotted(config)) == config


def test_only_set_returns_explicit_values() -> None:
    assert dotted(Config(fit=Fit(lr=0.01), seed=0), only_set=True) == {"fit.lr": 0.01, "seed": 0}


def test_configs_are_frozen_and_round_trip_through_json() -> None:
    config = Config(highway=Highway(node_threshold="auto"))
    with pytest.raises(Exception, match="frozen"):
        config.seed = 3  # type: ignore[misc]
    assert Config.model_validate_json(config.model_dump_json()) == config
