"""PyG transforms: add the highways of a finished run to a graph."""

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
    """Add the highways of a run to a graph with the same nodes, for any other PyG pipeline.

    Args:
        run: A result, or the folder of a run.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), seed=0)
        >>> options = {"fit.epochs": 3, "highway.rounds": 2, "highway.node_threshold": 0.1, "highway.keep": "last"}
        >>> config = hg.override(hg.PRESETS["without-joint"], options)
        >>> result = hg.train(hg.models.build("gcn", data, hidden=8), data, config, progress=False)
        >>> augmented = hg.transforms.AddHighways(result)(data)
        >>> augmented.edge_index.size(1) > data.edge_index.size(1)
        True
    """

    def __init__(self, run: Result | str | os.PathLike[str]) -> None:
        self.result = run if isinstance(run, Result) else open_run(run)

    def forward(self, data: Data) -> Graph:
        """Return the graph with the highways added.

        Args:
            data: A graph with as many nodes as the graph of the run.

        Returns:
            A graph with the highways as edges in both directions, of weight 1; `data` is not changed.
        """
        graph, nodes = as_graph(data), self.result.data.num_nodes
        if graph.num_nodes != nodes:
            raise DataError(f"The run's graph has {nodes:,} nodes, this one {graph.num_nodes}: give it the same nodes.")
        return add_highways(graph, self.result.highways)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.result.highways.size(1):,} highways)"
