"""The schema of a graph that was read from tables, by which another one is read."""

from typing import TYPE_CHECKING, NamedTuple

from highwaygraph.graph.graph import Graph

if TYPE_CHECKING:
    from highwaygraph.data.tables.encoders import Encoder


class ColumnRoles(NamedTuple):
    """The columns of id, label and split, and that of the edges' weights; empty where inferred or absent."""

    id: str = ""
    label: str = ""
    split: str = ""
    weight: str = ""


class Schema(NamedTuple):
    """The encoders by column, the classes in their order, and the graph itself where new nodes are attached to it."""

    encoders: "dict[str, Encoder]"
    classes: list[str]
    beside: Graph | None = None
    roles: ColumnRoles = ColumnRoles()
    """The columns that the graph was read from."""


IDS = ("id", "node_id", "node", "nodeid", "key", "name")


LABELS = ("label", "class", "target", "y")


SPLITS = ("split", "set", "fold", "subset")
