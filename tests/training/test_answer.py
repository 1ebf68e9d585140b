"""The answer of a run among its candidates."""

import json

import pytest
import torch

import highwaygraph as hg
from highwaygraph.nn.baselines.fit import BASELINES, LINEAR_OR_TREES
from highwaygraph.runs.history import COMBINATION, ROUND, TYPICAL, VOTES
from tests.helpers.graphs import block_graph

SHORT = hg.override(hg.PRESETS["plus"], {"fit.epochs": 20, "fit.min_epochs": 0, "fit.lr": 0.05, "consistency.ramp": 5})
# Rounds that learn nothing.
USELESS = hg.override(SHORT, {"fit.lr": 1e-6})


def _train(config: hg.Config, **options):
    data = block_graph()
    return hg.train(hg.models.build("gcn", data, hidden=8), data, config, progress=False, **options)


def test_all_candidates_are_recorded_in_the_order_of_simplicity() -> None:
    result = _train(SHORT)
    assert [one.name for one in result.candidates] == [*BASELINES, TYPICAL, VOTES["features"], ROUND, COMBINATION]
    reference = result.candidates[-1]
    assert (reference.difference, reference.error) == (0, 0)
    assert all(0 <= one.val <= 1 for one in result.candidates)
    assert result.baseline is not None
    assert result.baseline.round.test == result.candidates[-4].test
    assert {one.name for one in result.candidates if one.weight} <= {ROUND, VOTES["features"], *LINEAR_OR_TREES}


def test_the_combination_has_the_highways_of_the_round() -> None:
    result = _train(SHORT)
    assert result.answer == COMBINATION
    assert (result.val, result.test) == (result.candidates[-1].val, result.candidates[-1].test)
    assert (result.highways.size(1) > 0) == (result.best_round >= result.config.highway.start)


def test_a_combination_without_weights_is_refused(tmp_path) -> None:
    folder = _train(SHORT).save(tmp_path / "run")
    meta = json.loads((folder / "meta.json").read_text())
    for one in meta["candidates"]:
        one["weight"] = 0.0
    (folder / "meta.json").write_text(json.dumps(meta))
    with pytest.raises(hg.HighwayError):
        hg.open_run(folder)


def test_without_a_combination_the_others_are_compared_with_the_round() -> None:
    result = _train(hg.override(SHORT, {"select.combine": False, "votes.views": ()}))
    assert [one.name for one in result.candidates] == [*BASELINES, TYPICAL, ROUND]
    assert (result.candidates[-1].difference, result.candidates[-1].error) == (0, 0)
    assert not any(one.weight for one in result.candidates)


def test_a_better_baseline_is_the_answer_and_predicts_other_graphs(tmp_path) -> None:
    result = _train(hg.override(USELESS, {"select.combine": False, "votes.views": ()}))
    assert result.answer in BASELINES
    chosen = next(one for one in result.candidates if one.name == result.answer)
    assert (result.val, result.test) == (chosen.val, chosen.test)
    assert result.highways.size(1) == 0
    again = hg.open_run(result.save(tmp_path / "run"))
    assert (again.answer, again.candidates) == (result.answer, result.candidates)
    assert torch.equal(again.predict(), result.predict())
    if result.answer != "label propagation":
        assert torch.equal(again.predict(block_graph()), result.predict())
        assert again.predict(block_graph(seed=3)).shape == (len(block_graph(seed=3).y),)


def test_a_much_better_baseline_starts_on_equal_terms_and_votes_are_left_out() -> None:
    result = _train(USELESS)
    weights = {one.name: one.weight for one in result.candidates}
    assert weights[VOTES["features"]] == 0
    assert max(weights, key=weights.__getitem__) in LINEAR_OR_TREES
    assert result.test > next(one.test for one in result.candidates if one.name == ROUND)


def test_typical_training_is_the_answer_where_only_it_competes_and_is_better() -> None:
    # A pair loss so strong that the nodes' own labels hardly count.
    harmed = hg.override(SHORT, {"pairs.weight": 1000.0, "select.baselines": False, "votes.views": ()})
    result = _train(harmed)
    assert [one.name for one in result.candidates] == [TYPICAL, ROUND]
    assert result.answer == TYPICAL
    assert torch.equal(result.logits, result.baseline.logits)
    assert torch.allclose(result.predict_logits(block_graph()), result.logits, atol=1e-5)


def test_without_competition_there_are_no_candidates() -> None:
    result = _train(hg.override(SHORT, {"select.typical": False, "select.baselines": False, "votes.views": ()}))
    assert (result.candidates, result.answer, result.baseline) == ((), ROUND, None)


def test_typical_training_competes_with_the_same_logits_as_alone() -> None:
    from highwaygraph.presets import typical_of

    assert torch.equal(_train(SHORT).baseline.logits, _train(typical_of(SHORT)).logits)


@pytest.mark.parametrize("stop_in_typical", [False, True])
def test_an_interrupted_run_resumes_to_the_same_answer(tmp_path, monkeypatch, stop_in_typical) -> None:
    from highwaygraph.training import fit

    whole = _train(SHORT)
    epochs, step, limit = iter(range(10_000)), fit.step, len(whole.history) + 5 if stop_in_typical else 25

    def interrupted(*arguments):
        if next(epochs) == limit:
            raise KeyboardInterrupt
        return step(*arguments)

    monkeypatch.setattr(fit, "step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _train(SHORT, checkpoint=tmp_path)
    monkeypatch.setattr(fit, "step", step)
    resumed = _train(SHORT, checkpoint=tmp_path)
    assert torch.equal(resumed.logits, whole.logits)
    assert resumed.candidates == whole.candidates
