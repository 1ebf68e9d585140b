"""Several graphs as one: their disjoint union, in which every node has the number of its graph."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from highwaygraph.errors import DataError
from highwaygraph.graph.graph import EDGE_VALUES, Graph
from highwaygraph.graph.validate import MASKS, validate


def join_graphs(graphs: Sequence[Graph]) -> Graph:
    """Return the disjoint union of several graphs, with the number of its graph for every node.

    Args:
        graphs: Graphs with the same features; all or none have edge values, ids and names of classes.

    Returns:
        One validated graph. A graph without labels has label -1, and a graph without a mask has none of its nodes in
        it.

    Example:
        >>> import highwaygraph as hg
        >>> join_graphs([hg.load("cora"), hg.load("cora")]).graph_id.bincount().tolist()
        [2708, 2708]
    """
    parts = [validate(_with_labels(graph)) for graph in graphs]
    _refuse_different(parts)
    sizes = torch.tensor([part.num_nodes for part in parts])
    first = (sizes.cumsum(0) - sizes).tolist()
    edges = [part.edge_index + start for part, start in zip(parts, first, strict=True)]
    whole = Graph(x=torch.cat([part.x for part in parts]), edge_index=torch.cat(edges, dim=1))
    whole.y = torch.cat([part.y for part in parts])
    whole.graph_id = torch.arange(len(parts)).repeat_interleave(sizes)
    whole.update({name: torch.cat([_mask(part, name) for part in parts]) for name in MASKS if _any(parts, name)})
    whole.update({name: torch.cat([part[name] for part in parts]) for name in EDGE_VALUES if _any(parts, name)})
    whole.update({name: parts[0][name] for name in ("classes", "relations") if _any(parts, name)})
    if _any(parts, "ids"):
        whole.ids = [node for part in parts for node in part.ids or ()]
        refuse_repeated(whole.ids)
    return validate(whole)


def refuse_repeated(ids: Sequence[Any]) -> None:
    """Refuse an id that two nodes have, of one graph or of two."""
    seen: set[Any] = set()
    for node in ids:
        if node in seen:
            raise DataError(
                f"The id {node!r} occurs twice: ids have to be unique over all graphs, for example with the name "
                "of the graph before them."
            )
        seen.add(node)


def refuse_joining_edges(graph: Graph) -> None:
    """Refuse edges between two graphs."""
    assert graph.graph_id is not None
    joining = (graph.graph_id[graph.edge_index[0]] != graph.graph_id[graph.edge_index[1]]).nonzero().flatten()
    if len(joining):
        one, other = (
            node if graph.ids is None else graph.ids[node] for node in graph.edge_index[:, joining[0]].tolist()
        )
        raise DataError(
            f"{len(joining):,} of {graph.edge_index.size(1):,} edges join nodes of two graphs (first: {one} - {other})"
            ": remove them, or leave out the column of the graph."
        )


def _with_labels(graph: Graph) -> Graph:
    """Return the graph, with label -1 for every node where it has no labels."""
    if graph.get("y") is not None or graph.get("x") is None:
        return graph
    return Graph.from_dict(graph.to_dict() | {"y": torch.full((len(graph.x),), -1)})


def _mask(graph: Graph, name: str) -> Tensor:
    mask: Tensor | None = graph.get(name)
    if mask is not None and mask.dim() == 2:
        raise DataError(f"{name} holds several splits: choose one of every graph with hg.use_split(data, column=0).")
    return torch.zeros(graph.num_nodes, dtype=torch.bool) if mask is None else mask


def _any(parts: Sequence[Graph], name: str) -> bool:
    return any(part.get(name) is not None for part in parts)


def _refuse_different(parts: Sequence[Graph]) -> None:
    """Refuse graphs whose features or edge values do not fit together."""
    widths = {part.x.size(1) for part in parts}
    if len(widths) > 1:
        shown = ", ".join(map(str, sorted(widths)))
        raise DataError(f"The graphs have different numbers of features ({shown}): give all of them the same.")
    for name in (*EDGE_VALUES, "ids", "classes", "relations"):
        found = [part.get(name) for part in parts]
        if any(value is None for value in found) and any(value is not None for value in found):
            raise DataError(f"Some of the graphs have {name} and some have not: give it to all of them or to none.")
        if name in ("classes", "relations") and any(value != found[0] for value in found):
            raise DataError(f"The graphs have different {name}: give all of them the same names in the same order.")
    shapes = {tuple(part.edge_attr.shape[1:]) for part in parts if part.edge_attr is not None}
    if len(shapes) > 1:
        raise DataError("The graphs have different numbers of edge features: give all of them the same.")
