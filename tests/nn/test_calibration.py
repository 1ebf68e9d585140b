"""Temperature scaling."""

import torch

from highwaygraph.nn.calibration import calibrated_log_likelihood


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
