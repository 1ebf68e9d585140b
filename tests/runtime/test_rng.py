import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from highwaygraph.config import Network
from highwaygraph.errors import FailedError
from highwaygraph.nn.factory import NETWORKS, build_network
from highwaygraph.runtime import rng
from highwaygraph.runtime.rng import (
    current_generator,
    generator,
    own_generator,
    random_state,
    seeded,
    set_random_state,
)

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


def in_a_thread(function):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def test_an_own_generator_has_the_stream_of_the_global_one_and_leaves_that_alone() -> None:
    with seeded(5, CPU):
        expected = torch.rand(3)
    before = torch.get_rng_state()
    with own_generator(5):
        state = random_state(CPU)
        first = torch.rand(3, generator=current_generator())
        set_random_state(state, CPU)
        again = torch.rand(3, generator=current_generator())
        assert in_a_thread(current_generator) is None
        with seeded(1, CPU):
            assert current_generator() is None
    assert current_generator() is None
    assert torch.equal(first, expected)
    assert torch.equal(again, expected)
    assert torch.equal(torch.get_rng_state(), before)


def test_the_global_generators_serve_one_thread_at_a_time(monkeypatch) -> None:
    monkeypatch.setattr(rng, "MOST_WAIT", 0.01)

    def seed() -> None:
        with seeded(2, CPU):
            pass

    with seeded(1, CPU):
        expected = torch.get_rng_state()
        with pytest.raises(FailedError, match="Another thread of this process is training.*in processes"):
            in_a_thread(seed)
        # In the same thread, as in a callback, a second block is nested.
        seed()
        assert torch.equal(torch.get_rng_state(), expected)
    in_a_thread(seed)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_is_initialised_from_the_generator_of_its_training(name) -> None:
    network = Network(model=name, hidden=8)
    with seeded(5, CPU):
        expected = build_network(network, 3, 2).state_dict()
    before = torch.get_rng_state()
    with own_generator(5):
        found = build_network(network, 3, 2).state_dict()
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(found[key], expected[key]) for key in expected)
    with seeded(1, CPU):
        state = torch.get_rng_state()
        # Beside a training in another thread, it is initialised from a fresh generator.
        in_a_thread(lambda: build_network(network, 3, 2).reset_parameters())
        assert torch.equal(torch.get_rng_state(), state)
