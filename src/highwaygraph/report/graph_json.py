"""The graph document of the viewer: columns of integers, of a sample where the graph is too large to display."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from highwaygraph.errors import shortened
from highwaygraph.graph.augment import undirected_edges
from highwaygraph.graph.bfs import hops_from
from highwaygraph.graph.csr import undirected_csr
from highwaygraph.report.first_node import FirstPaths, first_node, first_paths
from highwaygraph.report.layout import layout
from highwaygraph.report.run_data import RunData
from highwaygraph.report.style import colours
from highwaygraph.runs.probabilities import split_parts

MOST_NODES = 20_000
MOST_HIGHWAYS = 8_000
# Nodes around which a sample is taken.
SEEDS = 200
REMOTE = 4
# Characters of a cell in the viewer, whose document has those of all nodes; the nodes to check first have longer ones.
LONGEST_CELL = 120


# Words for the parts of the split.
PARTS = {"train": "train", "val": "validation", "test": "test", "none": "none"}


class PlacedNodes(NamedTuple):
    """Nodes that are displayed, with positions in the unit square."""

    nodes: Tensor
    place_of: Tensor
    """The place of every node of the graph in `nodes`, -1 where it is left out."""
    edges: Tensor
    """Pairs of indices into `nodes`."""
    positions: NDArray[np.float64]


class VisibleGraph(NamedTuple):
    """The nodes, edges and highways that are displayed, with positions in the unit square."""

    nodes: Tensor
    positions: NDArray[np.float64]
    edges: Tensor
    """Pairs of indices into `nodes`."""
    highways: Tensor
    """Indices into the run's table of highways."""
    highway_edges: Tensor
    """Pairs of indices into `nodes`, one per highway."""
    total: dict[str, int]
    """Number of nodes, edges and highways of the whole graph."""
    start: int | None
    """Index into `nodes` of the node that the viewer selects first."""
    start_paths: FirstPaths
    """Its exact shortest paths, as indices into `nodes`."""


def visible_graph(run: RunData, listed: Sequence[int] = ()) -> VisibleGraph:
    """Return the whole graph or a sample of it, laid out.

    Args:
        run: The run.
        listed: Nodes that a sample contains besides the training nodes, because the page lists them.

    Returns:
        At most MOST_NODES nodes, with all edges and at most MOST_HIGHWAYS highways between them. The highways of the
        first node and its shortest paths are among them.
    """
    data, edges = run.result.data, run.result.highway_table.edges
    all_edges = undirected_edges(data.edge_index, data.num_nodes)
    start = first_node(run, listed)
    paths = FirstPaths((), ()) if start is None else first_paths(run, start)
    story = _story_highways(edges, start, paths)
    kept = data.train_mask.clone()
    kept[[*listed, *paths.original, *paths.augmented]] = True
    kept[edges[:, story].flatten()] = True
    placed = place_nodes(all_edges, kept, lambda nodes: initial_positions(run, nodes))
    highways = _sample_highways(placed.place_of[edges], story)
    total = {"nodes": data.num_nodes, "edges": all_edges.size(1), "highways": edges.size(1)}
    place = -1 if start is None else int(placed.place_of[start])
    return VisibleGraph(
        placed.nodes,
        placed.positions,
        placed.edges,
        highways,
        placed.place_of[edges[:, highways]],
        total,
        place if place >= 0 else None,
        FirstPaths(*(tuple(placed.place_of[list(path)].tolist()) for path in paths)),
    )


def place_nodes(edges: Tensor, kept: Tensor, start: Callable[[Tensor], NDArray[np.float64]]) -> PlacedNodes:
    """Return the nodes to display with their positions.

    Args:
        edges: Every edge of the graph once, as two rows.
        kept: Mask of the nodes that a sample always contains.
        start: Returns initial positions of nodes.

    Returns:
        All nodes, or a sample of at most MOST_NODES, with the edges between them.
    """
    nodes = _sample_nodes(edges, len(kept), kept)
    index = torch.full((len(kept),), -1)
    index[nodes] = torch.arange(len(nodes))
    between = index[edges]
    between = between[:, (between >= 0).all(dim=0)]
    return PlacedNodes(nodes, index, between, layout(between.numpy(), start(nodes)))


def columns(run: RunData, visible: VisibleGraph) -> dict[str, Any]:
    """Return the columns of the viewer's document."""
    data, nodes = run.result.data, visible.nodes
    ids = data.ids or range(data.num_nodes)
    x, y = grid_positions(visible.positions)
    return {
        "classes": run.classes,
        "colours": colours(len(run.classes)),
        "ids": [ids[i] for i in nodes.tolist()],
        "x": x,
        "y": y,
        "predicted": run.ours.predicted[nodes].tolist(),
        "ground_truth": data.y[nodes].tolist(),
        "typical_predicted": run.typical.predicted[nodes].tolist() if run.typical else None,
        "confidence": _percent(run.confidence[nodes]),
        "hops": run.label_hops[nodes].tolist(),
        "labelled_nodes": data.train_mask[nodes].nonzero().flatten().tolist(),
        "split": split_columns(run, nodes),
        "refit_predicted": None if run.refit_predicted is None else run.refit_predicted[nodes].tolist(),
        "folds": run.held_out_by[nodes].tolist() if run.is_out_of_fold else None,
        "attributes": {"degree": torch.bincount(visible.edges.flatten(), minlength=len(nodes)).tolist()}
        | {name: [_cell(values[i]) for i in nodes.tolist()] for name, values in (data.attributes or {}).items()},
        "edges": visible.edges.T.flatten().tolist(),
        "highways": highway_columns(run, visible.highways, visible.highway_edges),
        "sampled_from": visible.total if is_sample(visible) else None,
        "remote_hops": REMOTE,
        "predicted_on": run.result.config.highway.predict,
        "start": visible.start,
        "start_paths": {name: list(path) for name, path in visible.start_paths._asdict().items()},
        "answer": run.result.answer,
    }


def split_columns(run: RunData, nodes: Tensor) -> dict[str, Any]:
    """Return the names of the parts of the split, and the part of every displayed node as a place among them."""
    parts = split_parts(run.result.data)
    place = {name: number for number, name in enumerate(PARTS)}
    words = PARTS | ({"train": "train, held out by one fold"} if run.is_out_of_fold else {})
    return {"names": list(words.values()), "of": [place[parts[i]] for i in nodes.tolist()]}


def grid_positions(positions: NDArray[np.float64]) -> tuple[list[int], list[int]]:
    """Return positions as integers, which take less room in JSON."""
    x, y = np.rint(10_000 * positions).astype(int).T
    return x.tolist(), y.tolist()


def is_sample(visible: VisibleGraph) -> bool:
    """Return whether nodes or highways are left out."""
    return len(visible.nodes) < visible.total["nodes"] or len(visible.highways) < visible.total["highways"]


def highway_columns(run: RunData, chosen: Tensor, edges: Tensor) -> dict[str, list[int]]:
    """Return the columns of the chosen highways; correct is -1 where a true class is unknown."""
    table, labels = run.result.highway_table, run.result.data.y
    true = labels[table.edges[:, chosen]]
    correct = torch.where((true >= 0).all(dim=0), (true[0] == true[1]).long(), -1)
    return {
        "from": edges[0].tolist(),
        "to": edges[1].tolist(),
        "round": table.round[chosen].tolist(),
        "confidence": _percent(table.confidence[chosen]),
        "pair_score": _percent(table.pair_score[chosen]),
        "correct": correct.tolist(),
    }


def _sample_nodes(edges: Tensor, count: int, labelled: Tensor) -> Tensor:
    """Return all nodes, or the labelled ones and the neighbourhoods of random nodes."""
    if count <= MOST_NODES:
        return torch.arange(count)
    seeds = torch.randperm(count, generator=torch.Generator().manual_seed(0))[:SEEDS]
    hops = hops_from([undirected_csr(edges, count)], seeds)
    hops = torch.where(hops < 0, count, hops)
    hops[labelled] = -1
    return hops.argsort(stable=True)[:MOST_NODES].sort().values


def _story_highways(edges: Tensor, start: int | None, paths: FirstPaths) -> Tensor:
    """Return a mask of the highways that end at the first node or are on its path."""
    found = (edges == (-1 if start is None else start)).any(dim=0)
    for pair in pairwise(paths.augmented):
        found |= torch.isin(edges, torch.tensor(pair)).all(dim=0)
    return found


def _sample_highways(ends: Tensor, first: Tensor) -> Tensor:
    """Return at most MOST_HIGHWAYS highways between displayed nodes: those of a mask, then random ones."""
    highways = (ends >= 0).all(dim=0).nonzero().flatten()
    order = torch.randperm(len(highways), generator=torch.Generator().manual_seed(0))
    order = order[first[highways][order].logical_not().long().argsort(stable=True)]
    return highways[order[:MOST_HIGHWAYS]].sort().values


def initial_positions(run: RunData, nodes: Tensor) -> NDArray[np.float64]:
    """Return the classes' points on a circle, averaged by the probabilities of each node."""
    angle = 2 * torch.pi * torch.arange(len(run.classes)) / len(run.classes)
    probs = run.ours.logits[nodes].softmax(dim=1)
    positions = probs @ torch.stack([angle.cos(), angle.sin()], dim=1)
    noise = torch.randn(positions.shape, generator=torch.Generator().manual_seed(0))
    return (positions + 0.3 * noise).double().numpy()


def _cell(value: Any) -> Any:
    return shortened(value, LONGEST_CELL) if isinstance(value, str) else value


def _percent(values: Tensor) -> list[int]:
    return (100 * values).round().long().tolist()
