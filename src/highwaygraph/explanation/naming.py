"""Names of nodes, classes and features in explanations."""

from dataclasses import dataclass
from functools import cached_property

from jaxtyping import Int
from torch import Tensor

from highwaygraph.data.tables.feature_words import feature_labels
from highwaygraph.runs.predictions import class_names
from highwaygraph.runs.result import Result

# Nodes whose cells are searched for the words of a column of text.
MOST_CELLS = 2000


@dataclass(frozen=True)
class Naming:
    """The names that a run's data has for numbers."""

    result: Result

    @cached_property
    def classes(self) -> list[str]:
        """Name of every class."""
        return class_names(self.result.data, self.result.logits.size(1))

    @cached_property
    def predicted_classes(self) -> Int[Tensor, "n"]:
        """Class that the answer predicts for every node."""
        return self.result.logits.argmax(dim=1)

    def id(self, node: int) -> int | str:
        """Return the id of a node."""
        ids = self.result.data.ids
        found: int | str = node if ids is None else ids[node]
        return found

    def predicted(self, node: int) -> str:
        """Return the class that the answer predicts for a node."""
        return self.classes[int(self.predicted_classes[node])]

    def training_label(self, node: int) -> str | None:
        """Return the class of a training node, None for other nodes."""
        return self.known_class(node) if bool(self.result.data.train_mask[node]) else None

    def known_class(self, node: int) -> str | None:
        """Return the class of a node in the data, None where it is unknown."""
        label = int(self.result.data.y[node])
        return self.classes[label] if label >= 0 else None

    def split(self, node: int) -> str:
        """Return the part of the split that a node belongs to, empty for none."""
        parts = (part for part in ("train", "val", "test") if bool(self.result.data[f"{part}_mask"][node]))
        return next(parts, "")

    def features(self, columns: Int[Tensor, "k"], nodes: Int[Tensor, "m"]) -> dict[int, str]:
        """Return the names of features; words are searched in the cells of some nodes, the nearest first."""
        data = self.result.data
        return feature_labels(
            data.encoders, data.attributes, columns.tolist(), nodes[:MOST_CELLS].tolist(), data.x.size(1)
        )

    def shared(self, column: int, name: str, ends: tuple[int, int]) -> str:
        """Return the name of a feature that two nodes share; with both cells for a number or a date of a table."""
        cells = (self.result.data.attributes or {}).get(self._measured.get(column, ""))
        if cells is None:
            return name
        first, second = (cells[end] for end in ends)
        return f"{name} ({first} and {second})"

    @cached_property
    def _measured(self) -> dict[int, str]:
        """Names of the table's columns of numbers and dates, by the feature that holds their value."""
        found, first = {}, 0
        for name, encoder in (self.result.data.encoders or {}).items():
            if encoder.kind in ("number", "date"):
                found[first] = name
            first += encoder.width
        return found
