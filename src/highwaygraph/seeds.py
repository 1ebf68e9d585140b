"""One seed for everything, without leaving a trace in the caller's random state."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from zlib import crc32

import numpy as np
import torch


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Seed the global generators that layers draw from, and put them back as they were at the end."""
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
    """Return a generator of its own for one purpose, so that one choice never shifts another."""
    # Mixed down to 32 bits: torch's CPU generator ignores the others.
    mixed = np.random.SeedSequence([seed, crc32(purpose.encode())]).generate_state(1)[0]
    return torch.Generator().manual_seed(int(mixed))
