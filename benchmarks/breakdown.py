"""Profile of an epoch, and the throughput of the sparse products compared with the memory bandwidth."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import torch
from scipy.sparse import csr_array
from torch.optim import Adam

import highwaygraph as hg
from benchmarks import ours, speed
from highwaygraph.config import Fit
from highwaygraph.nn import spmm
from highwaygraph.nn.dropout import DropoutMasks
from highwaygraph.nn.features import prepare_features
from highwaygraph.training import fit, step
from highwaygraph.training.batches import full_graph_data


@contextmanager
def accumulate_time(**functions: tuple[Any, str]) -> Iterator[dict[str, float]]:
    """Yield the seconds spent in the named functions within the block."""
    spent: dict[str, float] = defaultdict(float)
    originals = {name: getattr(*function) for name, function in functions.items()}

    def timed(name: str) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            start = time.perf_counter()
            result = originals[name](*args, **options)
            spent[name] += time.perf_counter() - start
            return result

        return call

    for name, function in functions.items():
        setattr(*function, timed(name))
    try:
        yield spent
    finally:
        for name, function in functions.items():
            setattr(*function, originals[name])


def shares(dataset: str, model: str) -> dict[str, Any]:
    """Return the share of an epoch's time by operation; validation is counted as a whole."""
    data = speed.load(dataset)
    functions = {
        "validation": (fit, "validate"),
        "optimizer": (Adam, "step"),
        "dropout masks": (DropoutMasks, "sample"),
        "sparse products": (spmm, "_times"),
    }
    ours.epochs(data, model, "without-explicit", 20)
    with accumulate_time(**functions) as spent:
        total = sum(ours.epochs(data, model, "without-explicit", 60)) * 60 / 59
    # Products inside validation are part of validation.
    with accumulate_time(inner=(spmm, "_times")) as inside:
        product_share = _validation_products(data, model, inside)
    spent["sparse products"] -= product_share * spent["validation"]
    parts = {name: seconds / total for name, seconds in spent.items()}
    parts["the rest (dense algebra, autograd, Python)"] = 1 - sum(parts.values())
    return {"dataset": dataset, "model": model, "epoch_ms": 1e3 * total / 60, "shares": parts}


def _validation_products(data: Any, model: str, inside: dict[str, float]) -> float:
    """Return the share of a validation pass that sparse products take."""
    network = hg.models.build(model, data)
    config, features = hg.PRESETS["typical"], prepare_features(network, data, Fit(device="cpu"))
    round_data = full_graph_data(network, features, data, config, 1)
    inside.clear()
    start = time.perf_counter()
    for _ in range(50):
        step.validate(network, round_data, config)
    return inside["inner"] / (time.perf_counter() - start)


def bandwidth(mebibytes: int) -> float:
    """Return the GB/s of copying an array of that size, reads and writes counted."""
    source = torch.rand(mebibytes * 2**18)
    target = torch.empty_like(source)
    times = []
    for _ in range(max(5, 2000 // mebibytes)):
        start = time.perf_counter()
        target.copy_(source)
        times.append(time.perf_counter() - start)
    return 2 * source.numel() * 4 / median(times) / 1e9


def products(dataset: str) -> dict[str, Any]:
    """Return the throughput of features times weights (width 64) and its least memory traffic."""
    x = spmm.sparse(csr_array(speed.load(dataset).x.numpy())).matrix
    weight = torch.rand(x.shape[1], 64)
    times = []
    for _ in range(30):
        start = time.perf_counter()
        spmm._times(x, weight)
        times.append(time.perf_counter() - start)
    entries, seconds = x.values().numel(), median(times)
    # An index, a value and a row of 64 weights per entry, and the result once.
    gathered = entries * (4 + 4 + 64 * 4) + x.shape[0] * 64 * 4
    least = entries * 8 + weight.numel() * 4 + x.shape[0] * 64 * 4
    return {
        "dataset": dataset,
        "entries": entries,
        "ms": 1e3 * seconds,
        "gathered_gb_s": gathered / seconds / 1e9,
        "least_traffic_mib": least / 2**20,
        "gflop_s": 2 * entries * 64 / seconds / 1e9,
    }


def measure(report: Any) -> dict[str, Any]:
    """Return the profile, the products and the copying bandwidth of this machine with one thread."""
    torch.set_num_threads(1)
    found = {
        "shares": [shares(d, m) for d in speed.available() for m in ("gcn", "gat")],
        "products": [products(d) for d in speed.available()],
        "copy_gb_s": {str(size): bandwidth(size) for size in (1, 16, 256)},
    }
    for row in found["products"]:
        report("{dataset}: features x weights {ms:.2f} ms, {gathered_gb_s:.0f} GB/s gathered".format(**row))
    return found
