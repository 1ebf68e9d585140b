"""The command line: words become values here, and errors become one sentence and an exit code."""

import json as jsonlib
import shlex
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, CycloptsError, Parameter, validators
from rich.console import Console

from highwaygraph import __version__
from highwaygraph.config import Config, Network, dotted, override, preset
from highwaygraph.errors import HighwayError

if TYPE_CHECKING:
    from torch_geometric.data import Data

    from highwaygraph.results import Result

Flat = Parameter(name="*")
AtLeastOne = Parameter(validator=validators.Number(gte=1))
Json = Annotated[bool, Parameter(negative="", help="Print one JSON document instead of tables.")]

app = App(
    name="highway",
    version=__version__,
    help="Train any graph neural network so that nodes far from every label are classified well.",
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
    split: Literal["auto", "given", "random"] = "auto",
    train: Annotated[int, AtLeastOne] = 20,
    val: Annotated[int, AtLeastOne] = 30,
    split_seed: int = 0,
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
        cora, citeseer, pubmed, a Planetoid folder or an .npz file.
    preset_name
        typical, without-explicit, without-joint or full; other options change it.
    split
        given uses the graph's own masks, random draws per class; auto prefers given.
    train
        Training nodes per class of a random split.
    val
        Validation nodes per class of a random split; the rest is test.
    split_seed
        Seed of a random split.
    out
        Folder for the run; runs/DATA-MODEL-PRESET-TIME unless given.
    force
        Replace the run that is in the folder.
    resume
        If the folder holds this very run already, show it instead of training again.
    baseline
        Also run typical training, for comparison.
    """
    from highwaygraph.runs import claim, is_run

    chosen = override(preset(preset_name), dotted(config, only_set=True))
    graph = _split(_load(data), split, train, val, split_seed)
    out = out or Path("runs") / f"{graph.name}-{network.model}-{preset_name}-{datetime.now():%Y%m%d-%H%M%S}"
    if resume and is_run(out):
        result, typical = _reopen(out, chosen, network, graph), None
    else:
        claim(out, force=force)
        result, typical = _run(graph, network, chosen, baseline=baseline and preset_name != "typical")
        result.save(out, force=force, command=shlex.join(["highway", *sys.argv[1:]]))
    _show_run(result, typical, out, json=json)


@app.command
def inspect(data: str = "cora", /, *, json: Json = False) -> None:
    """Tell what is in a graph, and how far its nodes are from labels.

    Example: highway inspect cora

    Parameters
    ----------
    data
        cora, citeseer, pubmed, a Planetoid folder or an .npz file.
    """
    from highwaygraph import console, summary

    found = summary.inspect(_load(data))
    _say(found.numbers if json else console.inspection(found))


@app.command
def predict(run: Path, data: str | None = None, /, *, out: Path | None = None) -> None:
    """Write class and confidence of every node, with its own id, as CSV.

    Example: highway predict runs/mine --out predictions.csv

    Parameters
    ----------
    run
        A run folder.
    data
        Another graph with the same features; the run's own graph unless given.
    out
        File to write; the terminal unless given.
    """
    from highwaygraph.results import open_run, table

    text = table(open_run(run), None if data is None else _load(data))
    if out is None:
        sys.stdout.write(text)
    else:
        _write(out, text)


@data_app.command
def get(*names: str) -> None:
    """Bring public datasets into the cache folder, each file verified by its checksum.

    Example: highway data get citeseer pubmed

    Parameters
    ----------
    names
        citeseer, pubmed.
    """
    from highwaygraph.console import errors
    from highwaygraph.data.fetch import fetch

    for name in names:
        _say(f"{name}: {fetch(name, errors.print)}")


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
        return _fail(str(error), 2)
    except KeyboardInterrupt:
        return _fail("Stopped before the end; nothing was written.", 130)
    except BrokenPipeError:
        # The reader went away, as `head` does: nothing to complain about.
        sys.stderr.close()
        return 0
    except Exception as error:
        if debug:
            raise
        return _fail(f"{type(error).__name__}: {error} (add --debug to see where).", 1)
    return 0


def _fail(sentence: str, code: int) -> int:
    from highwaygraph.console import errors

    errors.print(sentence, style="red", markup=False, highlight=False, soft_wrap=True)
    return code


def _say(what: Any) -> None:
    """Print a renderable or, of plain values, one JSON document."""
    if isinstance(what, dict):
        sys.stdout.write(jsonlib.dumps(what, indent=1) + "\n")
    else:
        Console(highlight=False, soft_wrap=True).print(what)


def _load(source: str) -> "Data":
    from highwaygraph.data import load

    return load(source)


def _split(data: "Data", how: str, train: int, val: int, seed: int) -> "Data":
    from highwaygraph.splits import check_split, split

    if how == "given" or (how == "auto" and "train_mask" in data):
        return check_split(data)
    return split(data, train=train, val=val, seed=seed)


def _run(graph: "Data", network: Network, config: Config, *, baseline: bool) -> "tuple[Result, Result | None]":
    from highwaygraph import console, engine, models

    model = models.GNN(network, graph.x.size(1), models.num_classes(graph))
    typical = None
    if baseline:
        plain = override(config, {"pairs.weight": 0.0, "highway.rounds": 1})
        with console.progress("typical training", 1, config.fit.epochs) as report:
            typical = engine.train(model, graph, plain, on_epoch=report)
    with console.progress("HighwayGraph", config.highway.rounds, config.fit.epochs) as report:
        return engine.train(model, graph, config, on_epoch=report), typical


def _reopen(path: Path, config: Config, network: Network, graph: "Data") -> "Result":
    from highwaygraph.data.hashes import data_hash, split_hash
    from highwaygraph.errors import RunError
    from highwaygraph.models import GNN
    from highwaygraph.results import open_run

    result = open_run(path)
    same = result.config == config and isinstance(result.model, GNN) and result.model.network == network
    if not same or (data_hash(result.data), split_hash(result.data)) != (data_hash(graph), split_hash(graph)):
        raise RunError(f"{path} holds a run with other options or data: choose another folder, or --force.")
    return result


def _show_run(result: "Result", typical: "Result | None", out: Path, *, json: bool) -> None:
    from highwaygraph import console, summary

    comparison = summary.compare(result, typical)
    if json:
        return _say(comparison.as_dict() | {"path": str(out)})
    _say(console.headline(result))
    _say(console.rounds_table(result))
    _say(console.hops_table(comparison))
    _say(f"Saved to {out}")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as error:
        raise HighwayError(f"Cannot write {path}: {error.strerror}. Choose another file.") from error
