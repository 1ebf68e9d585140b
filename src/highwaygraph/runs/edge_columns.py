"""Weights, types and features of edges as columns of an exported table."""

from typing import Any

from jaxtyping import Int
from torch import Tensor

from highwaygraph.data.tables.schema import ColumnRoles
from highwaygraph.graph.edge_values import highway_values
from highwaygraph.graph.graph import Graph


def edge_value_columns(graph: Graph, place: Int[Tensor, "k"], highways: int) -> dict[str, list[Any]]:
    """Return the values of some edges, then those of highways, by the names of the user's columns.

    Args:
        graph: The graph without highways.
        place: Places of the edges in its edge_index.
        highways: Number of highways that follow.

    Returns:
        A column for the weight, one for the type and one for each feature, as far as the edges have them.
    """
    roles, added = ColumnRoles(**graph.column_roles or {}), highway_values(graph)
    columns: dict[str, list[Any]] = {}
    if graph.edge_weight is not None:
        columns["weight"] = _shortest(graph.edge_weight[place]) + [1.0] * highways
    if graph.edge_type is not None:
        types = graph.edge_type[place].tolist() + [int(added["edge_type"])] * highways
        names = graph.relations
        columns[roles.edge_type or "edge_type"] = [names[one] for one in types] if names else types
    if graph.edge_attr is not None:
        table = graph.edge_attr.reshape(len(graph.edge_attr), -1)
        named = [name.strip() for name in roles.edge_features.split(",") if name.strip()]
        names_of = named if len(named) == table.size(1) else [f"edge_attr_{i}" for i in range(table.size(1))]
        means = _shortest(added["edge_attr"].reshape(-1))
        for name, column, mean in zip(names_of, table[place].T, means, strict=True):
            columns[name] = _shortest(column) + [mean] * highways
    return columns


def _shortest(values: Tensor) -> list[float]:
    """Return numbers of the fewest digits that give these values back in their own precision."""
    return [float(str(value)) for value in values.numpy()]
