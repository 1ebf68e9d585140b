"""Several processes that train one model, started by torchrun; in a single process nothing here has an effect."""

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

# Texts of torch's errors when another process has ended; torchrun then ends the workers of mini-batches too.
LOST = ("closed by peer", "reset by peer", "broken pipe", "remote process exited", "dataloader worker")


# Seconds after an error until the system ends the process.
MOST_SECONDS = 2.0


class LostProcessError(FailedError):
    """Another process of the group has ended."""


def world_size() -> int:
    """Return the number of processes."""
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def rank() -> int:
    """Return the number of this process, from 0."""
    return dist.get_rank() if world_size() > 1 else 0


@contextmanager
def process_group() -> Iterator[None]:
    """Join the process group that torchrun describes in the environment, until the end of the block."""
    if int(os.environ.get("WORLD_SIZE", "1")) < 2 or not dist.is_available() or dist.is_initialized():
        yield
        return
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    # A prefix for every start: after a restart, some versions of torch find addresses of ended processes.
    store, own_rank, size = next(dist.rendezvous("env://"))  # type: ignore[attr-defined]
    names = dist.PrefixStore(f"start {os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}", store)  # type: ignore[attr-defined]
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    dist.init_process_group(backend, store=names, rank=own_rank, world_size=size)
    try:
        yield
    except BaseException as error:
        _limit_exit()
        if isinstance(error, RuntimeError) and any(word in str(error).lower() for word in LOST):
            _ignore_termination()
            raise LostProcessError("Another process of this run has ended: see its error, and start again.") from error
        dist.destroy_process_group()
        raise
    dist.destroy_process_group()


def _ignore_termination() -> None:
    """Ignore SIGTERM, by which torchrun now ends all processes: not before the reason is printed."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _limit_exit() -> None:
    """Let the system end this process soon, if it does not end by itself.

    After an error, torch's destructors may wait for processes that are gone or that wait in their turn. They run
    outside Python, where no handler of a signal is called: torchrun would wait 30 seconds.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)


def barrier() -> None:
    """Wait until all processes have reached this point."""
    if world_size() > 1:
        dist.barrier()


def any_rank(flag: bool) -> bool:
    """Return whether the flag is set in any process."""
    return bool(gather(torch.tensor([flag])).any())


def shard(count: int) -> slice:
    """Return this process's slice of `count` items; the slices of all processes cover them in order."""
    own_rank, size = rank(), world_size()
    return slice(own_rank * count // size, (own_rank + 1) * count // size)


def gather(part: Tensor) -> Tensor:
    """Return the parts of all processes concatenated along the first dimension; they may differ in length."""
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
    """Copy the first process's weights to all: random streams diverge where batches differ in size."""
    if world_size() > 1:
        for tensor in module.state_dict().values():
            dist.broadcast(tensor, src=0)


def data_parallel(module: nn.Module) -> nn.Module:
    """Return the module wrapped so that backward passes average the gradients of all processes."""
    if world_size() == 1:
        return module
    # Buffers are equal already, and consistency views need several forward passes before one step.
    with warnings.catch_warnings():
        # Newer versions of torch have renamed the option; older ones lack the new name.
        warnings.simplefilter("ignore", FutureWarning)
        return DistributedDataParallel(module, broadcast_buffers=False)
