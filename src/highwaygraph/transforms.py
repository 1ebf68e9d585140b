"""Highways in anybody's pipeline: a PyG transform that adds those of a finished run."""

import os

from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform
from torch_geometric.transforms import BaseTransform

from highwaygraph.errors import DataError
from highwaygraph.graph.augment import add_highways
from highwaygraph.graph.graph import Graph, as_graph
from highwaygraph.runs.open import open_run
from highwaygraph.runs.result import Result


@functional_transform("add_highways")
class AddHighways(BaseTransform):  # type: ignore[misc]
    """Adds a run's highways to a graph with the same nodes, whatever trains on it then."""

    def __init__(self, run: Result | str | os.PathLike[str]) -> None:
        self.result = run if isinstance(run, Result) else open_run(run)

    def forward(self, data: Data) -> Graph:
        """Return the data with the highways as edges in both directions."""
        graph, nodes = as_graph(data), self.result.data.num_nodes
        if graph.num_nodes != nodes:
            raise DataError(
                f"The run's graph has {nodes:,} nodes, this one {graph.num_nodes:,}: give it the same nodes."
            )
        return add_highways(graph, self.result.highways)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.result.highways.size(1):,} highways)"
