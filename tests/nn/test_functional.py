"""Small functions of probabilities."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.nn.functional import sharpen, shift_logits


@given(st.integers(0, 1000), st.sampled_from([0.2, 0.5, 1.0]))
def test_sharpening_is_a_power_that_sums_to_one(seed, temperature) -> None:
    probs = torch.rand(5, 4, generator=torch.Generator().manual_seed(seed)).add_(0.05)
    probs = probs / probs.sum(dim=1, keepdim=True)
    power = probs ** (1 / temperature)
    assert torch.allclose(sharpen(probs, temperature), power / power.sum(dim=1, keepdim=True), atol=1e-5)


def test_a_shift_moves_the_threshold_and_zero_changes_nothing() -> None:
    logits = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    assert shift_logits(logits, 0.0) is logits
    assert shift_logits(logits, 1.5).argmax(dim=1).tolist() == [1, 1]
    # The second class is predicted from a probability of 1 / (1 + exp(1.5)) on.
    assert shift_logits(torch.tensor([[1.5, 0.0]]), 1.5).softmax(dim=1).tolist() == [[0.5, 0.5]]
    assert shift_logits(logits.double(), 1.5).dtype == torch.double
