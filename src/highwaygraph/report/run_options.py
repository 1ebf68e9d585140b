"""The options of finished runs: the preset that each is closest to, and the options in which several differ."""

from collections.abc import Sequence
from typing import Any

from highwaygraph.config import Config
from highwaygraph.options import dotted
from highwaygraph.presets import PRESETS
from highwaygraph.report.run_data import model_name
from highwaygraph.runs.result import Result
from highwaygraph.training.size import CHOSEN

# Options that no preset sets: where and with which random numbers a run is trained.
UNRELATED = {"seed", "fit.device", "fit.num_threads", "fit.num_workers"}


def closest_preset(config: Config) -> tuple[str, int]:
    """Return the preset with the fewest options of another value, and their number.

    A run folder stores all options but no name of a preset. The seed and the device do not count, nor do the options
    that a run chooses by itself where the preset leaves them open.

    Args:
        config: The options of a run.

    Returns:
        The name of the preset, and the number of options that differ from it.

    Example:
        >>> import highwaygraph as hg
        >>> closest_preset(hg.override(hg.PRESETS["plus"], {"fit.lr": 0.5, "seed": 3}))
        ('plus', 1)
    """
    counts = {name: _num_changed(config, preset) for name, preset in PRESETS.items()}
    # Of equal numbers, the preset that leaves less out: `full` with other rounds is also `without-explicit` with them.
    closest = min(reversed(counts), key=lambda name: counts[name])
    return closest, counts[closest]


def differing_options(results: Sequence[Result]) -> dict[str, tuple[Any, ...]]:
    """Return the options in which runs differ.

    Args:
        results: The runs.

    Returns:
        A value per run by dotted name, as on the command line; None where a run's module does not have the option.
    """
    options = [_options(result) for result in results]
    # A dict has the order of its keys, a set has none.
    names = {name: None for each in options for name in each}
    values = {name: tuple(each.get(name) for each in options) for name in names}
    return {name: row for name, row in values.items() if any(value != row[0] for value in row)}


def _num_changed(config: Config, preset: Config) -> int:
    unrelated = UNRELATED | set(CHOSEN if preset.fit.batch_size == "auto" else ())
    given, default = dotted(config), dotted(preset)
    return sum(given[name] != default[name] for name in given.keys() - unrelated)


def _options(result: Result) -> dict[str, Any]:
    network = getattr(result.model, "network", None)
    own = dotted(network) if network is not None else {"model": model_name(result)}
    return own | dotted(result.config)
