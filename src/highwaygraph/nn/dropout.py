"""Dropout masks from a cheap random generator, and dropout of dense and sparse inputs."""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from highwaygraph.nn.spmm import Sparse

# Entries of a mask that are sampled at once, so that the random bits stay in the cache.
CHUNK = 2**18


class DropoutMasks:
    """Dropout masks from 16 random bits per entry: distributed as torch's, an order of magnitude cheaper."""

    def __init__(self) -> None:
        self._bits = np.random.Generator(np.random.SFC64(0))

    def reseed(self) -> None:
        """Seed the generator from torch's, so that a run's single seed decides these masks too."""
        self._bits = np.random.Generator(np.random.SFC64(int(torch.randint(2**62, ()))))

    def state(self) -> torch.Tensor:
        """Return the generator's state as a tensor for checkpoints."""
        state: Any = self._bits.bit_generator.state
        words = [*state["state"]["state"], state["has_uint32"], state["uinteger"]]
        return torch.from_numpy(np.array(words, dtype=np.uint64).view(np.int64))

    def set_state(self, state: torch.Tensor) -> None:
        """Restore a state returned by `state`."""
        words = state.numpy().view(np.uint64)
        self._bits.bit_generator.state = {
            "bit_generator": "SFC64",
            "state": {"state": words[:4]},
            "has_uint32": int(words[4]),
            "uinteger": int(words[5]),
        }

    def sample(self, shape: torch.Size, rate: float) -> torch.Tensor:
        """Return a mask that is 0 for dropped entries and 1 / (1 - rate) for the others."""
        limit = round(rate * 2**16)
        # The rate is rounded to 1 / 65536; scaling by the rounded rate keeps the expectation exact.
        scale = np.float32(2**16 / (2**16 - limit))
        mask = torch.empty(shape)
        for chunk in np.array_split(mask.view(-1).numpy(), -(-mask.numel() // CHUNK) or 1):
            words = -(-len(chunk) // 4)
            bits = self._bits.integers(0, 2**64, words, dtype=np.uint64).view(np.uint16)[: len(chunk)]
            chunk[:] = bits >= limit
            np.multiply(chunk, scale, out=chunk)
        return mask


def dropout(x: Tensor | Sparse, rate: float, masks: DropoutMasks | None) -> Tensor | Sparse:
    """Return x with entries dropped at the rate; of a sparse x, only the stored values are masked."""
    if masks is None or not rate:
        return x
    if isinstance(x, Sparse):
        values = x.matrix.values()
        return x.with_values(values * masks.sample(values.shape, rate))
    if x.device.type != "cpu":
        return F.dropout(x, rate)
    # Written into the mask: on a large graph, allocating another matrix costs as much as the product.
    return x * masks.sample(x.shape, rate) if x.requires_grad else masks.sample(x.shape, rate).mul_(x)


def relu_dropout_(x: Tensor, rate: float, masks: DropoutMasks | None) -> Tensor:
    """Return the ReLU of x with entries dropped at the rate; x is overwritten."""
    if masks is None or not rate:
        return F.relu_(x)
    # One factor for both, so that the forward and the backward pass multiply once each.
    return x.mul_(masks.sample(x.shape, rate).mul_(x.detach() > 0))
