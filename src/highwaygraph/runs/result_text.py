"""A result in a few lines of text, or as a small HTML table for notebooks."""

import math
from html import escape
from typing import TYPE_CHECKING

from highwaygraph.errors import printable
from highwaygraph.graph.split_sizes import split_sizes
from highwaygraph.nn.factory import network_of
from highwaygraph.runs.history import STOP_REASONS

if TYPE_CHECKING:
    from highwaygraph.runs.folds import OutOfFold
    from highwaygraph.runs.result import Result


def summary_lines(result: "Result") -> list[str]:
    """Return about eight lines: the graph, the model, the rounds, the scores and the highways."""
    title, *facts = _facts(result)
    return [printable(line) for line in (": ".join(title), *(f"  {name:<11} {value}" for name, value in facts))]


def html_table(result: "Result") -> str:
    """Return the same facts as an HTML table."""
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in _facts(result))
    return f"<table>{rows}</table>"


def model_name(result: "Result") -> str:
    """Return the built-in network with its width, or the name of the user's own module."""
    network = network_of(result.model)
    if network is None:
        return type(result.model).__name__
    return f"{network.model}, {network.layers} layers, hidden {network.hidden}"


def _facts(result: "Result") -> list[tuple[str, str]]:
    data, config = result.data, result.config
    best = f"the best by validation {config.fit.monitor.replace('_', ' ')}"
    chosen = "the last" if config.highway.keep == "last" else best
    chosen = chosen if result.folds is None else "by folds"
    rounds = f"{len(result.rounds)} trained, round {result.best_round} selected ({chosen})"
    return [
        ("HighwayGraph result", f"{data.title}, {data.num_nodes:,} nodes, {split_sizes(data)}"),
        ("model", f"{model_name(result)}, seed {config.seed}"),
        ("rounds", f"{rounds}; {STOP_REASONS[result.stopped]}"),
        ("validation", f"{_percent(result.val)} {_metric(result)}")
        if result.folds is None
        else ("folds", _folds(result.folds)),
        ("test", _test(result)),
        ("highways", _highways(result)),
        ("training", f"{sum(r.epochs for r in result.rounds):,} epochs, {sum(r.seconds for r in result.rounds):.1f} s"),
    ]


def _folds(folds: "OutOfFold") -> str:
    low, high = folds.interval
    return f"{_percent(folds.accuracy)} accuracy, 95 % interval {100 * low:.1f} to {100 * high:.1f}"


def _test(result: "Result") -> str:
    text = f"{_percent(result.test)} {_metric(result)}"
    if result.baseline is None or math.isnan(result.test):
        return text
    before = result.baseline.round.test
    return f"{text}, typical training {_percent(before)} ({100 * (result.test - before):+.1f} points)"


def _metric(result: "Result") -> str:
    return "micro-F1" if result.label_thresholds else "accuracy"


def _highways(result: "Result") -> str:
    count = result.highways.size(1)
    return f"{count:,} in the graph that the selected round was trained on" if count else "none in the selected round"


def _percent(fraction: float) -> str:
    return "-" if math.isnan(fraction) else f"{100 * fraction:.1f} %"
