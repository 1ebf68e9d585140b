"""Votes in the answer, in the consistency targets and in the choice of highways."""

import pytest
import torch

import highwaygraph as hg
from highwaygraph.runs.history import COMBINATION, ROUND
from tests.helpers.graphs import block_graph

SHORT = hg.override(
    hg.PRESETS["consistent"], {"fit.epochs": 20, "fit.min_epochs": 0, "fit.lr": 0.05, "consistency.ramp": 5}
)


def run(**options) -> hg.Result:
    data = block_graph()
    config = hg.override(SHORT, {name.replace("__", "."): value for name, value in options.items()})
    return hg.train(hg.models.build("gcn", data, hidden=8), data, config, progress=False)


def test_a_fixed_weight_multiplies_the_probabilities() -> None:
    result = run(votes__views=("features",), votes__weight=0.5)
    alone = run()
    names = [one.name for one in result.candidates]
    assert names == ["feature votes", ROUND, COMBINATION]
    assert [one.weight for one in result.candidates] == [0.5, 1.0, 0.0]
    assert result.answer == COMBINATION
    voted = 2 * (result.logits - alone.logits)
    assert float((voted.argmax(1) == result.data.y)[result.data.test_mask].float().mean()) > 0.4


def test_weight_zero_leaves_the_votes_out() -> None:
    assert torch.equal(run(votes__views=("features",), votes__weight=0.0).logits, run().logits)


@pytest.mark.parametrize("batch_size", [0, 16])
def test_votes_in_the_targets_change_later_rounds_only(batch_size) -> None:
    plain = run(fit__batch_size=batch_size)
    voted = run(votes__views=("features",), votes__targets=0.5, votes__weight=0.0, fit__batch_size=batch_size)
    first = [[e.loss for e in result.history if e.round == 1] for result in (plain, voted)]
    later = [[e.loss for e in result.history if e.round == 2] for result in (plain, voted)]
    assert first[0] == first[1]
    assert later[0] != later[1]


def test_highways_need_the_agreement_of_the_votes() -> None:
    options = {"highway__start": 2, "highway__rounds": 2, "votes__views": ("features",), "votes__weight": 0.0}
    free, agreed = run(**options), run(**options, votes__highways=True)
    assert 0 < agreed.rounds[0].edges_added < free.rounds[0].edges_added
    assert agreed.rounds[0].edge_precision >= free.rounds[0].edge_precision


def test_an_interrupted_training_with_votes_resumes_bit_identically(tmp_path) -> None:
    data = block_graph()
    config = hg.override(SHORT, {"votes.views": ("features",), "votes.targets": 0.5})
    model = hg.models.build("gcn", data, hidden=8)
    whole = hg.train(model, data, config, progress=False)

    def interrupt(epoch: hg.Epoch) -> None:
        if (epoch.round, epoch.epoch) == (2, 5):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hg.train(model, data, config, on_epoch=interrupt, checkpoint=tmp_path)
    again = hg.train(model, data, config, checkpoint=tmp_path, progress=False)
    assert torch.equal(again.logits, whole.logits)
