"""A door for people who live in scikit-learn: fit, predict, score and parameters, over the same `train`."""

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn
from torch_geometric.data import Data

from highwaygraph.config import Network
from highwaygraph.data.load import load
from highwaygraph.errors import ConfigError, HighwayError
from highwaygraph.graph.graph import Graph, as_graph
from highwaygraph.graph.splits import split, validate_split
from highwaygraph.nn.factory import build_network
from highwaygraph.nn.modules import num_classes
from highwaygraph.options import override
from highwaygraph.presets import preset
from highwaygraph.runs.predictions import class_names
from highwaygraph.runs.result import Result
from highwaygraph.training.engine import train
from highwaygraph.training.metrics import accuracy


class NotFittedError(HighwayError, AttributeError):
    """Something was asked of a classifier that has learned nothing yet."""


class HighwayClassifier:
    """Trains on a graph; `model` is a network's name or a module, `options` are dotted names as everywhere."""

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
        """Train on a graph, or on what `load` reads; without masks, a split is drawn by the seed."""
        if y is not None:
            raise ConfigError("The labels belong into the graph, as data.y: call fit(data).")
        graph = load(data)
        graph = validate_split(graph) if graph.has_split else split(graph, seed=self.seed, small_classes="share")
        config = override(preset(self.preset), dict(self.options or {}) | {"seed": self.seed})
        self.result_: Result = train(self._build(graph), graph, config)
        names = class_names(graph, self.result_.logits.size(1))
        self.classes_ = np.array(names) if graph.classes else np.arange(len(names))
        return self

    def predict(self, data: Data | None = None) -> NDArray[Any]:
        """Return the class of every node of the training graph, or of another one, by name where classes have names."""
        places = self._fitted().predict(data).numpy()
        classes: NDArray[Any] = self.classes_[places]
        return classes

    def predict_proba(self, data: Data | None = None) -> NDArray[np.float32]:
        """Return the class probabilities of every node, in the order of classes_."""
        chances: NDArray[np.float32] = self._fitted().predict_proba(data).numpy()
        return chances

    def score(self, data: Data | None = None, y: Any = None) -> float:
        """Return the accuracy on the test nodes of the training graph, or on another graph's (all, without masks)."""
        if y is not None:
            raise ConfigError("The labels belong into the graph, as data.y: call score(data).")
        result = self._fitted()
        if data is None or data is result.data:
            return result.test
        graph = as_graph(data)
        known = graph.y >= 0
        return accuracy(result.predict(graph), graph.y, graph.test_mask & known if "test_mask" in graph else known)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 (scikit-learn's signature)
        """Return the parameters by name."""
        names = [name for name in inspect.signature(type(self).__init__).parameters if name != "self"]
        return {name: getattr(self, name) for name in names}

    def set_params(self, **params: Any) -> "HighwayClassifier":
        """Change parameters by name."""
        for name, value in params.items():
            if name not in self.get_params():
                raise ConfigError(f"There is no parameter {name!r}: there are {', '.join(self.get_params())}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.get_params().items())})"

    def _build(self, graph: Graph) -> nn.Module:
        if not isinstance(self.model, str):
            return self.model
        network = Network(model=self.model, hidden=self.hidden, dropout=self.dropout)
        return build_network(network, graph.x.size(1), num_classes(graph))

    def _fitted(self) -> Result:
        if not hasattr(self, "result_"):
            raise NotFittedError("This classifier has not been fitted: call fit(data) first.")
        return self.result_
