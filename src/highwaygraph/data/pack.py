"""A graph as named tensors and back: how runs keep it, features sparse where most are zero."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

# Below this share of non-zeros, places and values take less room than the dense table.
SPARSE_BELOW = 0.3
PLAIN = ("edge_index", "edge_weight", "y", "train_mask", "val_mask", "test_mask")


def pack(data: Data) -> dict[str, Tensor]:
    """Return the tensors that make up the graph."""
    tensors = {name: data[name] for name in PLAIN if name in data}
    if data.x.count_nonzero() > SPARSE_BELOW * data.x.numel():
        return tensors | {"x": data.x}
    place = data.x.nonzero()
    shape = torch.tensor(data.x.shape)
    return tensors | {"x_place": place.to(torch.int32), "x_values": data.x[tuple(place.T)], "x_shape": shape}


def unpack(tensors: Mapping[str, Tensor], **named: Any) -> Data:
    """Return the graph that these tensors make up, with named attributes such as ids and classes."""
    if "x" in tensors:
        x = tensors["x"]
    else:
        x = torch.zeros(*tensors["x_shape"].tolist(), dtype=tensors["x_values"].dtype)
        x[tuple(tensors["x_place"].long().T)] = tensors["x_values"]
    plain = {name: tensors[name] for name in PLAIN if name in tensors}
    return Data(x=x, num_nodes=len(x), **plain, **named)
