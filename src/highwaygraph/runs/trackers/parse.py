"""Trackers by name, as `--track` and `hg.train` take them."""

from collections.abc import Callable, Iterable

from highwaygraph.errors import ConfigError, did_you_mean
from highwaygraph.runs.trackers.mlflow import MLflowTracker
from highwaygraph.runs.trackers.protocol import Tracker
from highwaygraph.runs.trackers.tensorboard import TensorBoardTracker
from highwaygraph.runs.trackers.wandb import WandbTracker

ADAPTERS: dict[str, Callable[[str], Tracker]] = {
    "tensorboard": lambda place: TensorBoardTracker(place or "runs/tensorboard"),
    "mlflow": MLflowTracker,
    "wandb": lambda project: WandbTracker(project or "highwaygraph"),
}


def make_trackers(given: Iterable[object]) -> tuple[Tracker, ...]:
    """Return trackers, made where they are given by name.

    Args:
        given: Objects with the methods of `Tracker`, or `tensorboard[:DIR]`, `mlflow[:DIR or URI]`,
            `wandb[:PROJECT]`.

    Returns:
        The trackers; an unknown name, a missing package and an object without these methods are refused.
    """
    if isinstance(given, str):
        raise ConfigError(f"trackers is a list: write trackers=[{given!r}].")
    if not isinstance(given, Iterable):
        raise ConfigError(f"trackers is a list of trackers or their names, not {type(given).__name__}.")
    return tuple(_named(one) if isinstance(one, str) else _checked(one) for one in given)


def _named(text: str) -> Tracker:
    name, _, place = text.partition(":")
    if name not in ADAPTERS:
        raise ConfigError(f"There is no tracker {name!r}.{did_you_mean(name, ADAPTERS)}")
    return ADAPTERS[name](place)


def _checked(tracker: object) -> Tracker:
    if isinstance(tracker, type) or not isinstance(tracker, Tracker):
        raise ConfigError(
            f"{tracker!r} is no tracker: give an object with on_start, on_epoch, on_round and on_end, or a name such "
            "as 'tensorboard:runs/tensorboard'."
        )
    return tracker
