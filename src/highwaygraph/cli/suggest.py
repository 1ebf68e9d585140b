"""The command that suggests nodes to label next."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.types import NonNegativeInt, PositiveInt

from highwaygraph.cli.app import Flat, Json, app
from highwaygraph.cli.output import print_result
from highwaygraph.config import Tables
from highwaygraph.errors import ConfigError, RunError
from highwaygraph.options import dotted

if TYPE_CHECKING:
    from highwaygraph.graph.graph import Graph
    from highwaygraph.labelling.table import SuggestionTable
    from highwaygraph.runs.result import Result

Strategy = Literal["auto", "random", "degree", "pagerank", "entropy", "density", "medoids", "age", "coverage"]


@app.command
def suggest(
    source: str,
    /,
    *,
    n: Annotated[PositiveInt, Parameter(name="-n")] = 20,
    strategy: Strategy = "auto",
    labels: Literal["all", "train", "none"] = "all",
    seed: NonNegativeInt = 0,
    tables: Annotated[Tables, Flat] = Tables(),
    out: Path | None = None,
    force: Annotated[bool, Parameter(negative="")] = False,
    json: Json = False,
) -> None:
    """Suggest the nodes to label next, with the reason for each; the graph may have no labels yet.

    Example: highway suggest papers/ -n 20 --out label-these.csv

    Parameters
    ----------
    source
        A graph, as for train, or a run folder, whose predictions show where labels are missing.
    n
        Number of nodes.
    strategy
        auto, or a published one: medoids is FeatProp, coverage is like Grain, entropy needs a run.
    labels
        Labels that count as known: all; train, those of training nodes, for a trial on a labelled graph; or none.
    seed
        Seed of the random generators.
    out
        CSV or Parquet file to write; a table on stdout unless given.
    force
        Replace the suggestions in that file.
    """
    from highwaygraph.labelling.suggest import suggest as find

    _check_new(out, force=force)
    graph, result = _read(source, tables)
    _print_suggestions(find(graph, n, result, strategy, labels=labels, seed=seed), out, json=json)


def _check_new(out: Path | None, *, force: bool) -> None:
    """Refuse to replace a file before any time is spent."""
    if out is not None and (out.exists() or out.is_symlink()) and not force:
        raise RunError(f"{out} exists already: choose another name with --out, or replace it with --force.")


def _read(source: str, tables: Tables) -> "tuple[Graph, Result | None]":
    """Return the graph, and the result where the source is a run folder."""
    from highwaygraph.cli import loading
    from highwaygraph.runs.folder import is_run
    from highwaygraph.runs.open import open_run

    if not is_run(Path(source)):
        return loading.read_unlabelled(source, tables), None
    if given := dotted(tables, only_set=True):
        raise ConfigError(
            f"--{next(iter(given)).replace('_', '-')} is for tables, and {source} is a run: leave it out."
        )
    result = open_run(source)
    return result.data, result


def _print_suggestions(table: "SuggestionTable", out: Path | None, *, json: bool) -> None:
    from dataclasses import asdict

    from highwaygraph.cli.suggestion_table import suggestion_table
    from highwaygraph.runs import predictions

    if out is not None:
        predictions.write(table.columns(), out)
        print_result({"path": str(out)} if json else f"Written to {out}")
    elif json:
        print_result({"strategy": table.strategy, "suggestions": [asdict(row) for row in table]})
    else:
        print_result(suggestion_table(table))
