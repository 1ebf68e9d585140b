"""Several node types: the graph holds the nodes of the target type, and the other types lie beside it.

Every row of features, labels, masks and logits belongs to a node of the target type. No other node can therefore enter
a loss, a score, a highway, a vote or a table of predictions.
"""

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor
from torch_geometric.data import Data

from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph, as_graph

Relation = tuple[str, str, str]
"""Source type, name and target type, as PyG writes edge types."""


HIGHWAY = "highway"
"""Name of the relation of highways."""


@dataclass(frozen=True, repr=False, eq=False)
class OtherTypes:
    """The node types beside the target type, and all relations."""

    target: str
    """The type whose nodes are classified: those of the graph."""
    x: Mapping[str, Tensor]
    """Features of every other type."""
    edges: Mapping[Relation, Tensor]
    """Edges of every relation that joins other nodes than two of the target type."""
    own: tuple[Relation, ...]
    """Relations within the target type, by number in the graph's `edge_type`; that of highways comes last."""
    encoders: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Encoders of the columns of the other types, for a graph read from tables."""
    scaling: Mapping[str, Any] = field(default_factory=dict)
    """Scaling of the features of the other types, learned on the training graph, where fit.features=auto."""

    @property
    def node_types(self) -> list[str]:
        """All node types, the target type first."""
        return [self.target, *self.x]

    @property
    def relations(self) -> list[Relation]:
        """All relations, that of highways included."""
        return [*self.own, *self.edges]

    def __repr__(self) -> str:
        return f"OtherTypes({', '.join(f'{name}={len(x)}' for name, x in self.x.items())})"

    def tensors(self) -> dict[str, Tensor]:
        """Return features and edges by a name that is the same in every process."""
        features = {f"hetero_x_{place}": x for place, x in enumerate(self.x.values())}
        return features | {f"hetero_edges_{place}": edges for place, edges in enumerate(self.edges.values())}


def hetero_metadata(data: Data) -> tuple[list[str], list[Relation]]:
    """Return node types and relations for PyG's heterogeneous layers, the relation of highways included.

    Args:
        data: A graph with several node types, from `hg.load`.

    Returns:
        The metadata of PyG's `to_hetero`; for `HeteroConv`, the relations are the keys of its layers.

    Example:
        >>> from torch_geometric.data import HeteroData
        >>> import highwaygraph as hg
        >>> library = HeteroData()
        >>> library["paper"].x, library["paper"].y = torch.rand(3, 2), torch.tensor([0, 1, 0])
        >>> library["author"].x = torch.rand(2, 4)
        >>> library["author", "writes", "paper"].edge_index = torch.tensor([[0, 1, 1], [0, 1, 2]])
        >>> hg.hetero_metadata(hg.load(library))
        (['paper', 'author'], [('paper', 'highway', 'paper'), ('author', 'writes', 'paper')])
    """
    others = as_graph(data).hetero
    if others is None:
        raise DataError("The graph has one node type: load a PyG HeteroData or a folder with a table per type.")
    return others.node_types, others.relations


def other_types(graph: Graph) -> OtherTypes:
    """Return the other types of a graph that has several."""
    assert graph.hetero is not None
    return graph.hetero


def with_other_types(graph: Graph, others: OtherTypes) -> Graph:
    """Return the graph of the target type with the other types beside it; highways have a relation of their own.

    Args:
        graph: The nodes of the target type; without `edge_type`, it has no edge.
        others: The other types; the relation of highways is among its own relations.
    """
    typed = copy.copy(graph)
    typed.hetero, typed.relations = others, [name for _, name, _ in others.own]
    typed.highway_values = {"edge_type": torch.tensor(len(others.own) - 1)}
    return typed


def own_relations(target: str, relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """Return the relations within the target type, followed by that of highways, whose name has to be free."""
    own = [one for one in relations if one[0] == one[2] == target]
    highway = (target, HIGHWAY, target)
    if highway in own:
        raise DataError(f"The relation {highway} is that of the highways that a training adds: rename it.")
    return (*own, highway)


def whole_edge_index(graph: Graph) -> Int[Tensor, "2 e"]:
    """Return the edges of all relations; the nodes of the other types are numbered after those of the target type.

    Args:
        graph: A graph with several node types and an edge_index.
    """
    others = other_types(graph)
    first, start = {others.target: 0}, graph.num_nodes
    for name, x in others.x.items():
        first[name], start = start, start + len(x)
    parts = [edges + torch.tensor([[first[a]], [first[b]]]) for (a, _, b), edges in others.edges.items()]
    return torch.cat([graph.edge_index, *parts], dim=1)


def num_all_nodes(graph: Graph) -> int:
    """Return the number of nodes of all types."""
    return graph.num_nodes + sum(len(x) for x in other_types(graph).x.values())


def like_other_types(graph: Graph, trained: Graph) -> Graph:
    """Return another graph with the scaling that the training graph has; refuse other node types and relations.

    Args:
        graph: The graph to predict.
        trained: The training graph.
    """
    found, expected = (None if one.hetero is None else _shape(one.hetero) for one in (graph, trained))
    if found != expected:
        raise DataError(
            "The graph has other node types, relations or features than the training graph: give it the same, through "
            "hg.load with the same target."
        )
    changed = copy.copy(graph)
    changed.hetero = replace(other_types(graph), scaling=other_types(trained).scaling)
    return changed


def _shape(others: OtherTypes) -> tuple[object, ...]:
    return others.own, sorted(others.edges), {name: x.size(1) for name, x in others.x.items()}


def refuse_several_types(graph: Graph, subject: str, remedy: str) -> None:
    """Refuse a graph of several node types.

    Args:
        graph: Any graph.
        subject: The function that does not support it, as the subject of the sentence.
        remedy: Another way.
    """
    if graph.hetero is not None:
        raise DataError(f"{subject} not supported for several node types: {remedy}.")
