import pytest

from highwaygraph.config import PRESETS, Config, Fit, Highway, Network, Pairs, dotted, override, preset
from highwaygraph.errors import ConfigError


def test_presets_are_the_rows_of_table_1() -> None:
    assert list(PRESETS) == ["typical", "without-explicit", "without-joint", "full", "consistent", "plus"]
    full = dotted(PRESETS["full"]).items()
    assert {name: dict(dotted(PRESETS[name]).items() - full) for name in list(PRESETS)[:4]} == {
        "typical": {"pairs.weight": 0.0, "highway.rounds": 1},
        "without-explicit": {"highway.rounds": 1},
        "without-joint": {"highway.joint": False},
        "full": {},
    }


def test_consistent_is_plus_without_its_highways() -> None:
    plus, consistent = (dotted(PRESETS[name]).items() for name in ("plus", "consistent"))
    assert dict(plus - consistent) == {"highway.rounds": 3}
    assert PRESETS["consistent"].highway.start > PRESETS["consistent"].highway.rounds


def test_override_replaces_dotted_names_and_leaves_the_rest() -> None:
    changed = override(PRESETS["full"], {"fit.lr": 1e-3, "seed": 4})
    assert changed == Config(fit=Fit(lr=1e-3), seed=4)
    assert PRESETS["full"].fit.lr != 1e-3


def test_dotted_and_override_are_inverse() -> None:
    config = Config(pairs=Pairs(strategy="remote", limit=9), highway=Highway(node_threshold="auto"))
    assert override(Config(), dotted(config)) == config


def test_only_set_tells_what_was_given() -> None:
    assert dotted(Config(fit=Fit(lr=0.01), seed=0), only_set=True) == {"fit.lr": 0.01, "seed": 0}


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: override(Config(), {"fit.lrr": 1}), "no option 'fit.lrr'. Did you mean 'fit.lr'?"),
        (lambda: override(Config(), {"fit": 1}), "no option 'fit'"),
        (lambda: override(Config(), {"seed.lr": 1}), "no option 'seed.lr'"),
        (lambda: override(Config(), {"fit.lr": -1}), "lr should be greater than 0, not -1"),
        (lambda: Fit(lr=float("nan")), "lr should be"),
        (lambda: Pairs(strateg="all"), "no option 'strateg'. Did you mean 'strategy'?"),
        (lambda: Pairs(strategy="remot"), "no strategy 'remot'. Did you mean 'remote'?"),
        (lambda: Pairs(limit=5), "a limit needs a strategy that samples"),
        (lambda: Pairs(positive_weight=0), "positive_weight must be above 0"),
        (lambda: Highway(node_threshold=1.5), "node_threshold must lie between 0 and 1"),
        (lambda: Network(model="gcm"), "no model 'gcm'. Did you mean 'gcn'?"),
        (lambda: Network(model="gat", hidden=30), "30 is no multiple of 8"),
        (lambda: preset("ful"), "no preset 'ful'. Did you mean 'full'?"),
    ],
)
def test_mistakes_get_one_sentence(make, says) -> None:
    with pytest.raises(ConfigError) as caught:
        make()
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_values_are_frozen_and_survive_json() -> None:
    config = Config(highway=Highway(node_threshold="auto"))
    with pytest.raises(Exception, match="frozen"):
        config.seed = 3  # type: ignore[misc]
    assert Config.model_validate_json(config.model_dump_json()) == config
