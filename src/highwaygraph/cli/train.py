"""Commands that train: once, or many times in search of the best options."""

import shlex
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from highwaygraph.cli.app import Flat, Json, app
from highwaygraph.cli.render import print_result
from highwaygraph.config import Config, Network, SplitChoice, Tables
from highwaygraph.errors import ConfigError
from highwaygraph.options import dotted, override
from highwaygraph.presets import preset

if TYPE_CHECKING:
    from highwaygraph.runs.result import Result


# What only tells how anchors are joined.
OF_ANCHORS = ("highway.anchors", "highway.anchor_rule", "highway.pair_threshold", "highway.joint")


@app.command
def train(
    data: str = "cora",
    /,
    *,
    network: Annotated[Network, Flat] = Network(),
    preset_name: Annotated[str, Parameter(name="--preset")] = "plus",
    config: Annotated[Config, Flat] = Config(),
    split: Annotated[SplitChoice, Flat] = SplitChoice(),
    tables: Annotated[Tables, Flat] = Tables(),
    out: Path | None = None,
    force: Annotated[bool, Parameter(negative="")] = False,
    resume: Annotated[bool, Parameter(negative="")] = False,
    baseline: bool = True,
    checkpoint: Annotated[float, Parameter(validator=validators.Number(gte=0))] = 10.0,
    json: Json = False,
) -> None:
    """Train on a graph and show what changed, typical training beside HighwayGraph.

    Example: highway train cora --model gat --fit.lr 0.005

    Parameters
    ----------
    data
        cora, citeseer, pubmed, a folder with nodes.csv and edges.csv, or a csv, parquet, npz, graphml or gexf file.
    preset_name
        Our plus or consistent, or the paper's typical, without-explicit, without-joint or full; options change it.
    out
        Folder for the run; runs/DATA-MODEL-PRESET-TIME unless given.
    force
        Replace the run that is in the folder.
    resume
        Go on with this very run where it was interrupted; if it is finished, show it.
    baseline
        Also run typical training, for comparison.
    checkpoint
        Seconds between two checkpoints, at least; an interrupted run goes on from the last one.
    """
    from highwaygraph.cli import loading
    from highwaygraph.runs.folder import check_writable, is_run

    chosen = _chosen(preset_name, config)
    if resume and out is None:
        raise ConfigError("--resume needs --out: the folder of the run to go on with.")
    with loading.together() as first:
        graph = loading.choose_split(loading.read(data, tables, network.model), split)
        out = out or Path("runs") / f"{graph.name}-{network.model}-{preset_name}-{datetime.now():%Y%m%d-%H%M%S}"
        if resume and is_run(out) and not force:
            result = loading.reopen(out, chosen, network, graph)
        else:
            check_writable(out, force=force)
            place = loading.Place(out, force, resume, *_again(sys.argv[1:], out, force=force), checkpoint)
            beside = baseline and preset_name != "typical"
            result = loading.train_run(graph, network, chosen, place, beside=beside)
    if first:
        _show_run(result, out, json=json)


@app.command
def tune(
    data: str = "cora",
    /,
    *,
    trials: Annotated[int, Parameter(validator=validators.Number(gte=1))] = 50,
    network: Annotated[Network, Flat] = Network(),
    preset_name: Annotated[str, Parameter(name="--preset")] = "plus",
    config: Annotated[Config, Flat] = Config(),
    split: Annotated[SplitChoice, Flat] = SplitChoice(),
    tables: Annotated[Tables, Flat] = Tables(),
    store: Path | None = None,
    json: Json = False,
) -> None:
    """Search learning rate, width, dropout and the like on validation, and print the command of the best.

    Example: highway tune cora --trials 20

    Parameters
    ----------
    data
        A graph, as for train.
    trials
        Trainings in all; what the store holds already counts.
    preset_name
        What is trained, as for train.
    store
        SQLite file that keeps the trials, so that a search goes on where it stopped; runs/tune-DATA-MODEL-PRESET.db.
    """
    from highwaygraph.cli import loading

    chosen = _chosen(preset_name, config)
    graph = loading.choose_split(loading.read(data, tables, network.model), split)
    store = store or Path("runs") / f"tune-{graph.name}-{network.model}-{preset_name}.db"
    best = loading.tune(graph, network, chosen, store, trials)
    given = [dotted(value, only_set=True) for value in (network, config, split, tables)]
    options = {name: value for part in given for name, value in part.items()} | {"model": network.model}
    command = _command(data, preset_name, options | {n.removeprefix("network."): v for n, v in best.options.items()})
    if json:
        return print_result({"val": best.val, "options": best.options, "trials": best.trials, "command": command})
    print_result(f"Best of {best.trials} trials: validation {100 * best.val:.1f} %. Train so with:\n{command}")


def _command(data: str, preset_name: str, options: dict[str, object]) -> str:
    """Return the words that train so, data and split included."""
    words = ["highway", "train", data, "--preset", preset_name]
    for name, value in options.items():
        several = value if isinstance(value, tuple) else (value,)
        shown = [f"{each:.4g}" if isinstance(each, float) else str(each) for each in several]
        words += ["--" + name.replace("_", "-"), *shown]
    return shlex.join(words)


def _again(words: list[str], out: Path, *, force: bool) -> tuple[str, str]:
    """Return the command that trains the same again, elsewhere, and the one that goes on with this run."""
    from highwaygraph.runtime.distributed import world_size

    kept, skip = [], False
    for word in words:
        if not skip and word not in ("--force", "--resume") and not word.startswith("--out"):
            kept.append(word)
        skip = word == "--out"
    place = ["--out", str(out), "--resume", *(["--force"] if force else [])]
    if world_size() > 1:
        return shlex.join(["highway", *kept]), f"the same torchrun command, with {shlex.join(place)}"
    return shlex.join(["highway", *kept]), shlex.join(["highway", *kept, *place])


def _chosen(preset_name: str, config: Config) -> Config:
    """Return the preset with the options given, refusing those that it would not read."""
    given = dotted(config, only_set=True)
    chosen = override(preset(preset_name), given)
    idle = [name for name in OF_ANCHORS if name in given]
    if idle and chosen.highway.targets == "partners":
        raise ConfigError(f"{idle[0]} is about anchors, which {preset_name} does not use: add --preset full.")
    return chosen


def _show_run(result: "Result", out: Path, *, json: bool) -> None:
    from highwaygraph.cli import render
    from highwaygraph.report import summary

    comparison = summary.compare(result)
    if json:
        return print_result(comparison.as_dict() | {"path": str(out)})
    print_result(render.headline(result))
    print_result(render.rounds_table(result))
    print_result(render.hops_table(comparison))
    print_result(f"Saved to {out}")
