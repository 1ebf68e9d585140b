"""The named configurations."""

import pytest

from highwaygraph.config import Config
from highwaygraph.errors import ConfigError
from highwaygraph.options import dotted
from highwaygraph.presets import PRESETS, preset, typical_of


def test_the_papers_four_rows_differ_in_what_their_names_state() -> None:
    full = dotted(PRESETS["full"])
    changed = {name: set(dotted(PRESETS[name]).items()) - set(full.items()) for name in PRESETS}
    assert list(PRESETS) == ["typical", "without-explicit", "without-joint", "full", "consistent", "plus"]
    assert PRESETS["full"] == Config()
    assert changed["without-explicit"] == {("highway.rounds", 1)}
    assert changed["without-joint"] == {("highway.joint", False)}
    assert changed["typical"] == {("highway.rounds", 1), ("pairs.weight", 0.0)}


def test_plus_adds_pairs_highways_and_votes_to_consistent() -> None:
    changed = set(dotted(PRESETS["plus"]).items()) - set(dotted(PRESETS["consistent"]).items())
    candidates = {("select.typical", True), ("select.baselines", True), ("select.combine", True)}
    candidates |= {("votes.views", ("features",))}
    assert changed == {("highway.rounds", 3), ("pairs.weight", 0.3), ("pairs.scale", "node")} | candidates
    assert PRESETS["consistent"].highway.start > PRESETS["consistent"].highway.rounds


def test_the_baseline_has_the_same_optimisation_and_nothing_else() -> None:
    plain = typical_of(PRESETS["plus"])
    assert plain.fit == PRESETS["plus"].fit
    assert (plain.pairs, plain.highway, plain.consistency) == (
        PRESETS["typical"].pairs, PRESETS["typical"].highway, PRESETS["typical"].consistency,
    )  # fmt: skip


def test_an_unknown_preset_is_refused_with_a_suggestion() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'plus'"):
        preset("pluss")
