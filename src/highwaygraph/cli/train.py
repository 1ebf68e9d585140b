"""Commands that train: once, or many times in search of the best options."""

import shlex
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.types import PositiveInt
from pydantic import Field

from highwaygraph.cli.app import Flat, Json, app
from highwaygraph.cli.help import DEFAULT_PRESET
from highwaygraph.cli.output import print_result
from highwaygraph.cli.renamed import present_arguments
from highwaygraph.config import Config, FoldChoice, LabelFile, Network, SplitChoice, Tables
from highwaygraph.errors import ConfigError, without_passwords
from highwaygraph.options import Options, dotted, override
from highwaygraph.presets import preset

if TYPE_CHECKING:
    from highwaygraph.cli import training_run
    from highwaygraph.graph.graph import Graph
    from highwaygraph.runs.result import Result
    from highwaygraph.runs.trackers.protocol import Tracker


# Options that only matter where highways lead to anchors.
ANCHOR_OPTIONS = ("highway.anchors", "highway.anchor_rule", "highway.pair_threshold", "highway.joint")


class Output(Options):
    """Folder of a run, and how it is written."""

    out: Path | None = None
    """Folder of the run; runs/DATA-MODEL-PRESET-TIME unless given."""
    force: Annotated[bool, Parameter(negative="")] = False
    """Replace the run in the folder."""
    resume: Annotated[bool, Parameter(negative="")] = False
    """Resume an interrupted run from its last checkpoint; a finished run is shown."""
    checkpoint_every: float = Field(10.0, ge=0)
    """Least number of seconds between two checkpoints."""
    no_attributes: Annotated[bool, Parameter(negative="")] = False
    """Leave the columns of the nodes table out of the run and its page, which else show the first 8, used or not."""
    track: tuple[str, ...] = ()
    """Experiment tracker, once for each: tensorboard[:DIR], mlflow[:DIR or URI] or wandb[:PROJECT]."""
    attributes: str = ""
    """Columns of the nodes table that the run and its page show, separated by commas; the first 8 unless given."""


DEFAULT_OUTPUT = Output()


@app.command
def train(
    data: str = "cora",
    /,
    *,
    preset_name: Annotated[str, Parameter(name="--preset")] = DEFAULT_PRESET,
    output: Annotated[Output, Flat] = DEFAULT_OUTPUT,
    baseline: bool = True,
    json: Json = False,
    network: Annotated[Network, Flat] = Network(),
    config: Annotated[Config, Flat] = Config(),
    split: Annotated[SplitChoice, Flat] = SplitChoice(),
    folds: Annotated[FoldChoice, Flat] = FoldChoice(),
    labelled: Annotated[LabelFile, Flat] = LabelFile(),
    tables: Annotated[Tables, Flat] = Tables(),
) -> None:
    """Train a network on a graph and compare it with typical training.

    Example: highway train cora --model gat --fit.lr 0.005

    Parameters
    ----------
    data
        cora, citeseer, pubmed, a folder with nodes.csv and edges.csv, a csv, parquet, npz or gexf file, or a database.
    preset_name
        Preset that the options change: plus, consistent, or the paper's full, typical, without-explicit, without-joint.
    baseline
        Train the same network without HighwayGraph too, for comparison.
    """
    from highwaygraph.cli import defaults, loading, training_run

    chosen, trackers = _with_options(preset_name, config, baseline=baseline), _checked_trackers(output)
    with training_run.process_group() as is_main:
        whole = _shown_columns(loading.one_split(loading.read(data, tables, network.model, labelled), split), output)
        network = defaults.default_network(network, whole, chosen)
        graph, number = defaults.choose_nodes(whole, folds, split, network, chosen)
        target = _target(output.out or _default_out(graph, network, preset_name), output, trackers)
        result = training_run.train_or_reopen(graph, network, chosen, target, number, with_baseline=baseline)
    if is_main:
        _print_run(result, target.out, json=json)


@app.command
def tune(
    data: str = "cora",
    /,
    *,
    preset_name: Annotated[str, Parameter(name="--preset")] = DEFAULT_PRESET,
    trials: PositiveInt = 50,
    storage: Path | None = None,
    json: Json = False,
    network: Annotated[Network, Flat] = Network(),
    config: Annotated[Config, Flat] = Config(),
    split: Annotated[SplitChoice, Flat] = SplitChoice(),
    tables: Annotated[Tables, Flat] = Tables(),
) -> None:
    """Search learning rate, width, dropout and other options on validation, and print the command of the best.

    Example: highway tune cora --trials 20

    Parameters
    ----------
    data
        A graph, as for train.
    preset_name
        Preset that is trained, as for train.
    trials
        Number of trainings, including those already in the storage.
    storage
        SQLite file of the trials, from which a search resumes; runs/tune-DATA-MODEL-PRESET.db unless given.
    """
    from highwaygraph.cli import defaults, loading, training_run, trials_table

    chosen, given = _with_options(preset_name, config), _given(network, config, split, tables)
    graph = loading.choose_split(loading.read(data, tables, network.model), split)
    network = defaults.network_of_types(network, graph)
    storage = storage or Path("runs") / f"tune-{_default_name(graph, network, preset_name)}.db"
    best = training_run.tune(graph, network, chosen, storage, trials)
    command = _command(data, preset_name, given | {"model": network.model}, best.options)
    if json:
        return print_result(trials_table.record(best) | {"command": command})
    print_result(trials_table.trials_table(best))
    print_result(f"Best: validation {100 * best.val:.1f} %. Command:\n{command}")


def _default_name(graph: "Graph", network: Network, preset_name: str) -> str:
    """Return DATA-MODEL-PRESET; the name of the graph may come from a file, and is no path."""
    from highwaygraph.runs.outputs import plain_name

    return f"{plain_name(graph.name)}-{network.model}-{preset_name}"


def _default_out(graph: "Graph", network: Network, preset_name: str) -> Path:
    return Path("runs") / f"{_default_name(graph, network, preset_name)}-{datetime.now():%Y%m%d-%H%M%S}"


def _shown_columns(graph: "Graph", output: Output) -> "Graph":
    """Return the graph with those of the user's columns that the run folder and its page are to hold."""
    from highwaygraph.graph.graph import with_attributes

    names = [name.strip() for name in output.attributes.split(",") if name.strip()]
    if names and output.no_attributes:
        raise ConfigError("--attributes and --no-attributes exclude each other: leave out one of them.")
    return with_attributes(graph, names) if names or output.no_attributes else graph


def _given(*parts: Options) -> dict[str, object]:
    """Return the options that the user named, by dotted name."""
    return {name: value for part in parts for name, value in dotted(part, only_set=True).items()}


def _command(data: str, preset_name: str, given: dict[str, object], found: dict[str, object]) -> str:
    """Return the command that trains with the options given and those found, data and split included."""
    words = ["highway", "train", data, "--preset", preset_name]
    for name, value in (given | {name.removeprefix("network."): value for name, value in found.items()}).items():
        several = value if isinstance(value, tuple) else (value,)
        shown = [f"{each:.4g}" if isinstance(each, float) else str(each) for each in several]
        words += ["--" + name.replace("_", "-"), *shown]
    return without_passwords(shlex.join(words))


def _target(out: Path, output: Output, trackers: "tuple[Tracker, ...]") -> "training_run.Target":
    """Return where the run is written, with the command that repeats it elsewhere and the one that resumes it."""
    from highwaygraph.cli import training_run
    from highwaygraph.runtime.distributed import world_size

    arguments = _without_output(present_arguments(sys.argv[1:], warn=False))
    # The command is written to the run folder and shown in the report.
    command = without_passwords(shlex.join(["highway", *arguments]))
    place = shlex.join(["--out", str(out), "--resume", *(["--force"] if output.force else [])])
    resume = f"{command} {place}" if world_size() == 1 else f"the same torchrun command, with {place}"
    return training_run.Target(out, output.force, output.resume, command, resume, output.checkpoint_every, trackers)


def _without_output(arguments: list[str]) -> list[str]:
    kept, skip = [], False
    for argument in arguments:
        if not skip and argument not in ("--force", "--resume") and not argument.startswith("--out"):
            kept.append(argument)
        skip = argument == "--out"
    return kept


def _checked_trackers(output: Output) -> "tuple[Tracker, ...]":
    """Return the trackers, after the options of the output were checked: both are wrong before any data is read."""
    from highwaygraph.runs.trackers.parse import make_trackers

    if output.resume and output.out is None:
        raise ConfigError("--resume needs --out: the folder of the run to resume.")
    return make_trackers(output.track)


def _with_options(preset_name: str, config: Config, *, baseline: bool = True) -> Config:
    """Return the preset with the options given, refusing those that would have no effect."""
    given = dotted(config, only_set=True)
    chosen = override(preset(preset_name), given)
    unused = [name for name in ANCHOR_OPTIONS if name in given]
    if unused and chosen.highway.targets == "partners":
        raise ConfigError(f"{unused[0]} is about anchors, which {preset_name} does not use: add --preset full.")
    return chosen if baseline else override(chosen, {"select.typical": False})


def _print_run(result: "Result", out: Path, *, json: bool) -> None:
    from highwaygraph.cli import candidates_table, class_table, fold_table, label_table, next_steps, render
    from highwaygraph.report import class_comparison, summary

    if result.label_thresholds:
        return label_table.print_label_run(result, out, json=json)
    comparison = summary.compare(result)
    if json:
        return print_result(comparison.as_dict() | {"path": str(out)})
    print_result(render.headline(result))
    if result.folds is not None:
        print_result(fold_table.folds_table(result.folds))
    print_result(render.rounds_table(result))
    if result.candidates:
        print_result(candidates_table.candidates_table(result))
    print_result(render.hops_table(comparison))
    print_result(class_table.verdict_lines(comparison))
    if class_comparison.needs_classes(comparison.classes):
        print_result(class_table.class_table(comparison))
    print_result(f"\nSaved to {out}")
    print_result(next_steps.next_steps(out, explains=result.data.hetero is None))
