"""Commands about graphs and what is known of their nodes: inspect, predict, export and data."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from highwaygraph.cli.app import Flat, Json, app, data_app
from highwaygraph.cli.render import print_result
from highwaygraph.config import Tables
from highwaygraph.errors import ConfigError
from highwaygraph.runtime.progress import stderr


@app.command
def inspect(data: str = "cora", /, *, tables: Annotated[Tables, Flat] = Tables(), json: Json = False) -> None:
    """Tell what is in a graph, how it was read, and how far its nodes are from labels.

    Example: highway inspect cora

    Parameters
    ----------
    data
        cora, citeseer, pubmed, a folder with nodes.csv and edges.csv, or a csv, parquet, npz, graphml or gexf file.
    """
    from highwaygraph.cli import loading, render
    from highwaygraph.report import summary

    found = summary.inspect(loading.read(data, tables))
    print_result(found.numbers if json else render.inspection(found))


@app.command
def verify(path: Path, /, *, json: Json = False) -> None:
    """Tell whether every file of a run, or every array of a converted graph, is still as it was written.

    Example: highway verify runs/mine

    Parameters
    ----------
    path
        A run folder, or one that `highway data convert` wrote.
    """
    from highwaygraph.data.mapped.store import is_mapped_graph, verify_mapped_graph
    from highwaygraph.runs import folder as run_folder

    names = verify_mapped_graph(path) if is_mapped_graph(path) else run_folder.verify(path)
    print_result(
        {"path": str(path), "files": names} if json else f"{len(names)} files of {path} are as they were written."
    )


@app.command
def predict(
    run: Path,
    data: str | None = None,
    /,
    *,
    tables: Annotated[Tables, Flat] = Tables(),
    attach: Annotated[bool, Parameter(negative="")] = False,
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
    attach
        Take the graph given for new nodes of the run's own, joined to it by edges that name its ids.
    out
        CSV or Parquet file to write; the terminal unless given.
    """
    from highwaygraph.cli import loading
    from highwaygraph.runs import predictions
    from highwaygraph.runs.open import open_run
    from highwaygraph.runs.predictions import prediction_table

    result = open_run(run)
    if attach and data is None:
        raise ConfigError("--attach needs the new nodes: highway predict RUN PATH --attach.")
    found = prediction_table(result, None if data is None else loading.read_like(data, tables, result, attach=attach))
    if out is not None:
        predictions.write(found, out)
    if json:
        rows = [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]
        print_result({"predictions": rows} if out is None else {"path": str(out)})
    else:
        print_result(f"Written to {out}") if out is not None else sys.stdout.write(predictions.to_csv(found))


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
    from highwaygraph.runs.export import ENDINGS, export
    from highwaygraph.runs.open import open_run

    result = open_run(run).edge_list()
    if not result.highways.size(1):
        stderr.print("The answer of this run was trained without highways: the graph is as it was.", soft_wrap=True)
    paths = export(result, to, out or run / (f"graph{ENDINGS[to]}" if ENDINGS[to] else f"graph-{to}"))
    print_result({"paths": [str(path) for path in paths]} if json else "\n".join(map(str, paths)))


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
    from highwaygraph.data.download import download

    places = {each: str(download(each, stderr.print)) for each in (name, *names)}
    print_result(places if json else "\n".join(f"{each}: {place}" for each, place in places.items()))


@data_app.command
def convert(data: str, folder: Path, /, *, tables: Annotated[Tables, Flat] = Tables(), json: Json = False) -> None:
    """Write a graph into a folder of mapped arrays, which opens at once however large it is; tables are streamed.

    Example: highway data convert papers/ papers.graph

    Parameters
    ----------
    data
        A graph, as for train.
    folder
        The new folder; train, inspect and predict take it like any other graph.
    """
    from highwaygraph.cli import loading
    from highwaygraph.graph.queries import adjacencies

    made = loading.convert(data, tables, folder)
    facts = {"nodes": made.num_nodes, "edges": len(adjacencies(made)[0].col) // 2, "features": made.x.size(1)}
    shown = ", ".join(f"{count:,} {name}" for name, count in facts.items())
    print_result({"path": str(folder), **facts} if json else f"Written to {folder}: {shown}")
