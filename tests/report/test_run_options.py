from dataclasses import replace

import pytest

from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.report.run_options import closest_preset, differing_options
from highwaygraph.runs.open import MissingModule
from tests.helpers.example import run


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_closest_to_itself(name) -> None:
    assert closest_preset(PRESETS[name]) == (name, 0)
    assert closest_preset(override(PRESETS[name], {"seed": 7, "fit.device": "cpu"})) == (name, 0)
    assert closest_preset(override(PRESETS[name], {"fit.lr": 0.5, "fit.weight_decay": 0.1})) == (name, 2)


def test_of_equally_close_presets_the_one_that_leaves_out_less_is_named() -> None:
    # With other rounds than both, `full` and `without-explicit` differ in as many options.
    assert closest_preset(override(PRESETS["full"], {"highway.rounds": 4})) == ("full", 1)


def test_the_size_that_a_run_chose_is_no_change_of_an_open_preset() -> None:
    sized = {"fit.batch_size": 512, "fit.max_batches": 8}
    assert closest_preset(override(PRESETS["plus"], sized)) == ("plus", 0)
    assert closest_preset(override(PRESETS["full"], {"fit.batch_size": 512})) == ("full", 1)


def test_only_options_that_differ_are_listed_in_order() -> None:
    first = run()
    other = replace(first, config=override(first.config, {"fit.lr": 0.5, "pairs.weight": 0.25}))
    assert differing_options([first, first]) == {}
    found = differing_options([first, other, first])
    assert found == {"pairs.weight": (1.0, 0.25, 1.0), "fit.lr": (first.config.fit.lr, 0.5, first.config.fit.lr)}
    assert list(found) == ["pairs.weight", "fit.lr"]


def test_a_module_of_the_user_has_a_name_and_no_options_of_networks() -> None:
    own = replace(run(), model=MissingModule("Mine"))
    found = differing_options([run(), own])
    assert found["model"] == ("gcn", "Mine")
    assert found["hidden"] == (run().model.network.hidden, None)
    assert not any("." in name for name in found if name.startswith(("fit", "pairs")))
