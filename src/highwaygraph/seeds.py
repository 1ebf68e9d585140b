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


# Entries of a mask that are drawn at once.
PIECE = 2**18


class Noise:
    """Dropout masks from 16 random bits an entry: the same law as torch's, an order of magnitude cheaper."""

    def __init__(self) -> None:
        self._bits = np.random.Generator(np.random.SFC64(0))

    def reseed(self) -> None:
        """Start anew from torch's global generator, so that the one seed decides these masks too."""
        self._bits = np.random.Generator(np.random.SFC64(int(torch.randint(2**62, ()))))

    def keep(self, shape: torch.Size, rate: float) -> torch.Tensor:
        """Return a mask of 0 where an entry is dropped and 1 / (share kept) elsewhere."""
        limit = round(rate * 2**16)
        # The share really kept, so that the expectation is exact although the rate is rounded to 1 / 65536.
        scale = np.float32(2**16 / (2**16 - limit))
        mask = torch.empty(shape)
        # Piece by piece, so that the bits never leave the cache.
        for piece in np.array_split(mask.view(-1).numpy(), -(-mask.numel() // PIECE) or 1):
            words = -(-len(piece) // 4)
            bits = self._bits.integers(0, 2**64, words, dtype=np.uint64).view(np.uint16)[: len(piece)]
            piece[:] = bits >= limit
            np.multiply(piece, scale, out=piece)
        return mask
