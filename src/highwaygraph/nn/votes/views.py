"""Views: the feature matrices that nodes vote by, each independent of the messages of a GNN."""

from collections.abc import Callable

import torch
from torch import Tensor

from highwaygraph.config import Fit
from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import with_csr, with_edge_index
from highwaygraph.graph.structural import structural_features
from highwaygraph.nn.baselines.smoothing import smooth, smoothing_matrix
from highwaygraph.nn.features import scale_features
from highwaygraph.nn.votes.rows import Rows
from highwaygraph.vote_options import View


def view_rows(view: View, data: Graph, fit: Fit, length: float | None = None) -> Rows:
    """Return the rows of a view.

    Args:
        view: All features, columns of text only, or structural features of the graph.
        data: The graph.
        fit: Options: the scaling of the features.
        length: The root mean square length of the rows of the training graph; computed unless given.

    Returns:
        The rows.
    """
    if view == "structure":
        adjacency = with_csr(data).csr
        assert adjacency is not None
        return Rows(structural_features(adjacency), length=length)
    return Rows(data.x, _scaled(data, fit, _text_columns(data) if view == "text" else None), length)


def propagate(data: Graph, fit: Fit) -> Rows:
    """Return the rows of S^2 X with GCN's matrix S: features that have passed messages, for a control experiment.

    Args:
        data: A graph in memory.
        fit: Options: the scaling of the features.

    Returns:
        The rows.
    """
    x = scale_features(data.x, fit, data.scaling).double().numpy()
    return Rows(torch.from_numpy(smooth(smoothing_matrix(with_edge_index(data)), x, 2)).float())


def _scaled(data: Graph, fit: Fit, columns: Tensor | None) -> Callable[[Tensor], Tensor]:
    def prepare(chunk: Tensor) -> Tensor:
        scaled = scale_features(chunk, fit, data.scaling)
        return scaled if columns is None else scaled * columns

    return prepare


def _text_columns(data: Graph) -> Tensor:
    """Return 1 for every column of text and 0 for the others."""
    parts = [
        torch.full((one.width,), float(one.kind in ("words", "embedding"))) for one in (data.encoders or {}).values()
    ]
    if not parts or not bool(torch.cat(parts).any()):
        raise DataError("votes.views=text needs a column of text in the node table: use votes.views=features.")
    return torch.cat(parts)
