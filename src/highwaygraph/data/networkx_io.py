"""NetworkX graphs and GraphML, GEXF, GML and edge-list files, read through two tables."""

from collections.abc import Callable
from pathlib import Path
from types import NoneType
from typing import Any
from xml.parsers.expat import ExpatError, ParserCreate

import networkx as nx
import pandas as pd

from highwaygraph.errors import DataError, shortened

READERS = {
    ".graphml": nx.read_graphml,
    ".gexf": nx.read_gexf,
    ".gml": nx.read_gml,
    ".edgelist": nx.read_edgelist,
    ".edges": nx.read_edgelist,
}


# Letters of a reader's own message; some of them repeat the whole line of the file.
LONGEST_REASON = 200


def read_network(path: Path) -> nx.Graph:
    """Return the graph in a file."""
    if not path.is_file():
        raise DataError(f"There is no file {path}: check the path.")
    if path.suffix.lower() in (".graphml", ".gexf"):
        _refuse_declarations(path)
    try:
        return READERS[path.suffix.lower()](path)
    except Exception as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(
            f"{path.name} cannot be read as {path.suffix[1:]}: {shortened(what, LONGEST_REASON)}."
        ) from error


def to_tables(graph: nx.Graph) -> tuple[pd.DataFrame, pd.DataFrame]:
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
    attributes = [dict(found) for *_, found in graph.edges(data=True)]
    weights = [found.get("weight") for found in attributes]
    if any(weight is not None for weight in weights):
        edges["weight"] = [1.0 if weight is None else weight for weight in weights]
    return nodes, edges.assign(**_plain_columns(attributes, taken=("source", "target", "weight")))


def _plain_columns(attributes: list[dict[str, Any]], taken: tuple[str, ...]) -> dict[str, list[Any]]:
    """Return the attributes of edges that hold words and numbers, by their names."""
    names = dict.fromkeys(str(name) for found in attributes for name in found if str(name) not in taken)
    columns = {name: [found.get(name) for found in attributes] for name in names}
    kinds = (str, int, float, NoneType)
    return {name: cells for name, cells in columns.items() if all(isinstance(cell, kinds) for cell in cells)}


class _DeclarationError(Exception):
    """The document declares its type, which is where entities are declared."""


class _FirstElementError(Exception):
    """The first element: no declaration can follow it."""


def _refuse_declarations(path: Path) -> None:
    """Refuse a document with a document type; expat reads it as networkx's parser will, in any encoding and length."""
    parser = ParserCreate()
    parser.StartDoctypeDeclHandler = _raise(_DeclarationError)
    parser.StartElementHandler = _raise(_FirstElementError)
    try:
        with path.open("rb") as file:
            parser.ParseFile(file)
    except _DeclarationError:
        raise DataError(f"{path.name} declares a document type or entities, which are not read: remove them.") from None
    except (_FirstElementError, ExpatError, LookupError, ValueError):
        # A document that is no XML, or of an unknown encoding, is refused by its reader, with the reason.
        return


def _raise(error: type[Exception]) -> Callable[..., None]:
    def handler(*_: object) -> None:
        raise error

    return handler
