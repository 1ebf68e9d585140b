"""Predictions for other graphs, by the candidate that is the answer."""

from dataclasses import replace

import pytest
import torch

import highwaygraph as hg
from highwaygraph.errors import DataError, HighwayWarning
from highwaygraph.nn.baselines.fit import fit_baselines
from highwaygraph.runs import other_graphs
from highwaygraph.runs.history import COMBINATION, ROUND
from highwaygraph.runs.other_graphs import baseline_logits, keep_fitted
from tests.helpers.edge_graphs import edge_kind_graph
from tests.helpers.edge_models import Relational
from tests.helpers.graphs import block_graph

SHORT = hg.override(hg.PRESETS["plus"], {"fit.epochs": 20, "fit.min_epochs": 0, "fit.lr": 0.05, "consistency.ramp": 5})


@pytest.fixture(scope="module")
def result() -> hg.Result:
    data = block_graph()
    return hg.train(hg.models.build("gcn", data, hidden=8), data, SHORT, progress=False)


def test_the_combination_predicts_other_graphs_after_saving(result, tmp_path) -> None:
    assert result.answer == COMBINATION
    again = hg.open_run(result.save(tmp_path / "run"))
    assert again.candidates == result.candidates
    torch.testing.assert_close(again.predict_logits(block_graph()), result.logits, atol=1e-4, rtol=1e-4)
    assert again.predict(block_graph(seed=3)).shape == (len(block_graph(seed=3).y),)


def test_the_round_alone_predicts_with_its_model(result) -> None:
    alone = replace(result, answer=ROUND)
    found = alone.predict_logits(block_graph())
    factor = next(one.weight / one.temperature for one in result.candidates if one.name == ROUND)
    # The combination is the round's part plus those of the baselines.
    assert not torch.allclose(factor * found, result.logits, atol=1e-3)
    assert (found.argmax(dim=1) == result.predict()).float().mean() > 0.8


def test_kept_baselines_are_fitted_once_and_predict_the_same(result, monkeypatch) -> None:
    other, calls = block_graph(seed=3), []
    expected = result.predict_logits(other)
    kept = replace(result)
    keep_fitted(kept)

    def counted(*arguments: object, **options: object) -> object:
        calls.extend(options["only"])
        return fit_baselines(*arguments, **options)

    monkeypatch.setattr(other_graphs, "fit_baselines", counted)
    for _ in range(3):
        assert torch.equal(kept.predict_logits(other), expected)
    once = list(calls)
    assert once
    assert len(set(once)) == len(once)
    assert torch.equal(result.predict_logits(other), expected)
    assert calls == once + once


def test_label_propagation_predicts_the_graph_of_the_run(result) -> None:
    found = baseline_logits(result, result.data, ["label propagation"])["label propagation"]
    assert found.shape == result.logits.shape


def test_label_propagation_cannot_predict_another_graph(result) -> None:
    spread = replace(result, answer="label propagation")
    with pytest.warns(HighwayWarning, match="needs labels"):
        found = spread.predict_logits(block_graph(seed=3))
    assert torch.equal(found, replace(result, answer=ROUND).predict_logits(block_graph(seed=3)))


def test_another_number_of_features_is_refused(result) -> None:
    with pytest.raises(hg.HighwayError, match="trained on 12 features, but this graph has 5"):
        result.predict(block_graph(features=5))


def test_an_edge_type_that_the_training_has_not_is_refused() -> None:
    data = edge_kind_graph()
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 3, "fit.min_epochs": 0})
    result = hg.train(Relational(12, 3, 2), data, config, progress=False)
    other = data.clone()
    other.edge_type[:5] = 7
    with pytest.raises(DataError, match="5 of .* edges have a type beyond 0 to 1 of the training"):
        result.predict(other)
    with pytest.warns(HighwayWarning, match="takes no edge_attr or edge_type"):
        built_in = hg.train(hg.models.build("gcn", data, hidden=8), data, config, progress=False)
    assert built_in.predict(other).shape == (300,)
