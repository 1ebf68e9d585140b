"""Random numbers from one seed, without changing the caller's random state."""

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast
from zlib import crc32

import numpy as np
import torch


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Seed the global generators that layers use, and restore their states at the end of the block."""
    outer = random.getstate(), np.random.get_state()
    gpus = [device] if device.type == "cuda" else []
    try:
        with torch.random.fork_rng(devices=gpus):
            torch.manual_seed(seed)
            np.random.seed(seed % 2**32)
            random.seed(seed)
            yield
    finally:
        random.setstate(outer[0])
        np.random.set_state(outer[1])


def generator(seed: int, purpose: str) -> torch.Generator:
    """Return a separate generator for one purpose, so that draws for one purpose never shift those for another."""
    # Hashed to 32 bits: torch's CPU generator ignores the others.
    mixed = np.random.SeedSequence([seed, crc32(purpose.encode())]).generate_state(1)[0]
    return torch.Generator().manual_seed(int(mixed))


def random_state(device: torch.device) -> dict[str, torch.Tensor]:
    """Return the states of the global generators."""
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
    """Restore the states of the global generators."""
    torch.set_rng_state(state["torch"])
    random.setstate((3, tuple(state["python"].tolist()), None))
    place, has_normal, normal = state["numpy_rest"].tolist()
    np.random.set_state(("MT19937", state["numpy"].numpy().astype(np.uint32), int(place), int(has_normal), normal))
    if device.type == "cuda" and "cuda" in state:
        torch.cuda.set_rng_state(state["cuda"], device)
