import pytest

from highwaygraph.config import (
    Config,
    Consistency,
    Fit,
    Highway,
    LabelFile,
    Mix,
    Network,
    Pairs,
    Select,
    SplitChoice,
    Tables,
    Votes,
)
from highwaygraph.errors import ConfigError
from highwaygraph.options import override
from highwaygraph.presets import preset


@pytest.mark.parametrize(
    ("make", "message"),
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
        (lambda: Highway(control="pseudo-labels", targets="partners"), "control=pseudo-labels needs targets=anchors"),
        (lambda: Highway(control="pseudo-labels", predict="original"), "control=pseudo-labels needs predict=highways"),
        (lambda: Network(model="gcm"), "no model 'gcm'. Did you mean 'gcn'?"),
        (lambda: Network(model="gat", hidden=30), "30 is no multiple of 8"),
        (lambda: preset("ful"), "no preset 'ful'. Did you mean 'full'?"),
    ],
)
def test_errors_are_one_sentence(make, message) -> None:
    with pytest.raises(ConfigError) as caught:
        make()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "section", [Config, Consistency, Fit, Highway, LabelFile, Mix, Network, Pairs, Select, SplitChoice, Tables, Votes]
)
def test_every_option_has_a_short_description(section) -> None:
    for name, field in section.model_fields.items():
        assert field.description, name
        assert len(field.description) <= 110, name
