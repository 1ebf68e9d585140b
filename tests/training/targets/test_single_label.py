import math

import pytest
import torch

from highwaygraph.config import Pairs
from highwaygraph.presets import PRESETS
from highwaygraph.training.labelled_loss import labelled_loss
from highwaygraph.training.pairs import joint_loss, sample_pairs
from highwaygraph.training.targets.single_label import SINGLE_LABEL


def test_the_config_stays_as_it_is() -> None:
    assert SINGLE_LABEL.adapt(PRESETS["plus"]) is PRESETS["plus"]


def test_a_plain_step_has_the_closed_form_unless_weights_or_a_scale_are_given() -> None:
    draw = torch.Generator().manual_seed(0)
    logits, labels = torch.randn(6, 3, generator=draw), torch.tensor([0, 1, 2, 0, 1, 2])
    pairs = SINGLE_LABEL.pair_targets(labels, sample_pairs(6, "all", 0, draw), "balanced")
    plain = SINGLE_LABEL.plain_loss(logits, labels, None, pairs, Pairs())
    assert torch.equal(plain.gradient, joint_loss(logits, labels, pairs, 1.0).gradient)
    scaled = SINGLE_LABEL.plain_loss(logits, labels, None, pairs, Pairs(scale="node"))
    assert torch.equal(scaled.gradient, labelled_loss(logits, labels, None, pairs, Pairs(scale="node")).gradient)


@pytest.mark.parametrize("monitor", ["loss", "accuracy", "f1", "balanced_accuracy"])
def test_the_score_of_a_round_is_the_monitored_score_of_an_epoch(monitor) -> None:
    logits, labels = torch.randn(30, 3, generator=torch.Generator().manual_seed(1)), torch.arange(30) % 3
    loss, *scores = SINGLE_LABEL.validation_scores(logits, labels, None, monitor)
    expected = dict(zip(("loss", "accuracy", "f1", "balanced_accuracy"), (-loss, *scores), strict=True))[monitor]
    assert SINGLE_LABEL.round_score(logits, labels, None, monitor) == pytest.approx(expected)
    assert not math.isnan(expected)
