"""Small functions of probabilities."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.nn.functional import sharpen


@given(st.integers(0, 1000), st.sampled_from([0.2, 0.5, 1.0]))
def test_sharpening_is_a_power_that_sums_to_one(seed, temperature) -> None:
    probs = torch.rand(5, 4, generator=torch.Generator().manual_seed(seed)).add_(0.05)
    probs = probs / probs.sum(dim=1, keepdim=True)
    power = probs ** (1 / temperature)
    assert torch.allclose(sharpen(probs, temperature), power / power.sum(dim=1, keepdim=True), atol=1e-5)
