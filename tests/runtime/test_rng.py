import random

import numpy as np
import pytest
import torch

from highwaygraph.runtime.rng import generator, seeded

CPU = torch.device("cpu")


def draws() -> tuple[float, float, float]:
    return torch.rand(1).item(), float(np.random.rand()), random.random()


def test_inside_everything_follows_the_seed() -> None:
    seen = []
    for seed in (5, 5, 6):
        with seeded(seed, CPU):
            seen.append(draws())
    assert seen[0] == seen[1]
    assert all(a != b for a, b in zip(seen[0], seen[2], strict=True))


def test_outside_nothing_is_seen_of_it_even_after_an_error() -> None:
    states = torch.get_rng_state(), np.random.get_state()[1].tolist(), random.getstate()
    with pytest.raises(KeyError), seeded(1, CPU):
        draws()
        raise KeyError
    assert torch.equal(torch.get_rng_state(), states[0])
    assert np.random.get_state()[1].tolist() == states[1]
    assert random.getstate() == states[2]


def test_each_purpose_has_its_own_stream() -> None:
    first, again = (torch.rand(3, generator=generator(0, "anchors")) for _ in range(2))
    other = torch.rand(3, generator=generator(0, "pairs 1"))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert not torch.equal(first, torch.rand(3, generator=generator(1, "anchors")))
    generator(2**63 - 1, "a seed as large as they come")
