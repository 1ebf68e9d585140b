"""The details of one node for the page: its attributes, its text, its neighbours and its prediction."""

from collections.abc import Sequence
from typing import Any

import torch
from scipy.sparse import csr_array

from highwaygraph.annotation.session import Session
from highwaygraph.annotation.trainer import Predictions
from highwaygraph.data.label_file import class_list
from highwaygraph.errors import shortened
from highwaygraph.graph.graph import Graph

MOST_NEIGHBOURS, MOST_CLASSES, MOST_TEXT = 12, 3, 20_000

Json = dict[str, Any]


class NodeDetails:
    """Reads the details of nodes.

    Args:
        graph: The graph, with the labels that are known from the start.
        adjacency: Its adjacency matrix with both directions of every edge.
        session: The answers.
    """

    def __init__(self, graph: Graph, adjacency: csr_array, session: Session) -> None:
        self._graph, self._adjacency, self._session = graph, adjacency, session
        self._ids: Sequence[Any] = graph.ids or range(graph.num_nodes)
        self._classes = class_list(graph)

    def describe(self, node: int, predictions: Predictions) -> Json:
        """Return the details of a node.

        Args:
            node: The number of the node.
            predictions: Those of the last model.

        Returns:
            Values for JSON; texts are whole, up to 20,000 characters.
        """
        neighbours = self._adjacency.indices[self._adjacency.indptr[node] : self._adjacency.indptr[node + 1]]
        answer = self._session.find(node)
        shown = sorted(neighbours.tolist(), key=lambda other: (self._label(other) is None, other))
        return {
            "node": node,
            "id": str(self._ids[node]),
            "attributes": [[name, _text(values, node)] for name, values in (self._graph.attributes or {}).items()],
            "features": _features(self._graph, node),
            "degree": len(neighbours),
            "neighbours": [self._neighbour(other, predictions) for other in shown[:MOST_NEIGHBOURS]],
            "predicted": _likely(node, predictions),
            "answer": None if answer is None else {"answer": answer.kind, "class": answer.label},
            "known": self._known(node),
        }

    def _neighbour(self, node: int, predictions: Predictions) -> Json:
        texts = (str(values[node]) for values in (self._graph.attributes or {}).values())
        # The longest cell of a node is most likely its title or text.
        title = max(texts, key=len, default="")
        likely = _likely(node, predictions)
        return {
            "node": node,
            "id": str(self._ids[node]),
            "title": shortened(title, 120),
            "label": self._label(node),
            "predicted": likely[0] if likely else None,
        }

    def _label(self, node: int) -> str | None:
        answer = self._session.find(node)
        return answer.label or None if answer is not None else self._known(node)

    def _known(self, node: int) -> str | None:
        label = int(self._graph.y[node])
        return self._classes[label] if label >= 0 else None


def _text(values: Sequence[Any], node: int) -> str:
    """Return a cell as a whole; reports cut long ones."""
    whole = getattr(values, "whole", values.__getitem__)
    return shortened(str(whole(node)), MOST_TEXT)


def _features(graph: Graph, node: int) -> str:
    """Return how many features a node has, for graphs without attributes."""
    row = graph.x[node]
    count = int(torch.count_nonzero(row))
    return f"{count:,} of {len(row):,} features {'is' if count == 1 else 'are'} not zero"


def _likely(node: int, predictions: Predictions) -> list[tuple[str, int]]:
    """Return the most probable classes of a node with their probabilities in per cent."""
    if predictions.probs is None:
        return []
    values, classes = predictions.probs[node].topk(min(MOST_CLASSES, len(predictions.classes)))
    pairs = zip(classes.tolist(), values.tolist(), strict=True)
    return [(predictions.classes[number], round(100 * value)) for number, value in pairs]
