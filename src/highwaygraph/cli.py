"""The command line: words become values here, and errors become one sentence and an exit code."""

import shlex
import sys
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, CycloptsError, Parameter, validators

from highwaygraph import __version__
from highwaygraph.config import Config, Network, SplitChoice, Tables, preset
from highwaygraph.console import complain, errors, say
from highwaygraph.errors import ConfigError, HighwayError
from highwaygraph.values import dotted, override

if TYPE_CHECKING:
    from highwaygraph.results import Result

Flat = Parameter(name="*")
Json = Annotated[bool, Parameter(negative="", help="Print one JSON document instead of tables.")]

app = App(
    name="highway",
    version=__version__,
    help="Train any graph neural network so that nodes far from every label are classified well.",
    help_epilogue="With --debug, any command shows where an error came from.",
    # Ctrl-C is ours to explain.
    suppress_keyboard_interrupt=False,
)
data_app = App(name="data", help="Bring public datasets. Example: highway data get citeseer pubmed")
app.command(data_app)


@app.command
def train(
    data: str = "cora",
    /,
    *,
    network: Annotated[Network, Flat] = Network(),
    preset_name: Annotated[str, Parameter(name="--preset")] = "full",
    config: Annotated[Config, Flat] = Config(),
    split: Annotated[SplitChoice, Flat] = SplitChoice(),
    tables: Annotated[Tables, Flat] = Tables(),
    out: Path | None = None,
    force: Annotated[bool, Parameter(negative="")] = False,
    resume: Annotated[bool, Parameter(negative="")] = False,
    baseline: bool = True,
    json: Json = False,
) -> None:
    """Train on a graph and show what changed, typical training beside HighwayGraph.

    Example: highway train cora --model gat --preset full --fit.lr 0.005

    Parameters
    ----------
    data
        cora, citeseer, pubmed, a folder with nodes.csv and edges.csv, or a csv, parquet, npz, graphml or gexf file.
    preset_name
        The paper's typical, without-explicit, without-joint or full, or our consistent or plus; options change it.
    out
        Folder for the run; runs/DATA-MODEL-PRESET-TIME unless given.
    force
        Replace the run that is in the folder.
    resume
        If the folder holds this very run already, show it instead of training again.
    baseline
        Also run typical training, for comparison.
    """
    from highwaygraph import workflow
    from highwaygraph.runs import claim, is_run

    chosen = override(preset(preset_name), dotted(config, only_set=True))
    if resume and out is None:
        raise ConfigError("--resume needs --out: the folder of the run to go on with.")
    graph = workflow.choose_split(workflow.read(data, tables, network.model), split)
    out = out or Path("runs") / f"{graph.name}-{network.model}-{preset_name}-{datetime.now():%Y%m%d-%H%M%S}"
    if resume and is_run(out) and not force:
        result = workflow.reopen(out, chosen, network, graph)
    else:
        claim(out, force=force)
        beside = baseline and preset_name != "typical"
        result = workflow.train_beside_typical(graph, network, chosen, beside=beside)
        result.save(out, force=force, command=shlex.join(["highway", *sys.argv[1:]]))
    _show_run(result, out, json=json)


@app.command
def inspect(data: str = "cora", /, *, tables: Annotated[Tables, Flat] = Tables(), json: Json = False) -> None:
    """Tell what is in a graph, how it was read, and how far its nodes are from labels.

    Example: highway inspect cora

    Parameters
    ----------
    data
        cora, citeseer, pubmed, a folder with nodes.csv and edges.csv, or a csv, parquet, npz, graphml or gexf file.
    """
    from highwaygraph import console, summary, workflow

    found = summary.inspect(workflow.read(data, tables))
    say(found.numbers if json else console.inspection(found))


@app.command
def predict(
    run: Path,
    data: str | None = None,
    /,
    *,
    tables: Annotated[Tables, Flat] = Tables(),
    out: Path | None = None,
    json: Json = False,
) -> None:
    """Write class and confidence of every node with its own id, hops to the nearest label and origin of its highways.

    Example: highway predict runs/mine --out predictions.csv

    Parameters
    ----------
    run
        A run folder.
    data
        Another graph with the same features; the run's own graph, highways included, unless given.
    out
        CSV or Parquet file to write; the terminal unless given.
    """
    from highwaygraph import predictions, workflow
    from highwaygraph.results import open_run, table

    result = open_run(run)
    found = table(result, None if data is None else workflow.read_like(data, tables, result))
    if out is not None:
        predictions.write(found, out)
    if json:
        rows = [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]
        say({"predictions": rows} if out is None else {"path": str(out)})
    elif out is None:
        sys.stdout.write(predictions.to_csv(found))


@app.command
def study(
    name: str = "",
    /,
    *,
    cells: str = "",
    workers: Annotated[int, Parameter(validator=validators.Number(gte=0))] = 0,
    launcher: Literal["local", "ray"] = "local",
    out: Path = Path("results"),
    list_names: Annotated[bool, Parameter(name="--list", negative="")] = False,
    json: Json = False,
) -> None:
    """Run a grid of the paper, or what is missing of it, and print it beside the paper's numbers.

    Example: highway study table1 --cells dataset=cora,model=gcn

    Parameters
    ----------
    name
        One of the shipped grids (see --list), or a TOML file of your own.
    cells
        Only these cells: AXIS=VALUE, separated by commas.
    workers
        Cells that run at once, one thread each; 0 means one per core.
    launcher
        local runs cells here, ray on the cores of an existing Ray cluster.
    out
        Folder of the results files, one line per finished cell.
    list_names
        Tell which grids there are, how large they are and how much of them is done.
    """
    from highwaygraph import console, tables, workflow

    if list_names or not name:
        found = workflow.grids(out)
        return say({"studies": found} if json else console.grids_table(found))
    grid, rows = workflow.run_study(name, _pairs_of(cells), out, workers, launcher)
    if json:
        return say({"study": grid.name, "rows": [asdict(row) for row in rows]})
    lines = [tables.shown(grid, row) for row in rows]
    say(console.study_table(grid.title, tables.heads(grid), lines))


@app.command
def tune(
    data: str = "cora",
    /,
    *,
    trials: Annotated[int, Parameter(validator=validators.Number(gte=1))] = 50,
    network: Annotated[Network, Flat] = Network(),
    preset_name: Annotated[str, Parameter(name="--preset")] = "full",
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
    from highwaygraph import workflow

    chosen = override(preset(preset_name), dotted(config, only_set=True))
    graph = workflow.choose_split(workflow.read(data, tables, network.model), split)
    store = store or Path("runs") / f"tune-{graph.name}-{network.model}-{preset_name}.db"
    best = workflow.tune(graph, network, chosen, store, trials)
    words = ["highway", "train", data, "--model", network.model, "--preset", preset_name]
    words += [word for name, value in best.options.items() for word in (_option(name), str(value))]
    command = shlex.join(words)
    if json:
        return say({"val": best.val, "options": best.options, "trials": best.trials, "command": command})
    say(f"Best of {best.trials} trials: validation {100 * best.val:.1f} %. Train so with:\n{command}")


@app.command
def report(
    what: str,
    /,
    *,
    out: Path | None = None,
    figures: Path | None = None,
    results: Path = Path("results"),
    json: Json = False,
) -> None:
    """Make one HTML page of a run or a study, which opens from disk.

    Example: highway report runs/mine

    Parameters
    ----------
    what
        A run folder, the name of a shipped study, or a TOML file of your own study.
    out
        HTML file to write; report.html in the run's folder, or NAME.html beside the study's records, unless given.
    figures
        Folder for every figure as SVG, PDF and PNG, for papers.
    results
        Folder of the studies' results files.
    """
    from highwaygraph import workflow

    made = workflow.report(what, results, out, figures)
    if json:
        return say({"page": str(made.page), "figures": [str(path) for path in made.figures]})
    say(f"Page: {made.page}")
    if figures is not None:
        say(f"Figures: {len(made.figures)} files in {figures}")


@app.command
def export(
    run: Path,
    /,
    *,
    to: Literal["graphml", "csv", "parquet", "npz", "pt-safe"] = "csv",
    out: Path | None = None,
    json: Json = False,
) -> None:
    """Write the improved graph, every highway with its round, confidence and pair score.

    Example: highway export runs/mine --to graphml

    Parameters
    ----------
    run
        A run folder.
    to
        csv and parquet make a folder of two tables, graphml, npz and pt-safe (safetensors) one file.
    out
        Where to write; graph, with the ending of its kind, in the run's folder unless given.
    """
    from highwaygraph.export import ENDINGS, export
    from highwaygraph.results import open_run

    paths = export(open_run(run), to, out or run / f"graph-{to}{ENDINGS[to]}")
    say({"paths": [str(path) for path in paths]} if json else "\n".join(map(str, paths)))


@data_app.command
def get(name: str, /, *names: str, json: Json = False) -> None:
    """Bring public datasets into the cache folder, each file verified by its checksum.

    Example: highway data get citeseer pubmed

    Parameters
    ----------
    name
        citeseer or pubmed.
    names
        More of them.
    """
    from highwaygraph.data.fetch import fetch

    places = {each: str(fetch(each, errors.print)) for each in (name, *names)}
    say(places if json else "\n".join(f"{each}: {place}" for each, place in places.items()))


def main(words: list[str] | None = None) -> None:
    """Run the command line and exit with 0, with 1 where something failed, or with 2 where it was asked wrongly."""
    words = sys.argv[1:] if words is None else words
    debug = "--debug" in words
    sys.exit(_guard(lambda: app([w for w in words if w != "--debug"], exit_on_error=False, print_error=False), debug))


def _guard(run: Callable[[], object], debug: bool) -> int:
    try:
        run()
    except (HighwayError, CycloptsError) as error:
        if debug:
            raise
        return complain(str(error), getattr(error, "exit_code", 2))
    except KeyboardInterrupt:
        return complain("Stopped before the end; nothing was written.", 130)
    except Exception as error:
        if debug:
            raise
        return complain(f"{type(error).__name__}: {error} (add --debug to see where).", 1)
    return 0


def _option(name: str) -> str:
    """Return a dotted name as the command line takes it."""
    return "--" + name.removeprefix("network.").replace("_", "-")


def _pairs_of(cells: str) -> dict[str, str]:
    parts = [part.split("=", 1) for part in cells.split(",") if part]
    if any(len(part) != 2 for part in parts):
        raise ConfigError(f"--cells takes AXIS=VALUE, separated by commas, not {cells!r}.")
    return {name.strip(): value.strip() for name, value in parts}


def _show_run(result: "Result", out: Path, *, json: bool) -> None:
    from highwaygraph import console, summary

    comparison = summary.compare(result)
    if json:
        return say(comparison.as_dict() | {"path": str(out)})
    say(console.headline(result))
    say(console.rounds_table(result))
    say(console.hops_table(comparison))
    say(f"Saved to {out}")
