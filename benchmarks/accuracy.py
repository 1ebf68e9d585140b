"""Accuracy with prepared operators and with PyG's own layers in the same engine, paired by split and seed."""

from itertools import product
from statistics import fmean, stdev
from typing import Any

from torch import Tensor, nn

import highwaygraph as hg
from highwaygraph.runtime.parallel import map_unordered

SPLITS, SEEDS = range(5), range(3)
# The paper's four presets; those of this project take hours on dense features.
PRESETS = ("typical", "without-explicit", "without-joint", "full")


class ThroughPyG(nn.Module):
    """A built-in network without its prepared operators, so that the engine calls PyG's layers on dense features."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def reset_parameters(self) -> None:
        """Initialise all weights."""
        self.inner.reset_parameters()  # type: ignore[operator]

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Return the logits of all nodes."""
        return self.inner(x, edge_index)  # type: ignore[no-any-return]


def cell(key: tuple[str, str, int, int]) -> tuple[str, str, float, float]:
    """Return both test accuracies for one model, preset, split and seed."""
    model, preset, split, seed = key
    data = hg.split(hg.load("cora"), train=20, val=30, seed=split)
    network = hg.models.build(model, data)
    prepared, through = (hg.train(m, data, hg.PRESETS[preset], seed=seed).test for m in (network, ThroughPyG(network)))
    return model, preset, prepared, through


def measure(report: Any) -> list[dict[str, Any]]:
    """Return one row per model and preset on Cora: both means and the paired difference with its standard error."""
    cells = product(("gcn", "gat", "sage", "hyper"), PRESETS, SPLITS, SEEDS)
    found = sorted(result for _, result in map_unordered(cell, cells))
    rows = []
    for model, preset in dict.fromkeys(f[:2] for f in found):
        ours, theirs = zip(*(f[2:] for f in found if f[:2] == (model, preset)), strict=True)
        difference = [100 * (a - b) for a, b in zip(ours, theirs, strict=True)]
        error = stdev(difference) / len(difference) ** 0.5
        row = {
            "model": model,
            "preset": preset,
            "runs": len(ours),
            "ours": 100 * fmean(ours),
            "pyg": 100 * fmean(theirs),
        }
        rows.append(row | {"difference": fmean(difference), "standard_error": error})
        report(f"{model} {preset}: {row['ours']:.2f}, PyG {row['pyg']:.2f}, {fmean(difference):+.2f} ({error:.2f})")
    return rows
