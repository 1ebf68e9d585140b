"""The expected cost of `highway train DATA` without options, before anything is trained."""

import copy
from typing import NamedTuple

from highwaygraph.config import Network
from highwaygraph.errors import HighwayError
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.splits import split, validate_split
from highwaygraph.nn.factory import HETERO, network_for
from highwaygraph.nn.scaling import with_scaling
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runtime.speed import relative_speed
from highwaygraph.training.estimate import estimate_run
from highwaygraph.training.size import choose_size

GIB, MIB = 2**30, 2**20


class RunEstimate(NamedTuple):
    """The expected cost of a default run on this machine."""

    seconds: float
    bytes: int
    choice: str
    """Whether it trains on the whole graph or in mini-batches, and why."""

    @property
    def text(self) -> str:
        """The estimate in words."""
        return (
            f"about {_duration(self.seconds)} and {self.bytes / GIB:.1f} GiB: an estimate for this machine without "
            f"other work, right within a factor of 2. {self.choice}"
        )

    def as_dict(self) -> dict[str, float | str]:
        """Return the estimate as values for JSON."""
        return {"seconds": round(self.seconds, 1), "mib": round(self.bytes / MIB), "choice": self.choice}


def estimate_default_run(data: Graph) -> RunEstimate | None:
    """Return the expected time and memory of the default preset and network, None where it could not be trained.

    Args:
        data: The graph; without a split, the default random one is assumed, and of several the first.

    Returns:
        The estimate, from the sizes of the graph and a timing of a tenth of a second.

    Example:
        >>> import highwaygraph as hg
        >>> found = estimate_default_run(hg.load("cora"))
        >>> 1 < found.seconds < 100, found.choice.split(",")[0]
        (True, 'Training on the whole graph')
    """
    config = PRESETS["plus"]
    try:
        graph = with_scaling(validate_split(_with_split(data)), config.fit)
        model = network_for(Network(model="gcn" if graph.hetero is None else HETERO), graph)
    except HighwayError:
        return None
    choice = choose_size(model, graph, config)
    found = estimate_run(model, graph, override(config, choice.changes))
    return RunEstimate(found.seconds / relative_speed(), found.bytes, choice.sentence)


def _with_split(data: Graph) -> Graph:
    if not data.has_split:
        return split(data, seed=0, small_classes="share")
    first = copy.copy(data)
    for name in ("train_mask", "val_mask", "test_mask"):
        if name in data and data[name].dim() == 2:
            first[name] = data[name][:, 0]
    return first


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"
