"""Explanations of runs of every kind: answers, highways at prediction, mini-batches, graphs on disk."""

import json
from dataclasses import replace

import pytest
import torch

import highwaygraph as hg
from highwaygraph.explanation.explainer import Explainer
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.history import TYPICAL, VOTES
from highwaygraph.runs.result import Result
from tests.explanation.test_answer_parts import combination, network_logits
from tests.helpers.explained import QUICK, combined_run, explained_run, long_graph
from tests.helpers.trained import named_run


def first(result: Result, node: int):
    found = Explainer(result, [node]).explain(0)
    assert json.loads(json.dumps(found.as_dict()))["node"] == node
    assert abs(sum(part.margin for part in found.parts) - found.margin) < 1e-3
    return found


def test_a_round_is_explained_by_its_network() -> None:
    found = first(explained_run("gcn"), 5)
    assert found.exact
    assert found.network_margin == pytest.approx(found.margin, abs=1e-3)
    assert found.voters == found.highways == ()
    assert found.notes == ()


def test_a_combination_has_parts_and_voters() -> None:
    result = replace(combination(), baseline=None)
    found = Explainer(result, [5, 200]).explain(1)
    assert {part.name for part in found.parts} == {"HighwayGraph", "feature votes", "smoothed features"}
    assert len(found.voters) == 5
    assert found.typical is None


def test_plus_predicts_on_the_original_graph() -> None:
    found = first(combined_run(), 5)
    assert not found.highways_at_prediction
    assert found.typical is not None


def test_full_predicts_on_the_graph_with_highways() -> None:
    result = named_run()
    node = int(result.highways[1, 0])
    found = first(result, node)
    assert found.highways_at_prediction
    assert found.exact
    assert found.num_highways >= 1
    assert found.network_margin == pytest.approx(found.margin, abs=1e-3)


@pytest.mark.parametrize("answer", ["features alone", "label propagation", VOTES["features"]])
def test_an_answer_without_the_network_has_a_note(answer: str) -> None:
    found = first(replace(combined_run(), answer=answer), 5)
    assert found.network_margin is None
    assert found.messages == ()
    assert len(found.notes) == 1
    assert bool(found.voters) == (answer in VOTES.values())


def test_a_combination_without_the_network_has_a_note() -> None:
    result = combination()
    without = replace(result, candidates=result.candidates[1:], logits=result.logits - 0.5 * network_logits())
    found = first(without, 5)
    assert found.notes == ("The weight of the network in the combination is 0: it has no part in the answer.",)
    assert found.voters


def test_pseudo_labels_are_labels_of_the_training() -> None:
    data = long_graph()
    options = {"highway.control": "pseudo-labels", "highway.keep": "last", "highway.rounds": 2}
    options |= {"highway.node_threshold": 0.34, "highway.pair_threshold": 0.0}
    config = override(PRESETS["full"], QUICK | options)
    result = hg.train(hg.models.build("gcn", data, hidden=8), data, config, seed=0, progress=False)
    assert result.highways.size(1) > 0
    found = first(result, int(result.highways[1, 0]))
    assert not found.highways_at_prediction
    assert len(found.labels) == 8


def test_typical_training_may_be_the_answer() -> None:
    found = first(replace(explained_run("gcn"), answer=TYPICAL), 5)
    assert found.messages
    assert found.parts[0].name == TYPICAL


def test_a_threshold_is_a_part_of_its_own() -> None:
    data = long_graph()
    data.y = (data.y > 0).long()
    config = override(PRESETS["typical"], QUICK | {"fit.threshold": "f1"})
    two = hg.train(hg.models.build("gcn", data, hidden=8), data, config, seed=0, progress=False)
    shifted = replace(two, threshold_shift=two.threshold_shift + 0.5, logits=two.logits + torch.tensor([0.0, 0.5]))
    assert first(shifted, 5).parts[-1].name == "threshold"


def test_a_graph_on_disk_gives_the_effects_of_the_same_graph_in_memory(tmp_path) -> None:
    data = long_graph()
    folder = tmp_path / "mapped"
    hg.convert(data, folder)
    mapped = hg.load(folder)
    for name in ("train_mask", "val_mask", "test_mask"):
        mapped[name] = data[name]
    config = override(PRESETS["typical"], QUICK | {"fit.batch_size": 30, "fit.epochs": 4})
    results = [hg.train(hg.models.build("gcn", d, hidden=8), d, config, seed=0, progress=False) for d in (mapped, data)]
    on_disk, in_memory = (first(result, 5) for result in results)
    assert on_disk.exact
    effects = [{one.id: one.effect for one in found.messages} for found in (on_disk, in_memory)]
    assert effects[0] == pytest.approx(effects[1], abs=1e-3)
    assert [one.id for one in on_disk.labels[:3]] == [one.id for one in in_memory.labels[:3]]
