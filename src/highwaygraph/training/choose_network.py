"""The choice of a built-in network on validation: short trainings first, complete ones of the best only."""

import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from highwaygraph.config import Config, Network
from highwaygraph.errors import ConfigError, HighwayWarning
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.hetero import refuse_several_types
from highwaygraph.graph.queries import is_weighted
from highwaygraph.nn.factory import accepts_edge_weight, network_for
from highwaygraph.options import override
from highwaygraph.presets import typical_of
from highwaygraph.runs.result import Result
from highwaygraph.training.candidates import Comparison, compare
from highwaygraph.training.engine import train

# Networks of different kinds, in the order of preference where they are level: convolution, attention to the node
# itself, attention, many hops, and no graph at all.
KINDS = ("gcn", "sage", "gat", "appnp", "mlp")


# Share of the epochs of the first trainings, and number of networks that are trained to the end.
FIRST_SHARE, FINALISTS = 0.25, 2


class Trial(NamedTuple):
    """Typical training of one network."""

    model: str
    score: float
    """Deciding score on validation, as for candidates."""
    val: float
    """Validation accuracy."""
    is_complete: bool
    """Whether the network was trained to the end, or eliminated before."""


class NetworkChoice(NamedTuple):
    """The chosen network, and the trainings it was chosen from."""

    network: Network
    trials: tuple[Trial, ...]


def choose_network(
    data: Graph, network: Network, config: Config, notify: Callable[[str], object] = lambda _: None
) -> NetworkChoice:
    """Choose a built-in network by typical training on validation.

    Networks are trained for a quarter of the epochs; the best two are trained to the end. Of these the first in the
    order of KINDS is chosen unless the other is better by more than a standard error of the paired difference.

    Args:
        data: The graph with its split.
        network: Options of the network; its `model` is replaced.
        config: All options; pairs, highways and consistency have no part in the choice.
        notify: Takes the name of each network before it is trained.

    Returns:
        The network and the trials.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), seed=0)
        >>> config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 4})
        >>> choice = choose_network(data, hg.Network(model="auto", hidden=8), config)
        >>> len(choice.trials), sum(trial.is_complete for trial in choice.trials)
        (5, 2)
    """
    refuse_several_types(data, "The choice of a network is", "leave out --model, or name one")
    options = _possible(data, network)
    short = override(typical_of(config), {"fit.epochs": max(1, round(FIRST_SHARE * config.fit.epochs))})

    def run(name: str, chosen: Config) -> Result:
        notify(name)
        return _train(options[name], data, chosen)

    first = {name: run(name, short) for name in options}
    scores = _compare(first, data, config)
    best = sorted(first, key=lambda name: -scores[name].score)[:FINALISTS]
    last = {name: run(name, typical_of(config)) for name in options if name in best}
    found = _compare(last, data, config)
    trials = (Trial(n, (scores | found)[n].score, (first | last)[n].val, n in last) for n in first)
    return NetworkChoice(options[_best(found)], tuple(trials))


def _train(network: Network, data: Graph, config: Config) -> Result:
    model = network_for(network, data)
    with warnings.catch_warnings():
        # That one of the networks learns nothing is what the choice is for.
        warnings.simplefilter("ignore", HighwayWarning)
        return train(model, data, config, progress=False)


def _possible(data: Graph, network: Network) -> dict[str, Network]:
    """Return the networks that take the graph's edge weights and the given options."""
    found = {}
    for name in KINDS:
        if not is_weighted(data) or accepts_edge_weight(name):
            # A width that is no multiple of the number of heads is refused by one network only.
            with suppress(ConfigError):
                found[name] = override(network, {"model": name})
    return found


def _compare(results: dict[str, Result], data: Graph, config: Config) -> dict[str, Comparison]:
    val, reference = data.val_mask, next(iter(results))
    logits = {name: result.logits[val] for name, result in results.items()}
    return compare(logits, data.y[val], reference, config.fit.monitor)


def _best(found: dict[str, Comparison]) -> str:
    first, *others = found
    better = [name for name in others if found[name].difference > found[name].error]
    return max(better, key=lambda name: found[name].score, default=first)
