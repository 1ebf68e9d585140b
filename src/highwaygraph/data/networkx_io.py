"""NetworkX graphs and GraphML, GEXF, GML and edge-list files, read through two tables."""

from pathlib import Path
from typing import Any

import networkx as nx
import pandas as pd

from highwaygraph.errors import DataError

READERS = {
    ".graphml": nx.read_graphml,
    ".gexf": nx.read_gexf,
    ".gml": nx.read_gml,
    ".edgelist": nx.read_edgelist,
    ".edges": nx.read_edgelist,
}


# Bytes in which a declaration of entities would stand.
HEAD = 65_536


def read_network(path: Path) -> "nx.Graph[Any]":
    """Return the graph in a file."""
    if not path.is_file():
        raise DataError(f"There is no file {path}: check the path.")
    if path.suffix.lower() in (".graphml", ".gexf"):
        _refuse_entities(path)
    try:
        return READERS[path.suffix.lower()](path)
    except Exception as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"{path.name} cannot be read as {path.suffix[1:]}: {what}.") from error


def to_tables(graph: "nx.Graph[Any]") -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a table of the nodes with their attributes and one of the edges with theirs."""
    if not graph.number_of_nodes():
        raise DataError("The graph has no node in it.")
    rows = [dict(attributes) for _, attributes in graph.nodes(data=True)]
    # Edges refer to the node itself; an attribute called id is an attribute like any other.
    nodes = pd.DataFrame(rows).rename(columns={"id": "id (attribute)"})
    # Ids of other types become text; a tuple would be read as a list.
    nodes.insert(0, "id", [node if isinstance(node, int | str) else str(node) for node in graph.nodes])
    edges = pd.DataFrame(
        {
            "source": [a if isinstance(a, int | str) else str(a) for a, _ in graph.edges()],
            "target": [b if isinstance(b, int | str) else str(b) for _, b in graph.edges()],
        }
    )
    weights = [attributes.get("weight") for *_, attributes in graph.edges(data=True)]
    if any(weight is not None for weight in weights):
        edges["weight"] = [1.0 if weight is None else weight for weight in weights]
    return nodes, edges


def _refuse_entities(path: Path) -> None:
    with path.open("rb") as file:
        if b"<!" in file.read(HEAD).replace(b"<!--", b""):
            raise DataError(f"{path.name} declares a document type or entities, which are not read: remove them.")
