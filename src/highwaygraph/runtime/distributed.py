"""Several processes that train one model together, started by torchrun; alone, nothing here does anything."""

import os
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from highwaygraph.errors import FailedError

# What torch says when another process is gone, reading or writing.
LOST = ("closed by peer", "reset by peer", "broken pipe", "remote process exited")


def world_size() -> int:
    """Return how many processes work on this."""
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def rank() -> int:
    """Return which of them this one is, from 0."""
    return dist.get_rank() if world_size() > 1 else 0


@contextmanager
def process_group() -> Iterator[None]:
    """Join the others that torchrun started, by what it left in the environment, until the end of the block."""
    if int(os.environ.get("WORLD_SIZE", "1")) < 2 or not dist.is_available() or dist.is_initialized():
        yield
        return
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    # Names of their own for every start: after a restart, some versions of torch find the dead processes' addresses.
    store, here, everybody = next(dist.rendezvous("env://"))  # type: ignore[attr-defined]
    names = dist.PrefixStore(f"start {os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}", store)  # type: ignore[attr-defined]
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    dist.init_process_group(backend, store=names, rank=here, world_size=everybody)
    try:
        yield
    except RuntimeError as error:
        if not any(word in str(error).lower() for word in LOST):
            raise
        if threading.current_thread() is threading.main_thread():
            # torchrun now tells everybody to end: not before the reason is said.
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise FailedError("Another process of this run has ended: see what it said, and start again.") from error
    finally:
        dist.destroy_process_group()


def barrier() -> None:
    """Wait until everybody has come this far."""
    if world_size() > 1:
        dist.barrier()


def any_rank(flag: bool) -> bool:
    """Tell whether it is so for any of the processes."""
    return bool(gather(torch.tensor([flag])).any())


def shard(count: int) -> slice:
    """Return this process's stretch of so many things; all stretches together are all of them, in order."""
    here, everybody = rank(), world_size()
    return slice(here * count // everybody, (here + 1) * count // everybody)


def gather(part: Tensor) -> Tensor:
    """Return everybody's parts one after the other along the first dimension; they may differ in length."""
    if world_size() == 1:
        return part
    sizes = [torch.zeros(1, dtype=torch.long) for _ in range(world_size())]
    dist.all_gather(sizes, torch.tensor([len(part)]))
    longest = max(int(size) for size in sizes)
    padded = part.new_zeros(longest, *part.shape[1:])
    padded[: len(part)] = part
    parts = [torch.empty_like(padded) for _ in sizes]
    dist.all_gather(parts, padded)
    return torch.cat([one[: int(size)] for one, size in zip(parts, sizes, strict=True)])


def broadcast_parameters(module: nn.Module) -> None:
    """Give everybody the first process's weights: streams of chance part where lots differ in size."""
    if world_size() > 1:
        for tensor in module.state_dict().values():
            dist.broadcast(tensor, src=0)


def data_parallel(module: nn.Module) -> nn.Module:
    """Return the module so that backward passes leave everybody with the mean of all gradients."""
    if world_size() == 1:
        return module
    # What is not trained is the same everywhere already, and views pass several times before one step.
    with warnings.catch_warnings():
        # Newer versions of torch have another name for it, which older ones do not know.
        warnings.simplefilter("ignore", FutureWarning)
        return DistributedDataParallel(module, broadcast_buffers=False)
