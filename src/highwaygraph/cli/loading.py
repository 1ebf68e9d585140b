"""What the commands do besides parsing words: choose a split, train beside typical training, run a study."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from highwaygraph.config import Config, Network, SplitChoice, Tables
from highwaygraph.data.load import convert as write_mapped
from highwaygraph.data.load import load
from highwaygraph.data.tables.read_log import ReadLog, quote_list
from highwaygraph.errors import ConfigError, DataError, RunError
from highwaygraph.graph.fingerprint import data_hash, split_hash
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import degrees, is_weighted, without_weights
from highwaygraph.graph.splits import classes_below, split, use_split, validate_split
from highwaygraph.graph.validate import MASKS
from highwaygraph.nn.factory import NETWORKS, build_network
from highwaygraph.nn.features import resolve_features
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.modules import num_classes
from highwaygraph.presets import typical_of
from highwaygraph.runs import folder as run_folder
from highwaygraph.runs.lock import file_lock, graceful_stop, run_lock
from highwaygraph.runs.open import open_run
from highwaygraph.runs.predictions import class_names
from highwaygraph.runs.result import Result
from highwaygraph.runtime import distributed
from highwaygraph.runtime.environment import keep_freed_memory
from highwaygraph.runtime.parallel import Launcher
from highwaygraph.runtime.progress import counting_bar, spinner, stderr, training_bar
from highwaygraph.study.aggregate import Row, aggregate
from highwaygraph.study.records import Record, read_records, run
from highwaygraph.study.spec import Study, cell_key, cells, read_study, shipped_studies
from highwaygraph.study.tune import Tuned, count
from highwaygraph.study.tune import tune as search
from highwaygraph.training.engine import checkpoints, train


class Place(NamedTuple):
    """Where a run is written, and whether one is replaced there or gone on with."""

    out: Path
    force: bool
    resume: bool
    command: str
    """The words that train the same again."""
    again: str
    """The words that go on after an interruption."""
    every: float = 10.0
    """Seconds between two checkpoints, at least."""


@contextmanager
def together() -> Iterator[bool]:
    """Join the processes that torchrun started, if it did, and tell whether this one writes and speaks for them."""
    with distributed.process_group():
        stderr.quiet = distributed.rank() > 0
        yield distributed.rank() == 0


def read(source: str, tables: Tables, model: str | None = None) -> Graph:
    """Return the graph at a path or of a name; for a network to train, what is odd about it is said."""
    data = _load(source, tables)
    if model is None:
        return data
    reading = data.read_log
    if not bool((data.y >= 0).any()):
        names = f" (columns: {quote_list(c.name for c in reading.columns)})" if reading else ""
        if data.is_mapped:
            raise DataError("No node has a label: convert the graph again, naming their column with --label.")
        raise DataError(f"No node has a label: name the column that holds them with --label{names}.")
    _tell(reading)
    if not degrees(data).any():
        stderr.print("The graph has no edges: every node is judged by its own features alone.", soft_wrap=True)
    if is_weighted(data) and not NETWORKS[model].accepts_edge_weight:
        stderr.print(f"{model} takes no edge weights: they are left out.", soft_wrap=True)
        return without_weights(data)
    return data


def _tell(reading: ReadLog | None) -> None:
    for finding in reading.findings if reading else ():
        stderr.print(str(finding), soft_wrap=True)


def read_like(source: str, tables: Tables, result: Result, *, attach: bool = False) -> Graph:
    """Return another graph as the run's own was read, or with attach its new nodes joined to the run's own graph."""
    known = result.schema(attach=attach) if attach or result.data.encoders is not None else None
    data = _load(source, tables, labels=False, schema=known)
    if attach and data.num_attached is None:
        raise DataError(f"New nodes are read from two tables, nodes and edges: {source} is none.")
    _tell(data.read_log)
    return data if is_weighted(result.data) else without_weights(data)


def _load(source: str, tables: Tables, **options: Any) -> Graph:
    return load(source, tables.edges or None, id=tables.id, label=tables.label, split=tables.split_by, **options)


def convert(source: str, tables: Tables, folder: Path) -> Graph:
    """Write a graph into a folder of mapped arrays, saying what is done and what was left out."""
    names = {"id": tables.id, "label": tables.label, "split": tables.split_by}
    data = write_mapped(source, folder, tables.edges or None, **names, notify=stderr.print)
    _tell(data.read_log)
    return data


def choose_split(data: Graph, choice: SplitChoice) -> Graph:
    """Return the data with its own split (or that column of it) or a drawn one."""
    if choice.split == "random" or (choice.split == "auto" and not data.has_split):
        small = choice.small_classes
        if small == "auto":
            small = "refuse" if {"train", "val"} & choice.model_fields_set else "share"
        if small == "share":
            _tell_short(data, choice)
        return split(data, train=choice.train, val=choice.val, seed=choice.split_seed, small_classes=small)
    wide = any(name in data and data[name].dim() == 2 for name in MASKS)
    return validate_split(use_split(data, choice.split_column) if wide else data)


def _tell_short(data: Graph, choice: SplitChoice) -> None:
    short = classes_below(data.y, choice.train + choice.val)
    if short:
        names = class_names(data, num_classes(data))
        stderr.print(
            f"Fewer than {choice.train} + {choice.val} labels in {len(short)} of {len(names)} classes "
            f"({quote_list(f'{names[c]}: {n}' for c, n in short.items())}): at most half of each trains, the rest "
            "is divided between validation and test.", soft_wrap=True)  # fmt: skip


def train_run(graph: Graph, network: Network, config: Config, place: Place, *, beside: bool) -> Result:
    """Train, with typical training of the same network beside it if wanted, and write the run, or go on with one."""
    keep_freed_memory()
    model = build_network(network, graph.x.size(1), num_classes(graph))

    def run(title: str, chosen: Config, folder: Path) -> Result:
        saves = checkpoints(folder, model, graph, chosen, every=place.every, stop=stop)
        with training_bar(title, chosen.highway.rounds, chosen.fit.epochs) as report:
            return train(model, graph, chosen, on_epoch=report, checkpoint=saves, progress=False)

    with run_lock(place.out, resume=place.resume, force=place.force) as folder:
        with graceful_stop(folder, place.again, stderr.print) as stop:
            result = run("HighwayGraph", config, folder / "highways")
            if beside:
                result = result.with_baseline(run("typical training", typical_of(config), folder / "typical"))
        if distributed.rank() == 0:
            result.save(place.out, force=place.force, command=place.command)
    return result


def reopen(path: Path, config: Config, network: Network, graph: Graph) -> Result:
    """Return the finished run in the folder, refusing one that was made from other options or data."""
    result = open_run(path)
    same = (
        result.config == resolve_features(config, graph)
        and isinstance(result.model, GNN)
        and result.model.network == network
    )
    if not same or (data_hash(result.data), split_hash(result.data)) != (data_hash(graph), split_hash(graph)):
        raise RunError(f"{path} holds a run with other options or data: choose another folder, or --force.")
    return result


def run_study(
    name: str, only: dict[str, str], folder: Path, workers: int, launcher: Launcher = "local"
) -> tuple[Study, list[Row]]:
    """Run what is missing of a study, showing progress, and return it with the rows of the wanted cells."""
    grid = read_study(name)
    wanted, path = cells(grid, only), folder / f"{grid.name}.jsonl"
    keys = {cell_key(cell) for cell in wanted}
    done = sum(cell_key(found.cell) in keys for found in read_records(path))
    busy = f"{path} is being written by another process: wait for it, or choose another folder with --out."
    with file_lock(path.with_name(f".{path.name}.lock"), busy), counting_bar(grid.name, done, len(wanted)) as count:
        for _ in run(grid, wanted, path, workers, launcher):
            count()
    return grid, aggregate(grid, (found for found in read_records(path) if cell_key(found.cell) in keys))


def tune(graph: Graph, network: Network, config: Config, store: Path, trials: int) -> Tuned:
    """Run the missing trials of a search, showing progress."""
    with counting_bar(f"tune {graph.name}", min(count(store), trials), trials) as advance:
        return search(graph, network, config, store, trials=trials, on_trial=lambda _: advance())


class Made(NamedTuple):
    """The files that a report consists of."""

    page: Path
    figures: list[Path]


def report(what: str, results: Path, out: Path | None, figures: Path | None) -> Made:
    """Write the page of a run or of a study, and its figures if wanted."""
    try:
        from highwaygraph.report import html
        from highwaygraph.report.run_page import Report
        from highwaygraph.report.study_page import StudyReport
    except ImportError as error:
        raise ConfigError(f"A report needs {error.name}: pip install 'highwaygraph[report]'.") from error
    with spinner(f"Drawing {what} (t-SNE takes the longest)"):
        made: Report | StudyReport
        if run_folder.is_run(Path(what)):
            made, place = (
                Report(open_run(what).edge_list(), run_folder.read(Path(what)).meta),
                Path(what) / "report.html",
            )
        else:
            study, records = _records(what, results)
            made, place = StudyReport(study, records), results / f"{study.name}.html"
        saved = made.save_figures(figures) if figures is not None else []
        return Made(html.write(out or place, made.page()), saved)


def _records(what: str, results: Path) -> tuple[Study, list[Record]]:
    """Return a study with its records, or say that there are none."""
    if ("/" in what or Path(what).is_dir()) and not what.endswith(".toml"):
        raise RunError(f"{what} is no run folder: it has no config.json and model.safetensors in it.")
    study = read_study(what)
    records = read_records(results / f"{study.name}.jsonl")
    if not records:
        raise RunError(f"There are no records of {study.name} in {results}: run highway study {what} first.")
    return study, records


def grids(folder: Path) -> list[dict[str, Any]]:
    """Return the shipped grids with how many cells they have and how many are done."""
    found = []
    for name in shipped_studies():
        grid = read_study(name)
        every = {cell_key(cell) for cell in cells(grid)}
        done = {cell_key(r.cell) for r in read_records(folder / f"{name}.jsonl")} & every
        found.append({"name": name, "title": grid.title, "cells": len(every), "done": len(done)})
    return found
