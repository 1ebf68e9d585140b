"""Commands about graphs and predictions: inspect, verify, predict, export and data."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from highwaygraph.cli.app import Flat, Json, app, data_app
from highwaygraph.cli.output import print_result, print_table
from highwaygraph.config import Tables
from highwaygraph.errors import ConfigError
from highwaygraph.runtime.progress import stderr

if TYPE_CHECKING:
    from highwaygraph.graph.graph import Graph
    from highwaygraph.runs import predictions
    from highwaygraph.runs.result import Result


@app.command
def inspect(data: str = "cora", /, *, tables: Annotated[Tables, Flat] = Tables(), json: Json = False) -> None:
    """Show the properties of a graph, how its columns were read, and the hops of its nodes to labels.

    Example: highway inspect cora

    Parameters
    ----------
    data
        cora, citeseer, pubmed, a folder with nodes.csv and edges.csv, a csv, parquet, npz or gexf file, or a database.
    """
    from highwaygraph.cli import loading, render
    from highwaygraph.report import inspection

    found = inspection.inspect(loading.read(data, tables))
    print_result(found.numbers if json else render.inspection(found))


@app.command
def verify(path: Path, /, *, json: Json = False) -> None:
    """Verify the checksums of a run folder or of a converted graph.

    Example: highway verify runs/mine

    Parameters
    ----------
    path
        A run folder, or a folder written by highway data convert.
    """
    from highwaygraph.data.mapped.store import is_mapped_graph, verify_mapped_graph
    from highwaygraph.runs import folder as run_folder

    names = verify_mapped_graph(path) if is_mapped_graph(path) else run_folder.verify(path)
    print_result(
        {"path": str(path), "files": names} if json else f"{len(names)} files of {path} match their checksums."
    )


@app.command
def predict(
    run: Path,
    data: str | None = None,
    /,
    *,
    tables: Annotated[Tables, Flat] = Tables(),
    attach: Annotated[bool, Parameter(negative="")] = False,
    coverage: float | None = None,
    out: str | None = None,
    force: Annotated[bool, Parameter(negative="")] = False,
    json: Json = False,
) -> None:
    """Predict the class and the calibrated probabilities of every node, with its known label, hops and highways.

    Example: highway predict runs/mine --out predictions.csv

    Parameters
    ----------
    run
        A run folder.
    data
        Another graph with the same features; the graph of the run with its highways unless given.
    attach
        Treat DATA as new nodes; its edges may refer to existing node ids.
    coverage
        Add the set of classes that holds the true one for this share of the nodes, such as 0.9.
    out
        CSV or Parquet file to write, or a table of a database as in sqlite:FILE#TABLE; stdout unless given.
    force
        Replace an earlier prediction in the table of the database.
    """
    from highwaygraph.runs.open import open_run
    from highwaygraph.runs.probabilities import probability_table

    result = open_run(run)
    other = _other_graph(data, tables, result, attach=attach)
    _print_predictions(probability_table(result, other, coverage), out, force=force, json=json)
    if coverage is not None:
        _print_coverage(result, coverage, is_same=other is None)


def _other_graph(data: str | None, tables: Tables, result: "Result", *, attach: bool) -> "Graph | None":
    from highwaygraph.cli import loading

    if data is None:
        if attach:
            raise ConfigError("--attach needs the new nodes: highway predict RUN PATH --attach.")
        return None
    return loading.read_like(data, tables, result, attach=attach)


def _print_coverage(result: "Result", coverage: float, *, is_same: bool) -> None:
    """Print the coverage by distance of nodes that neither trained nor calibrated, and why sets hold all classes."""
    from highwaygraph.data.tables.read_log import counted
    from highwaygraph.runs.calibrated import held_out_predictions
    from highwaygraph.runs.conformal import coverage_by_distance, least_nodes

    held_out, least = len(held_out_predictions(result).labels), least_nodes(coverage)
    if held_out < least:
        sentence = f"Every set holds all classes: a coverage of {100 * coverage:g} % needs {least:,} held-out labels"
        stderr.print(f"{sentence}, and there are {held_out:,}.", soft_wrap=True)
    for row in coverage_by_distance(result, coverage) if is_same else ():
        place = "All" if row.hops == "all" else f"Hops {row.hops}"
        share = f"{100 * row.coverage:.1f} % covered, {row.size:.2f} classes per set"
        stderr.print(f"{place}: {counted(row.nodes, 'nodes')}, {share}", soft_wrap=True)


def _print_predictions(table: "predictions.Columns", out: str | None, *, force: bool, json: bool) -> None:
    from highwaygraph.data.databases.address import is_database
    from highwaygraph.runs import predictions

    if out is not None:
        place = out
        if is_database(out):
            place = _write_to_database(table, out, force=force)
        elif force:
            raise ConfigError("--force replaces a table of a database: leave it out for a file.")
        else:
            predictions.write(table, Path(out))
        print_result({"path": place} if json else f"Written to {place}")
    elif json:
        rows = zip(*table.values(), strict=True)
        print_result({"predictions": [dict(zip(table, row, strict=True)) for row in rows]})
    else:
        print_table(predictions.to_csv(table))


def _write_to_database(table: "predictions.Columns", out: str, *, force: bool) -> str:
    """Write predictions to a table, and return its place without the password."""
    from highwaygraph.data.databases.address import parse_target
    from highwaygraph.runtime.environment import require_extra

    require_extra("pyarrow", "A database", "sql")
    from highwaygraph.data.databases.write import write_table

    address, name = parse_target(out)
    write_table(table, address, name, replace=force)
    return f"{address}#{name}"


@app.command
def export(
    run: Path,
    /,
    *,
    to: Literal["graphml", "csv", "parquet", "npz", "pt-safe"] = "csv",
    out: Path | None = None,
    json: Json = False,
) -> None:
    """Export the graph with its highways and their round, confidence and pair score.

    Example: highway export runs/mine --to graphml

    Parameters
    ----------
    run
        A run folder.
    to
        csv and parquet write a folder of two tables; graphml, npz and pt-safe (safetensors) write one file.
    out
        File or folder to write; export with the suffix of its format in the run folder unless given.
    """
    from highwaygraph.runs.export import default_path, export
    from highwaygraph.runs.open import open_run

    result = open_run(run).edge_list()
    if not result.highways.size(1):
        stderr.print("The selected round was trained without highways: the original graph is exported.", soft_wrap=True)
    if result.data.hetero is not None:
        target = result.data.hetero.target
        sentence = f"Nodes of type {target} and the edges between them are exported, the other types are not."
        stderr.print(sentence, soft_wrap=True)
    paths = export(result, to, out or default_path(run, to))
    print_result({"paths": [str(path) for path in paths]} if json else "\n".join(map(str, paths)))


@data_app.command
def get(name: str, /, *names: str, json: Json = False) -> None:
    """Download public datasets to the cache folder and verify their checksums.

    Example: highway data get citeseer pubmed

    Parameters
    ----------
    name
        citeseer or pubmed.
    names
        Further datasets.
    """
    from highwaygraph.data.download import download

    places = {each: str(download(each, stderr.print)) for each in (name, *names)}
    print_result(places if json else "\n".join(f"{each}: {place}" for each, place in places.items()))


@data_app.command
def convert(data: str, folder: Path, /, *, tables: Annotated[Tables, Flat] = Tables(), json: Json = False) -> None:
    """Convert a graph to a folder of memory-mapped arrays; tables are streamed.

    Example: highway data convert papers/ papers.graph

    Parameters
    ----------
    data
        A graph, as for train.
    folder
        The new folder; train, inspect and predict accept it as a graph.
    """
    from highwaygraph.cli import loading
    from highwaygraph.graph.queries import adjacencies

    graph = loading.convert(data, tables, folder)
    sizes = {"nodes": graph.num_nodes, "edges": len(adjacencies(graph)[0].col) // 2, "features": graph.x.size(1)}
    shown = ", ".join(f"{count:,} {name}" for name, count in sizes.items())
    print_result({"path": str(folder), **sizes} if json else f"Written to {folder}: {shown}")
