"""The document of the report's viewer for a graph that is being labelled."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array, triu
from torch import Tensor

from highwaygraph.annotation.session import Session
from highwaygraph.annotation.trainer import Predictions
from highwaygraph.data.label_file import class_list
from highwaygraph.graph.bfs import UNREACHABLE
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import hops_from
from highwaygraph.labelling.embedding import propagated_features
from highwaygraph.report.graph_json import REMOTE, grid_positions, place_nodes
from highwaygraph.report.style import colours
from highwaygraph.runtime.rng import generator

Columns = dict[str, Any]
HIGHWAY_COLUMNS = ("from", "to", "round", "confidence", "pair_score", "correct")
MOST_ATTRIBUTES = 3


class GraphMap:
    """The nodes that the viewer shows, laid out once.

    Args:
        graph: The graph, with the labels that are known from the start.
        adjacency: Its adjacency matrix with both directions of every edge.
        seed: Seed of the initial positions.
    """

    def __init__(self, graph: Graph, adjacency: csr_array, seed: int = 0) -> None:
        self._graph = graph
        upper = triu(adjacency, k=1).tocoo()
        edges = torch.from_numpy(np.stack([upper.row, upper.col]).astype(np.int64))
        self._placed = place_nodes(edges, graph.y >= 0, lambda nodes: _initial_positions(graph, adjacency, nodes, seed))
        self._total = {"nodes": graph.num_nodes, "edges": edges.size(1), "highways": 0}

    def document(self, session: Session, predictions: Predictions) -> Columns:
        """Return the whole document, as the page embeds it."""
        placed, graph = self._placed, self._graph
        ids = graph.ids or range(graph.num_nodes)
        x, y = grid_positions(placed.positions)
        nodes = placed.nodes.tolist()
        shown = list((graph.attributes or {}).items())[:MOST_ATTRIBUTES]
        degree = torch.bincount(placed.edges.flatten(), minlength=len(nodes)).tolist()
        return {
            "ids": [ids[node] for node in nodes],
            "nodes": nodes,
            "x": x,
            "y": y,
            "edges": placed.edges.T.flatten().tolist(),
            "attributes": {"degree": degree} | {name: [values[node] for node in nodes] for name, values in shown},
            "typical_predicted": None,
            "split": None,
            "refit_predicted": None,
            "highways": {name: [] for name in HIGHWAY_COLUMNS},
            "sampled_from": self._total if len(nodes) < graph.num_nodes else None,
            "remote_hops": REMOTE,
        } | self.columns(session, predictions)

    def columns(self, session: Session, predictions: Predictions) -> Columns:
        """Return the columns that change with answers and predictions."""
        labels = self._labels(session)
        nodes, classes = self._placed.nodes, session.classes
        labelled = (labels >= 0).nonzero().flatten()
        hops = hops_from(self._graph, labelled) if len(labelled) else torch.full_like(labels, UNREACHABLE)
        predicted, confidence = self._predicted(classes, predictions)
        return {
            "classes": classes,
            "colours": colours(len(classes)),
            "predicted": predicted.tolist(),
            "confidence": confidence.tolist(),
            "ground_truth": labels[nodes].tolist(),
            "hops": hops[nodes].tolist(),
            "labelled_nodes": (labels[nodes] >= 0).nonzero().flatten().tolist(),
        }

    def _labels(self, session: Session) -> Tensor:
        """Return the class of every node by its number in the session, -1 where it has none."""
        place = {name: number for number, name in enumerate(session.classes)}
        own = torch.tensor([*(place[name] for name in class_list(self._graph)), -1])
        labels = own[self._graph.y]
        for node, answer in session.answers().items():
            if answer.label:
                labels[node] = place[answer.label]
        return labels

    def _predicted(self, classes: list[str], predictions: Predictions) -> tuple[Tensor, Tensor]:
        """Return the predicted class of every node shown, -1 before the first training, and its probability."""
        nodes = self._placed.nodes
        if predictions.probs is None:
            return torch.full_like(nodes, -1), torch.zeros_like(nodes)
        highest, best = predictions.probs[nodes].max(dim=1)
        place = torch.tensor([classes.index(name) for name in predictions.classes])
        return place[best], (100 * highest).round().long()


def _initial_positions(graph: Graph, adjacency: csr_array, nodes: Tensor, seed: int) -> NDArray[np.float64]:
    """Return the two leading principal components of propagated features, so that similar nodes start close."""
    points = propagated_features(graph, adjacency, generator(seed, "label map"), unit_rows=True)
    leading = torch.zeros(len(points), 2)
    count = min(2, points.size(1))
    leading[:, :count] = points[:, points.size(1) - count :]
    noise = torch.randn(leading.shape, generator=generator(seed, "label map noise"))
    return (leading + 0.05 * leading.std().clamp(min=1e-3) * noise)[nodes].double().numpy()
