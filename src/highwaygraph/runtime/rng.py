"""Random numbers from one seed, without changing the caller's random state.

A training of a built-in network on the CPU draws from a generator of its own, so that trainings in several threads do
not affect each other. Any other module draws from the global generators, which belong to the process: one training at
a time seeds them, and restores their states at its end.
"""

import random
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast
from zlib import crc32

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from highwaygraph.errors import FailedError

# Held while this process's global generators are seeded for a training; building a network holds it for a moment.
_global_generators = threading.RLock()


# Seconds after which a training is refused because another thread uses the global generators.
MOST_WAIT = 1.0


# Functions that initialise weights with random numbers, and take a generator.
RANDOM = ("uniform_", "normal_", "kaiming_uniform_", "kaiming_normal_", "xavier_uniform_", "xavier_normal_", "randint")


class _Thread(threading.local):
    generator: torch.Generator | None = None


_thread = _Thread()


def current_generator() -> torch.Generator | None:
    """Return the generator of this thread's training; None, which torch takes for its global one, if it has none."""
    return _thread.generator


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Seed the global generators that layers use, and restore their states at the end of the block.

    Args:
        seed: The seed.
        device: A GPU's generator is seeded and restored too.

    Raises:
        FailedError: If another thread is in such a block.
    """
    if not _global_generators.acquire(timeout=MOST_WAIT):
        raise FailedError(
            "Another thread of this process is training, and modules draw from random generators that all threads "
            "share: train one after the other, or in processes (ProcessPoolExecutor, joblib)."
        )
    outer = random.getstate(), np.random.get_state(), _thread.generator
    gpus = [device] if device.type == "cuda" else []
    try:
        with torch.random.fork_rng(devices=gpus):
            torch.manual_seed(seed)
            np.random.seed(seed % 2**32)
            random.seed(seed)
            _thread.generator = None
            yield
    finally:
        random.setstate(outer[0])
        np.random.set_state(outer[1])
        _thread.generator = outer[2]
        _global_generators.release()


@contextmanager
def own_generator(seed: int) -> Iterator[None]:
    """Give this thread a generator of its own, the same stream as torch's global one of that seed, for the block."""
    before, _thread.generator = _thread.generator, torch.Generator().manual_seed(seed)
    try:
        yield
    finally:
        _thread.generator = before


@contextmanager
def initialising() -> Iterator[None]:
    """Take the random numbers of initial weights from this thread's generator, or from torch's global one.

    Where another thread trains with the global one, they are taken from a fresh generator: its results stay the same.
    """
    if _thread.generator is not None:
        with _DrawFrom(_thread.generator):
            yield
    elif _global_generators.acquire(blocking=False):
        try:
            yield
        finally:
            _global_generators.release()
    else:
        fresh = torch.Generator()
        fresh.seed()
        with _DrawFrom(fresh):
            yield


class _DrawFrom(TorchFunctionMode):
    """Give torch's random functions a generator; layers initialise their weights without an argument for it."""

    def __init__(self, generator: torch.Generator) -> None:
        super().__init__()
        self.generator = generator

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = dict(kwargs or {})
        if getattr(func, "__name__", "") in RANDOM and given.get("generator") is None:
            given["generator"] = self.generator
        return func(*args, **given)


def generator(seed: int, purpose: str) -> torch.Generator:
    """Return a separate generator for one purpose, so that draws for one purpose never shift those for another."""
    # Hashed to 32 bits: torch's CPU generator ignores the others.
    mixed = np.random.SeedSequence([seed, crc32(purpose.encode())]).generate_state(1)[0]
    return torch.Generator().manual_seed(int(mixed))


def random_state(device: torch.device) -> dict[str, torch.Tensor]:
    """Return the state of this thread's own generator, or the states of the global generators."""
    if _thread.generator is not None:
        return {"torch": _thread.generator.get_state()}
    # Python keeps a second normal deviate; none is drawn here, nor by any layer.
    version, words, _ = random.getstate()
    name, keys, *rest = cast(tuple[Any, ...], np.random.get_state())
    assert (version, name) == (3, "MT19937")
    state = {
        "torch": torch.get_rng_state(),
        "python": torch.tensor(words),
        "numpy": torch.tensor(keys.astype(np.int64)),
        "numpy_rest": torch.tensor(rest, dtype=torch.double),
    }
    return state | ({"cuda": torch.cuda.get_rng_state(device)} if device.type == "cuda" else {})


def set_random_state(state: Mapping[str, torch.Tensor], device: torch.device) -> None:
    """Restore states returned by `random_state`."""
    if _thread.generator is not None:
        _thread.generator.set_state(state["torch"])
        return
    torch.set_rng_state(state["torch"])
    random.setstate((3, tuple(state["python"].tolist()), None))
    place, has_normal, normal = state["numpy_rest"].tolist()
    np.random.set_state(("MT19937", state["numpy"].numpy().astype(np.uint32), int(place), int(has_normal), normal))
    if device.type == "cuda" and "cuda" in state:
        torch.cuda.set_rng_state(state["cuda"], device)
