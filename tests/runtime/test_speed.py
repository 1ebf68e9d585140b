"""The speed of this machine."""

import torch

from highwaygraph.runtime import speed


def test_the_speed_is_the_reference_over_the_least_time(monkeypatch) -> None:
    clock = iter([0.0, 0.02, 1.0, 1.01, 2.0, 2.5])
    monkeypatch.setattr(speed, "thread_time", lambda: next(clock))
    monkeypatch.setattr(speed, "REPETITIONS", 3)
    assert abs(speed.relative_speed() - speed.REFERENCE / 0.01) < 1e-9


def test_a_coarse_clock_gives_a_finite_speed(monkeypatch) -> None:
    monkeypatch.setattr(speed, "thread_time", lambda: 5.0)
    assert speed.relative_speed() == speed.REFERENCE / speed.SMALLEST


def test_threads_and_random_numbers_do_not_change() -> None:
    threads, state = torch.get_num_threads(), torch.get_rng_state()
    assert speed.relative_speed() > 0
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.get_rng_state(), state)
