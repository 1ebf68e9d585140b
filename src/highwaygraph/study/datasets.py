"""Datasets of studies by name: public ones, files and folders, a folder of other graphs, and generated tables."""

import os
import re
from pathlib import Path

from highwaygraph.data.load import load
from highwaygraph.errors import DataError, did_you_mean
from highwaygraph.graph.graph import Graph

# Only these forms are names; a path such as ./zoo/NAME or zoo/NAME.npz is read as for `load`.
ZOO, TABLES = re.compile(r"zoo/([\w-]+)"), re.compile(r"tables/([\w-]+)")


def load_dataset(name: str) -> Graph:
    """Return the graph that a study names.

    Args:
        name: `zoo/NAME` for NAME.npz in the folder zoo below HIGHWAYGRAPH_DATA, `tables/NAME` for generated tables, or
            any name or path that `highwaygraph.load` takes.

    Returns:
        The validated graph.

    Example:
        >>> load_dataset("tables/sensors").num_nodes
        1500
    """
    if found := ZOO.fullmatch(name):
        return load(_zoo_file(found[1]))
    if found := TABLES.fullmatch(name):
        return _generated(found[1])
    return load(name)


def _zoo_file(name: str) -> Path:
    given = os.environ.get("HIGHWAYGRAPH_DATA")
    if not given:
        raise DataError(f"HIGHWAYGRAPH_DATA is not set: set it to a folder that holds zoo/{name}.npz.")
    folder = Path(given, "zoo").expanduser()
    if not folder.is_dir():
        raise DataError(
            f"There is no folder zoo in {given}: set HIGHWAYGRAPH_DATA to a folder that holds zoo/{name}.npz."
        )
    if not (folder / f"{name}.npz").is_file():
        names = sorted(path.stem for path in folder.glob("*.npz"))
        raise DataError(f"There is no {name}.npz in {folder} (HIGHWAYGRAPH_DATA).{did_you_mean(name, names)}")
    return folder / f"{name}.npz"


def _generated(name: str) -> Graph:
    try:
        from highwaygraph.study.tables.generate import generate
    except ImportError as error:
        raise DataError(f"Tables need {error.name}: pip install 'highwaygraph[tables]'.") from error
    graph = load(*generate(name))
    graph.name = name
    return graph
