"""One cell of a grid: load, split, train, and the facts for its record."""

import time
from dataclasses import asdict
from functools import cache, lru_cache
from typing import Any

from highwaygraph.config import Config, Network
from highwaygraph.graph.fingerprint import data_hash, split_hash
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import is_weighted, without_weights
from highwaygraph.graph.splits import split, split_in_proportion, validate_split
from highwaygraph.nn.factory import accepts_edge_weight, network_for
from highwaygraph.options import override
from highwaygraph.runs.history import to_record
from highwaygraph.runs.result import Result
from highwaygraph.runtime import environment
from highwaygraph.study.datasets import load_dataset
from highwaygraph.study.shared import SharedTrainings, Trained
from highwaygraph.study.spec import Cell, Study, options, preset_config, split_sizes
from highwaygraph.training.choose_network import choose_network
from highwaygraph.training.metrics import accuracy_by_distance, embed, separation


def run_cells(study: Study, group: list[Cell]) -> list[dict[str, Any]]:
    """Run cells of one graph, network, split and seed, which share equal trainings.

    Args:
        study: The study.
        group: The cells.

    Returns:
        The facts of their records, in this order.
    """
    shared = SharedTrainings()
    return [run_cell(study, cell, shared) for cell in group]


def run_cell(study: Study, cell: Cell, shared: SharedTrainings | None = None) -> dict[str, Any]:
    """Train one cell of a study.

    Args:
        study: The study.
        cell: The values of its axes.
        shared: Trainings of other cells with the same graph, split and seed, where they may be used.

    Returns:
        The facts of the record: scores, rounds, options, hashes and times. The test accuracy is computed once, with
        the weights that validation selected.
    """
    started = time.perf_counter()
    network, config = _config(study, cell)
    data = _data(study, cell)
    if study.timed:
        before = environment.reset_peak()
    found = _train(network, config, data, shared or SharedTrainings())
    result = found.result
    # The highways of a source network bring nodes closer; distances are those of the original graph.
    facts = _facts(result, _data(study, cell | {"source": "original"})) | {
        "config": config.model_dump() | {"network": network.model_dump()},
        "data_hash": data_hash(data),
        "split_hash": split_hash(data),
        "epoch_ms": 1e3 * found.epoch_seconds,
        "train_seconds": sum(r.seconds for r in result.rounds),
    }
    if study.timed:
        facts["peak_mib"] = environment.peak_mib() - before
    if study.embedding:
        facts |= {"separation": separation(result.logits, result.data.y), "embedding": embed(result.logits)}
    return facts | {"seconds": time.perf_counter() - started}


def _train(network: Network, config: Config, data: Graph, shared: SharedTrainings) -> Trained:
    if network.is_auto:
        network = choose_network(data, network, config).network
    model = network_for(network, data)
    return shared.train(model, data, config)


def _config(study: Study, cell: Cell) -> tuple[Network, Config]:
    network, changes = options(study, cell)
    config = override(preset_config(study, cell), changes | {"seed": cell["seed"]})
    # Records of one study are comparable: the memory of a machine has no part in them.
    return network, override(config, {"fit.batch_size": config.fit.labels_per_batch})


def _data(study: Study, cell: Cell) -> Graph:
    """Return the graph with its split and, where the cell names a source, with the highways of that network."""
    source = cell.get("source", "original")
    if source != "original":
        place = {name: cell[name] for name in ("dataset", "split", "seed")}
        return _augmented(study.model_dump_json(), source, **place)
    data = _dataset(cell["dataset"])
    model = cell["model"]
    if model != "auto" and is_weighted(data) and not accepts_edge_weight(model):
        # As `highway train` does.
        data = without_weights(data)
    return validate_split(data) if study.protocol == "public" else _random_split(study, cell, data)


def _random_split(study: Study, cell: Cell, data: Graph) -> Graph:
    sizes = split_sizes(study, cell)
    if sizes.per == "graph":
        return split_in_proportion(data, sizes.train, sizes.val, cell["split"])
    return split(data, sizes.train, sizes.val, cell["split"], small_classes=study.small_classes)


@lru_cache(maxsize=8)
def _augmented(study_json: str, model: str, **place: Any) -> Graph:
    # The targets of one source follow each other in the grid and share its graph.
    study = Study.model_validate_json(study_json)
    cell = {"model": model, "preset": "full", **place}
    return _train(*_config(study, cell), _data(study, cell), SharedTrainings()).result.graph


@cache
def _dataset(name: str) -> Graph:
    # Every worker process runs many cells on few graphs.
    return load_dataset(name)


def _facts(result: Result, original: Graph) -> dict[str, Any]:
    scores = {"val": result.val, "test": result.test, "test_last": result.rounds[-1].test}
    return to_record(scores) | {
        "stopped": result.stopped,
        "best_round": result.best_round,
        "answer": result.answer,
        "candidates": [to_record(asdict(one)) for one in result.candidates],
        "highways": result.highways.size(1),
        "rounds": [to_record(asdict(r)) for r in result.rounds],
        "hops": [to_record(h._asdict()) for h in accuracy_by_distance(original, result.logits)],
    }
