"""A result as the files of a run folder."""

import torch

from highwaygraph.runs.serialise import to_contents
from tests.helpers.trained import named_run


def test_facts_of_the_run_win_over_given_ones() -> None:
    result = named_run()
    meta = to_contents(result, {"seed": 99, "command": "highway train toy"}).meta
    assert (meta["seed"], meta["command"]) == (result.config.seed, "highway train toy")
    assert (meta["best_round"], meta["stopped"]) == (result.best_round, result.stopped)


def test_tensors_and_rounds_are_those_of_the_result() -> None:
    result = named_run()
    contents = to_contents(result, {})
    assert torch.equal(contents.graph["logits"], result.logits)
    assert torch.equal(contents.graph["highway_edges"], result.highways)
    assert len(contents.rounds) == len(result.rounds)
    assert len(contents.history) == len(result.history)
    assert contents.typical is None


def test_a_baseline_is_stored_beside_it() -> None:
    result = named_run()
    contents = to_contents(result.with_baseline(result), {})
    assert contents.typical is not None
    assert torch.equal(contents.graph["typical_logits"], result.logits)
