"""Short hashes by which two runs compare their graphs and splits."""

import hashlib
from math import prod
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from highwaygraph.graph.edge_values import values_by_name
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.validate import MASKS


def data_hash(data: Graph) -> str:
    """Return 16 hex digits over features, labels, and edges in any order with their values; its digest if mapped."""
    if data.digest is not None:
        return str(data.digest)[:16]
    row, col = data.edge_index.cpu().numpy()
    values = {name.removeprefix("edge_"): value.detach().cpu() for name, value in values_by_name(data).items()}
    if not values and _is_sorted(row, col):
        # As readers return them; sorting is most of the time of this function on a large graph.
        return _digest(x=data.x, edges=data.edge_index.cpu(), y=data.y)
    # Repeated edges are ordered by their values, so that the hash does not depend on the order of the input.
    columns = (column for value in values.values() for column in _by_column(value))
    order = torch.from_numpy(np.lexsort((*columns, col, row)))
    edges = data.edge_index.cpu()[:, order]
    more = {} if data.hetero is None else data.hetero.tensors()
    return _digest(x=data.x, edges=edges, y=data.y, **{name: value[order] for name, value in values.items()}, **more)


def _by_column(value: Tensor) -> NDArray[Any]:
    # The number of columns cannot be inferred where there is no edge.
    columns: NDArray[Any] = value.reshape(len(value), prod(value.shape[1:])).T.numpy()
    return columns


def _is_sorted(row: NDArray[np.int64], col: NDArray[np.int64]) -> bool:
    """Return whether the edges are in the order of their rows, and within a row of their columns."""
    same = row[1:] == row[:-1]
    return bool(((row[1:] > row[:-1]) | (same & (col[1:] >= col[:-1]))).all())


def split_hash(data: Graph) -> str:
    """Return 16 hex digits over the masks of the split."""
    return _digest(**{name: getattr(data, name, None) for name in MASKS})


def _digest(**tensors: Tensor | None) -> str:
    digest = hashlib.sha256()
    for name, tensor in tensors.items():
        if tensor is not None:
            # Name, type and shape distinguish tensors of equal bytes.
            digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
            digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()[:16]
