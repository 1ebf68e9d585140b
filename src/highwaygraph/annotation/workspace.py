"""All parts of a labelling session, and the state that the page shows."""

from collections import Counter
from dataclasses import asdict
from typing import Any, NamedTuple

from scipy.sparse import csr_array

from highwaygraph.annotation.curve import CurvePoint, append_point, curve_path, read_curve
from highwaygraph.annotation.graph_map import GraphMap
from highwaygraph.annotation.identity import identify
from highwaygraph.annotation.keys import key_of
from highwaygraph.annotation.label_store import LabelStore
from highwaygraph.annotation.node_details import NodeDetails
from highwaygraph.annotation.queue import Offer, Queue
from highwaygraph.annotation.session import Session
from highwaygraph.annotation.trainer import Options, Train, Trainer
from highwaygraph.data.label_file import class_list
from highwaygraph.graph.graph import Graph
from highwaygraph.labelling.embedding import undirected_matrix
from highwaygraph.report.style import colours

Json = dict[str, Any]


class Choices(NamedTuple):
    """The user's choices for a session."""

    train: Train
    """Trains and scores."""
    classes: tuple[str, ...] = ()
    """Classes beyond those of the graph."""
    every: int = 5
    """Answers after which the model is retrained."""
    seed: int = 0


class Workspace:
    """The graph, the answers, the suggestions and the model of one session.

    Args:
        graph: The graph, with the labels that are known from the start.
        store: The label file.
        choices: The choices of the user.
    """

    def __init__(self, graph: Graph, store: LabelStore, choices: Choices) -> None:
        adjacency: csr_array = undirected_matrix(graph)
        self.graph, self.store, self.every = graph, store, choices.every
        self.identity = identify(graph, store.path)
        self.session = Session(store, (*class_list(graph), *choices.classes))
        self.queue = Queue()
        self._curve_path = curve_path(store.path)
        self._curve = read_curve(self._curve_path)
        options = Options(choices.train, self._add_point, choices.every, choices.seed)
        self.trainer = Trainer(graph, self.session, self.queue, options)
        self.details = NodeDetails(graph, adjacency, self.session)
        self.map = GraphMap(graph, adjacency, choices.seed)
        self._known = Counter(class_list(graph)[label] for label in graph.y[graph.y >= 0].tolist())

    def state(self, window: str, node: int | None = None) -> Json:
        """Return what a window shows.

        Args:
            window: Id of the window.
            node: A node that its user has chosen; else the next suggestion.

        Returns:
            Values for JSON.
        """
        answers, predictions = self.session.answers(), self.trainer.predictions
        offer = self.queue.next(window, answers)
        kinds = Counter(answer.kind for answer in answers.values())
        return {
            "session": self.identity.session,
            "graph": self.identity.graph,
            "answers": self.identity.answers,
            "version": self.session.version,
            "map": f"{self.session.version}.{predictions.version}",
            "current": self._current(offer, node),
            "classes": self._classes([answer.label for answer in answers.values()]),
            "labels": kinds["label"],
            "not_sure": kinds["not sure"],
            "skipped": kinds["skipped"],
            "left": self.graph.num_nodes - len(answers) - self._known.total(),
            "can_undo": self.session.can_undo(window),
            "training": asdict(self.trainer.status),
            "curve": [asdict(point) for point in self._curve],
        }

    def _current(self, offer: Offer | None, node: int | None) -> Json | None:
        """Return the node to show: the chosen one, else the suggestion with its reason."""
        predictions = self.trainer.predictions
        if node is not None and (offer is None or node != offer.row.node):
            return self.details.describe(node, predictions) | {"reason": "", "is_earlier": False}
        if offer is None:
            return None
        about = {"reason": offer.row.reason, "is_earlier": offer.model < predictions.version}
        return self.details.describe(offer.row.node, predictions) | about

    def map_columns(self) -> Json:
        """Return the columns of the viewer that change."""
        return self.map.columns(self.session, self.trainer.predictions)

    def _classes(self, labels: list[str]) -> list[Json]:
        counts, names = Counter(labels) + self._known, self.session.classes
        return [
            {"name": name, "key": key_of(number), "count": counts[name], "colour": colour}
            for number, (name, colour) in enumerate(zip(names, colours(len(names)), strict=True))
        ]

    def _add_point(self, point: CurvePoint) -> None:
        append_point(self._curve_path, point)
        # A new list: requests read the present one in another thread.
        self._curve = [*self._curve, point]
