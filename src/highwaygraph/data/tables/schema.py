"""The schema of a graph that was read from tables, by which another one is read."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import AfterValidator

from highwaygraph.graph.graph import Graph
from highwaygraph.graph.hetero import OtherTypes

if TYPE_CHECKING:
    from highwaygraph.data.tables.encoders import Encoder


class ColumnRoles(NamedTuple):
    """The columns of id, label, split and graph, and those of the edges; empty where inferred or absent."""

    id: str = ""
    label: str = ""
    split: str = ""
    weight: str = ""
    source: str = ""
    target: str = ""
    edge_type: str = ""
    edge_features: str = ""
    """Several columns as in a,b."""
    label_separator: str = ""
    """Text between the labels of a cell, where a node may have several; empty for one class per node."""
    graph: str = ""
    """Column of the graph that a node belongs to; never inferred."""


INFERRED = ColumnRoles()
"""No column is named."""


def _check_roles(names: dict[str, str]) -> dict[str, str]:
    if not set(names) <= set(ColumnRoles._fields):
        raise ValueError(f"a role is none of {', '.join(ColumnRoles._fields)}")
    return names


RoleNames = Annotated[dict[str, str], AfterValidator(_check_roles)]
"""Columns by role, as they are stored."""


class Schema(NamedTuple):
    """The encoders by column, the classes in their order, and the graph itself where new nodes are attached to it."""

    encoders: "dict[str, Encoder]"
    classes: list[str]
    beside: Graph | None = None
    roles: ColumnRoles = INFERRED
    """The columns that the graph was read from."""
    relations: list[str] | None = None
    """Names of the edge types in their order."""
    hetero: OtherTypes | None = None
    """The other node types, with the encoders of their columns, where there are several."""


IDS = ("id", "node_id", "node", "nodeid", "key", "name")


LABELS = ("label", "class", "target", "y")


SPLITS = ("split", "set", "fold", "subset")
