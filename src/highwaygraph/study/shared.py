"""Trainings that several cells of a study share: a cell that differs in its answer only trains nothing again."""

import time
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from torch import nn

from highwaygraph.config import Config
from highwaygraph.graph.fingerprint import data_hash, split_hash
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.factory import BuiltIn
from highwaygraph.presets import typical_of
from highwaygraph.runs.result import Result
from highwaygraph.study.spec import PLACE, Cell
from highwaygraph.training.answer import choose_answer, competes, without_answer
from highwaygraph.training.engine import train


class Trained(NamedTuple):
    """A finished training with the median time of its epochs."""

    result: Result
    epoch_seconds: float


class SharedTrainings:
    """Trainings on one graph with one split, by network and options; equal ones are run once."""

    def __init__(self) -> None:
        self._found: dict[str, Trained] = {}

    def train(self, model: BuiltIn, data: Graph, config: Config) -> Trained:
        """Return a training as `highwaygraph.train` gives it.

        Args:
            model: The network.
            data: The graph with its split; highways of another network make it another graph.
            config: All options.

        Returns:
            The result; its rounds and its typical training may be those of an earlier call.
        """
        if not competes(config):
            return self._rounds(model, data, config)
        rounds = self._rounds(model, data, without_answer(config))
        typical = self._rounds(model, data, typical_of(config)).result if config.select.typical else None
        # The options of the rounds as `train` completed them, with those of this answer.
        full = rounds.result.config.model_copy(update={"select": config.select, "votes": config.votes})
        return rounds._replace(result=choose_answer(replace(rounds.result, config=full), typical).result)

    def _rounds(self, model: BuiltIn, data: Graph, config: Config) -> Trained:
        # Every cell samples its split again: equal graphs are different objects.
        key = f"{data_hash(data)} {split_hash(data)} {model.network.model_dump_json()} {config.model_dump_json()}"
        if key not in self._found:
            self._found[key] = _timed_training(model, data, config)
        return self._found[key]


def sharing_groups(cells: list[Cell], *, alone: bool) -> list[list[Cell]]:
    """Return the cells in groups that may share trainings: they differ in presets or in options of the answer only.

    Args:
        cells: The cells, in the order of the grid.
        alone: Whether every cell is a group of its own, because its time is measured.

    Returns:
        The groups, in the order of their first cells.
    """
    groups: dict[str, list[Cell]] = {}
    for number, cell in enumerate(cells):
        place = {name: value for name, value in cell.items() if not _may_differ(name)}
        groups.setdefault(str(number if alone else sorted(place.items())), []).append(cell)
    return list(groups.values())


def _may_differ(axis: str) -> bool:
    return axis == "preset" or (axis not in PLACE and axis.startswith(("votes.", "select.")))


def _timed_training(model: nn.Module, data: Graph, config: Config) -> Trained:
    marks = [time.perf_counter()]
    result = train(model, data, config, on_epoch=lambda _: marks.append(time.perf_counter()), progress=False)
    return Trained(result, median(end - start for start, end in pairwise(marks)))
