"""The choice of a built-in network on validation: short trainings first, complete ones of the best only."""

import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from highwaygraph.config import Config, Network
from highwaygraph.errors import ConfigError, HighwayWarning
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.hetero import refuse_several_types
from highwaygraph.graph.multilabel import refuse_several_labels
from highwaygraph.graph.queries import is_weighted
from highwaygraph.graph.splits import validate_split
from highwaygraph.graph.validate import validate
from highwaygraph.nn.factory import accepts_edge_weight, network_for
from highwaygraph.options import override
from highwaygraph.presets import typical_of
from highwaygraph.runs.result import Result
from highwaygraph.training.candidates import Comparison, choose, compare
from highwaygraph.training.engine import train

# Networks of different kinds: convolution, weights of their own for the node itself, attention, many hops, and no graph
# at all. The first is chosen unless another one is clearly better.
KINDS = ("gcn", "sage", "gat", "appnp", "mlp")


# Share of the epochs of the first trainings.
FIRST_SHARE = 0.25


# Standard errors by which another network has to be better. Smaller differences of typical training say little about
# those after consistency regularisation and the combination of candidates.
CLEARLY = 3.0


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

    Networks are trained for a quarter of the epochs; the first in the order of KINDS and the best of the others are
    trained to the end. The first is chosen unless the other is better by three standard errors of their difference.

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
    options = _possible(data := validate_split(validate(data)), network)
    short = override(typical_of(config), {"fit.epochs": max(1, round(FIRST_SHARE * config.fit.epochs))})

    def run(name: str, chosen: Config) -> Result:
        notify(name)
        return _train(options[name], data, chosen)

    first = {name: run(name, short) for name in options}
    scores = _compare(first, data, config)
    reference, *others = first
    finalists = [reference, *sorted(others, key=lambda name: -scores[name].score)[:1]]
    last = {name: run(name, typical_of(config)) for name in finalists}
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
    refuse_several_labels(data, "The choice of a network", "name one, such as --model gcn")
    refuse_several_types(data, "The choice of a network is", "leave out --model, or name one")
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
    return choose(found, next(iter(found)), CLEARLY)
