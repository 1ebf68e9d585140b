"""Temperature scaling."""

import pytest
import torch

from highwaygraph.nn.calibration import calibrated_log_likelihood, fit_temperature


def test_the_scale_of_the_logits_changes_nothing() -> None:
    generator = torch.Generator().manual_seed(0)
    logits, labels = torch.randn(200, 4, generator=generator), torch.randint(4, (200,), generator=generator)
    logits[torch.arange(200), labels] += 1
    expected = calibrated_log_likelihood(logits, labels).mean()
    for scale in (0.5, 2.0, 4.0):
        assert abs(calibrated_log_likelihood(scale * logits, labels).mean() - expected) < 5e-3


def test_uninformative_logits_are_no_better_than_chance() -> None:
    logits = torch.randn(400, 4, generator=torch.Generator().manual_seed(1))
    found = calibrated_log_likelihood(logits, torch.arange(400) % 4).mean()
    assert abs(found - torch.tensor(0.25).log()) < 0.02


def test_a_few_correct_nodes_are_no_certainty_with_smoothing() -> None:
    logits, labels = 3 * torch.eye(3).repeat(4, 1), torch.arange(3).repeat(4)
    certain, smoothed = ((logits / fit_temperature(logits, labels, each)).softmax(dim=1).max() for each in (0.0, 1.0))
    assert certain > 0.999
    # Twelve of twelve: about 12.5 of 13.
    assert 0.9 < smoothed < 0.98


@pytest.mark.parametrize("factor", [0.05, 1.0, 30.0])
def test_smoothed_probabilities_do_not_depend_on_the_scale_of_the_logits(factor) -> None:
    torch.manual_seed(0)
    labels = torch.arange(200) % 3
    logits = torch.randn(200, 3) + 2 * torch.nn.functional.one_hot(labels)
    probs = (factor * logits / fit_temperature(factor * logits, labels, 1.0)).softmax(dim=1)
    assert float(probs.max(dim=1).values.mean()) == pytest.approx(0.8, abs=0.06)
