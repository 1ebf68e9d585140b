"""Named configs: the four rows of the paper's Table 1, and the presets of this project."""

from highwaygraph.config import Config, Consistency, Fit, Highway, Pairs
from highwaygraph.errors import ConfigError, did_you_mean
from highwaygraph.options import override

PRESETS: dict[str, Config] = {
    "typical": Config(pairs=Pairs(weight=0.0), highway=Highway(rounds=1)),
    "without-explicit": Config(highway=Highway(rounds=1)),
    "without-joint": Config(highway=Highway(joint=False)),
    "full": Config(),
}
"""Configs by name.

`typical`, `without-explicit`, `without-joint` and `full` are the rows of the paper's Table 1. `consistent` and `plus`
are presets of this project: consistency regularisation alone, and together with pairs and highways (the default).

Example:
    >>> import highwaygraph as hg
    >>> hg.PRESETS["full"].highway.rounds
    5
"""


_CONSISTENT = Config(
    pairs=Pairs(weight=0.0),
    highway=Highway(
        rounds=2, patience=2, start=3, targets="partners", node_threshold="auto", precision=0.8, predict="original"
    ),
    consistency=Consistency(weight=1.0, num_views=2, drop_nodes=0.5, align_prior=True),
    fit=Fit(epochs=150, min_epochs=100, patience=50, monitor="loss", features="auto", batch_size="auto"),
)


PRESETS["consistent"] = _CONSISTENT


PRESETS["plus"] = override(
    _CONSISTENT,
    {
        "highway.rounds": 3,
        "pairs.weight": 0.3,
        "pairs.scale": "node",
        "select.typical": True,
        "select.baselines": True,
        "select.combine": True,
        "votes.views": ("features",),
    },
)


def typical_of(config: Config) -> Config:
    """Return typical training with the same optimisation and seed: no pairs, highways, consistency or votes."""
    plain = PRESETS["typical"]
    sections = ("pairs", "highway", "consistency", "votes", "select")
    return config.model_copy(update={name: getattr(plain, name) for name in sections})


def is_typical(config: Config) -> bool:
    """Return whether a config is typical training: without pairs, highways, consistency and votes.

    Example:
        >>> is_typical(PRESETS["typical"]), is_typical(PRESETS["plus"])
        (True, False)
    """
    is_alone = not config.pairs.weight and config.highway.rounds == 1 and not config.votes.views
    return is_alone and not config.consistency.weight


def preset(name: str) -> Config:
    """Return a preset by name.

    Args:
        name: A key of `PRESETS`; an unknown name raises ConfigError with a suggestion.

    Returns:
        The config.

    Example:
        >>> preset("full") == PRESETS["full"]
        True
    """
    if name not in PRESETS:
        raise ConfigError(f"There is no preset {name!r}.{did_you_mean(name, PRESETS)}")
    return PRESETS[name]
