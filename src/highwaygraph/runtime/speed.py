"""The speed of this machine beside the one that cost models were measured on."""

from time import thread_time

import torch
from torch.nn.functional import embedding_bag

from highwaygraph.runtime.threads import own_threads

# Rows, columns and neighbours of the probe, about those of a mini-batch; least seconds of it on the reference machine.
ROWS, COLUMNS, HIDDEN, NEIGHBORS = 2**13, 128, 64, 8
REFERENCE = 0.0023


# Repetitions: in the least processor time, other programs have the least part. Some clocks are coarse.
REPETITIONS, SMALLEST = 15, 1e-4


def relative_speed() -> float:
    """Return how many times as fast this machine is, by sums over neighbours and dense products of one thread.

    Returns:
        A number that varies by some ten per cent from call to call, measured within a tenth of a second.

    Example:
        >>> relative_speed() > 0
        True
    """
    rng = torch.Generator().manual_seed(0)
    x, weight = torch.rand(ROWS, COLUMNS, generator=rng), torch.rand(COLUMNS, HIDDEN, generator=rng)
    neighbors = torch.randint(ROWS, (ROWS, NEIGHBORS), generator=rng)
    seconds = []
    for _ in range(REPETITIONS):
        with own_threads(1):
            start = thread_time()
            embedding_bag(neighbors, x, mode="sum") @ weight
            seconds.append(thread_time() - start)
    return REFERENCE / max(min(seconds), SMALLEST)
