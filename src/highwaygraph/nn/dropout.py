"""Dropout masks from a cheap random generator, and dropout of dense and sparse inputs."""

from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable
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
        limit, scale = _limit(rate)
        mask = torch.empty(shape)
        for chunk in np.array_split(mask.view(-1).numpy(), -(-mask.numel() // CHUNK) or 1):
            chunk[:] = self._random_bits(len(chunk)) >= limit
            np.multiply(chunk, scale, out=chunk)
        return mask

    def sample_kept(self, count: int, rate: float) -> tuple[NDArray[np.int64], np.float32]:
        """Return the positions of the entries that are not dropped, sorted, and their factor."""
        limit, scale = _limit(rate)
        return np.flatnonzero(self._random_bits(count) >= limit), scale

    def _random_bits(self, count: int) -> NDArray[np.uint16]:
        return self._bits.integers(0, 2**64, -(-count // 4), dtype=np.uint64).view(np.uint16)[:count]


def _limit(rate: float) -> tuple[int, np.float32]:
    """Return the least 16 random bits of an entry that is kept, and its factor."""
    limit = round(rate * 2**16)
    # The rate is rounded to 1 / 65536; scaling by the rounded rate keeps the expectation exact.
    return limit, np.float32(2**16 / (2**16 - limit))


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
    return cast(Tensor, _ReluDropout.apply(x, masks.sample(x.shape, rate), float(_limit(rate)[1])))  # type: ignore[no-untyped-call]


class _ReluDropout(torch.autograd.Function):
    """The gradient passes where the output is positive: the mask need not be stored."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, mask: Tensor, scale: float) -> Tensor:
        ctx.mark_dirty(x)
        x.relu_().mul_(mask)
        ctx.save_for_backward(x)
        ctx.scale = scale
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        (output,) = ctx.saved_tensors
        return torch.ops.aten.threshold_backward(grad, output, 0).mul_(ctx.scale), None, None
