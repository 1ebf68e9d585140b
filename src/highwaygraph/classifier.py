"""The interface of scikit-learn: fit, predict, score and parameters, on top of `train`."""

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn
from torch_geometric.data import Data

from highwaygraph.config import Config, Network
from highwaygraph.data.load import load
from highwaygraph.errors import ConfigError, HighwayError
from highwaygraph.graph.graph import Graph, as_graph
from highwaygraph.graph.multilabel import labelled_mask
from highwaygraph.graph.splits import split, validate_split
from highwaygraph.graph.validate import validate_labels
from highwaygraph.nn.factory import network_for
from highwaygraph.options import override
from highwaygraph.presets import preset
from highwaygraph.runs.predictions import class_names
from highwaygraph.runs.result import Result
from highwaygraph.training.choose_network import choose_network
from highwaygraph.training.engine import train
from highwaygraph.training.targets.choose import target_of


class NotFittedError(HighwayError, AttributeError):
    """The classifier was used before `fit`."""


class HighwayClassifier:
    """A classifier of nodes with the interface of scikit-learn.

    Args:
        model: The name of a built-in network, `auto` to choose one on validation, or any module.
        preset: The name of a preset.
        hidden: Width of the hidden layers of a built-in network.
        dropout: Dropout of a built-in network.
        seed: The seed of the training, and of the split where the graph has none.
        options: Options by dotted name, such as `{"fit.lr": 1e-3}`.

    Attributes:
        result_: The result of the training.
        classes_: The classes, by name where they have names.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), seed=0)
        >>> classifier = hg.HighwayClassifier("gcn", "typical", hidden=8, options={"fit.epochs": 2}).fit(data)
        >>> classifier.predict().shape, classifier.predict_proba().shape
        ((2708,), (2708, 7))
        >>> 0 <= classifier.score() <= 1
        True
    """

    def __init__(
        self,
        model: str | nn.Module = "gcn",
        preset: str = "plus",
        *,
        hidden: int = 64,
        dropout: float = 0.5,
        seed: int = 0,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.model = model
        self.preset = preset
        self.hidden = hidden
        self.dropout = dropout
        self.seed = seed
        self.options = options

    def fit(self, data: Any, y: Any = None) -> "HighwayClassifier":
        """Train on a graph.

        Args:
            data: A graph, or anything that `hg.load` reads; without masks, a random split is made with the seed.
            y: Must be None; the labels are `data.y`.

        Returns:
            The classifier itself.
        """
        if y is not None:
            raise ConfigError("The labels are read from the graph, as data.y: call fit(data).")
        graph = load(data)
        graph = validate_split(graph) if graph.has_split else split(graph, seed=self.seed, small_classes="share")
        config = override(preset(self.preset), dict(self.options or {}) | {"seed": self.seed})
        self.result_: Result = train(self._build(graph, config), graph, config)
        names = class_names(graph, self.result_.logits.size(1))
        self.classes_ = np.array(names) if graph.classes else np.arange(len(names))
        return self

    def predict(self, data: Data | None = None) -> NDArray[Any]:
        """Return the class of every node, or a row of 0 and 1 where a node may have several labels.

        Args:
            data: Another graph with the same features; the training graph if None.

        Returns:
            The classes, by name where they have names; the columns of labels are in the order of `classes_`.
        """
        indices: NDArray[Any] = self._fitted().predict(data).numpy()
        if indices.ndim == 2:
            return indices
        classes: NDArray[Any] = self.classes_[indices]
        return classes

    def predict_proba(self, data: Data | None = None) -> NDArray[np.float32]:
        """Return the class probabilities of every node.

        Args:
            data: Another graph with the same features; the training graph if None.

        Returns:
            Probabilities, one row per node, the columns in the order of `classes_`.
        """
        probs: NDArray[np.float32] = self._fitted().predict_proba(data).numpy()
        return probs

    def score(self, data: Data | None = None, y: Any = None) -> float:
        """Return the accuracy on the test nodes; with several labels per node, the micro-F1.

        Args:
            data: Another graph; the training graph if None. Without a test mask, all its labelled nodes are used.
            y: Must be None; the labels are `data.y`.

        Returns:
            The accuracy or micro-F1, NaN without test nodes.
        """
        if y is not None:
            raise ConfigError("The labels are read from the graph, as data.y: call score(data).")
        result = self._fitted()
        if data is None or data is result.data:
            return result.test
        graph = as_graph(data)
        labels = validate_labels(graph)
        labelled = labelled_mask(labels)
        mask = graph.test_mask & labelled if "test_mask" in graph else labelled
        return target_of(result.data).accuracy(result.predict(graph)[mask], labels[mask])

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 (scikit-learn's signature)
        """Return the parameters of the constructor.

        Args:
            deep: Has no effect; scikit-learn passes it.

        Returns:
            Values by name.
        """
        names = [name for name in inspect.signature(type(self).__init__).parameters if name != "self"]
        return {name: getattr(self, name) for name in names}

    def set_params(self, **params: Any) -> "HighwayClassifier":
        """Change parameters of the constructor.

        Args:
            **params: New values by name.

        Returns:
            The classifier itself.
        """
        for name, value in params.items():
            if name not in self.get_params():
                raise ConfigError(f"There is no parameter {name!r}: there are {', '.join(self.get_params())}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.get_params().items())})"

    def _build(self, graph: Graph, config: Config) -> nn.Module:
        if not isinstance(self.model, str):
            return self.model
        network = Network(model=self.model, hidden=self.hidden, dropout=self.dropout)
        if network.is_auto:
            network = choose_network(graph, network, config).network
        return network_for(network, graph)

    def _fitted(self) -> Result:
        if not hasattr(self, "result_"):
            raise NotFittedError("This classifier has not been fitted: call fit(data) first.")
        return self.result_
