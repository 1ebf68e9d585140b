import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.config import Config
from highwaygraph.errors import ConfigError, RunError
from highwaygraph.graph.graph import Graph
from highwaygraph.models import build
from highwaygraph.nn.functional import shift_logits
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.folder import CHECKSUMS
from highwaygraph.runs.open import open_run
from highwaygraph.runs.probabilities import prediction_table
from highwaygraph.runs.result import Result
from highwaygraph.training import threshold
from highwaygraph.training.class_metrics import balanced_accuracy
from highwaygraph.training.engine import train
from highwaygraph.training.metrics import accuracy, macro_f1
from highwaygraph.training.threshold import _frequency, threshold_shift, tuned_shift
from tests.helpers.graphs import block_graph
from tests.helpers.own_module import Own

SCORES = {"f1": macro_f1, "balanced_accuracy": balanced_accuracy}


def rare_class(seed: int = 0, noise: float = 1.0) -> Graph:
    """Return a graph of two classes, the second with 5 % of the nodes, and a split at random."""
    rng, nodes = torch.Generator().manual_seed(seed), 1200
    y = (torch.rand(nodes, generator=rng) < 0.05).long()
    x = torch.randn(nodes, 6, generator=rng) * noise
    x[:, 0] += 2 * y
    edges = torch.randint(nodes, (2, 1500), generator=rng)
    parts = torch.rand(nodes, generator=rng)
    masks = {"train_mask": parts < 0.3, "val_mask": (parts >= 0.3) & (parts < 0.6), "test_mask": parts >= 0.6}
    return Graph(x=x, edge_index=torch.cat([edges, edges.flip(0)], dim=1), y=y, num_nodes=nodes, **masks)


def config(score: str, preset: str = "typical", **more: object) -> Config:
    return override(PRESETS[preset], {"fit.epochs": 30, "fit.device": "cpu", "fit.threshold": score, **more})


def run(score: str, **more: object) -> Result:
    data = rare_class()
    return train(build("gcn", data, hidden=8), data, config(score, **more))


@st.composite
def validation(draw: st.DrawFn) -> tuple[torch.Tensor, torch.Tensor]:
    """Return margins, some of them equal, and labels of a few nodes."""
    pairs = draw(st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 1)), min_size=2, max_size=20))
    return torch.tensor([m / 2 for m, _ in pairs]), torch.tensor([y for _, y in pairs])


@pytest.mark.parametrize("score", SCORES)
@given(case=validation())
def test_no_other_threshold_is_better_without_a_tolerance(score, case) -> None:
    margin, labels = case
    logits, everything = torch.stack([torch.zeros_like(margin), margin], dim=1), torch.ones(len(labels)).bool()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threshold, "TOLERANCE", 0.0)
        shift = threshold_shift(logits, labels, everything, score)
    if len(labels.unique()) < 2:
        assert shift == 0
        return
    # The validation nodes are all nodes, hence no weights: the scores are those of the library's own metrics.
    at = {s: SCORES[score]((margin + s > 0).long(), labels, everything) for s in [k / 4 for k in range(-8, 9)]}
    inside = [s for s in at if len((margin + s > 0).unique()) == 2 or s == 0]
    best = max(at[s] for s in inside)
    assert SCORES[score]((margin + shift > 0).long(), labels, everything) == pytest.approx(best)
    assert (shift == 0) is (at[0.0] == pytest.approx(best))


def test_a_difference_within_noise_leaves_the_threshold_where_it_is(monkeypatch) -> None:
    # 14 of 20 nodes of each class are on the right side; a shift of 1.25 would correct one more.
    margin = torch.tensor([2.0] * 14 + [-2.0] * 5 + [-0.5] + [-2.0] * 14 + [2.0] * 6)
    labels, everything = torch.tensor([1] * 20 + [0] * 20), torch.ones(40, dtype=torch.bool)
    logits = torch.stack([torch.zeros(40), margin], dim=1)
    assert threshold_shift(logits, labels, everything, "balanced_accuracy") == 0
    monkeypatch.setattr(threshold, "TOLERANCE", 0.0)
    assert threshold_shift(logits, labels, everything, "balanced_accuracy") == 1.25


@pytest.mark.parametrize("drawn", ["at random", "per class"])
def test_the_threshold_for_f1_holds_at_the_frequencies_of_all_nodes(drawn) -> None:
    rng, gains = torch.Generator().manual_seed(0), []
    for _ in range(20):
        labels = (torch.rand(4000, generator=rng) < 0.05).long()
        # The logits of a model that was trained on as many nodes of both classes.
        margin = 3 * (torch.randn(4000, generator=rng) + 3.0 * (labels - 0.5))
        logits, order = torch.stack([torch.zeros(4000), margin], dim=1), torch.randperm(4000, generator=rng)
        nodes = order[:300] if drawn == "at random" else torch.cat([order[labels[order] == c][:30] for c in (0, 1)])
        val = torch.zeros(4000, dtype=torch.bool)
        val[nodes] = True
        shift = threshold_shift(logits, labels, val, "f1")
        gains.append(macro_f1((margin + shift > 0).long(), labels, ~val) - macro_f1((margin > 0).long(), labels, ~val))
    assert sum(gains) / 20 > 0.05


@pytest.mark.parametrize("frequency", [0.05, 0.3, 0.7])
def test_class_frequencies_are_estimated_from_validation_nodes_drawn_per_class(frequency) -> None:
    rng, found = torch.Generator().manual_seed(0), []
    for _ in range(20):
        labels = (torch.rand(4000, generator=rng) < frequency).long()
        probs = (2 * (torch.randn(4000, generator=rng) + 2 * (labels - 0.5)) - 1).sigmoid().double()
        nodes = torch.cat([(labels == c).nonzero().flatten()[:50] for c in (0, 1)])
        found.append(_frequency(probs, probs[nodes], labels[nodes]))
    assert sum(found) / 20 == pytest.approx(frequency, abs=0.04)
    assert _frequency(1 - probs, 1 - probs[nodes], labels[nodes]) == 0.5


@pytest.mark.parametrize("score", SCORES)
def test_the_run_is_better_by_its_score_and_all_predictions_agree(score, tmp_path) -> None:
    plain, tuned = run("argmax"), run(score)
    data = tuned.data
    assert plain.threshold_shift == 0
    assert tuned.threshold_shift != 0
    assert torch.equal(tuned.logits, shift_logits(plain.logits, tuned.threshold_shift))
    before, after = (SCORES[score](r.predict(), data.y, data.val_mask) for r in (plain, tuned))
    assert after > before
    assert SCORES[score](tuned.predict(), data.y, data.test_mask) > SCORES[score](
        plain.predict(), data.y, data.test_mask
    )
    # The records, the probabilities and the stored run follow the same threshold.
    assert tuned.test == accuracy(tuned.predict(), data.y, data.test_mask)
    assert tuned.val == accuracy(tuned.predict(), data.y, data.val_mask)
    assert torch.equal(tuned.predict_proba().argmax(dim=1), tuned.predict())
    again = open_run(tuned.save(tmp_path / "run"))
    other = rare_class(seed=1)
    assert again.threshold_shift == tuned.threshold_shift
    assert prediction_table(again)["class"] == [str(c) for c in tuned.predict().tolist()]
    for one in (tuned, again):
        torch.testing.assert_close(one.predict_logits(data), tuned.logits)
        shifted = shift_logits(plain.predict_logits(other), tuned.threshold_shift)
        torch.testing.assert_close(one.predict_logits(other), shifted)


def test_every_round_is_recorded_with_its_own_threshold(tmp_path) -> None:
    data, options = rare_class(), {"highway.patience": 3, "highway.rounds": 3, "highway.node_threshold": 0.1}
    whole = train(build("gcn", data, hidden=8), data, config("f1", "full", **options))
    assert len(whole.rounds) > 1
    assert whole.best.test == accuracy(whole.predict(), data.y, data.test_mask)
    # An interrupted training has the same threshold: it is computed from the logits.
    resumed = train(build("gcn", data, hidden=8), data, config("f1", "full", **options), checkpoint=tmp_path)
    assert (resumed.threshold_shift, resumed.rounds) == (whole.threshold_shift, whole.rounds)


def test_more_than_two_classes_are_refused_before_any_training() -> None:
    seen = []
    with pytest.raises(ConfigError, match=r"fit\.threshold=f1 needs two classes, but there are 3: leave it out"):
        train(Own(), block_graph(), config("f1"), on_epoch=seen.append)
    assert not seen


def test_argmax_needs_no_validation_labels() -> None:
    data = rare_class()
    assert tuned_shift(torch.zeros(1200, 7), data, config("argmax")) == 0
    one_class = data.val_mask & (data.y == 0)
    assert threshold_shift(torch.randn(1200, 2), data.y, one_class, "f1") == 0


def test_a_stored_threshold_that_does_not_fit_is_damage(tmp_path) -> None:
    data = block_graph()
    path = train(build("gcn", data, hidden=8), data, config("argmax")).save(tmp_path / "run")
    (path / CHECKSUMS).unlink()
    meta = json.loads((path / "meta.json").read_text())
    for value, message in ((1.5, "a threshold of two classes for logits of 3"), ("x", "threshold_shift should be")):
        (path / "meta.json").write_text(json.dumps(meta | {"threshold_shift": value}))
        with pytest.raises(RunError, match=message):
            open_run(path)
