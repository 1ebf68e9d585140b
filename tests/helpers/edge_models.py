"""Modules as users write them, with layers that take edge features or edge types."""

import torch
from torch import Tensor, nn
from torch_geometric.nn import GATv2Conv, GINEConv, RGCNConv, TransformerConv


class TwoLayers(nn.Module):
    """Two layers of PyG that take edge features."""

    def __init__(self, first: nn.Module, last: nn.Module) -> None:
        super().__init__()
        self.first, self.last = first, last

    def forward(self, x: Tensor, edge_index: Tensor, edge_attr: Tensor) -> Tensor:
        hidden = torch.dropout(self.first(x, edge_index, edge_attr).relu(), 0.3, self.training)
        out: Tensor = self.last(hidden, edge_index, edge_attr)
        return out


class Relational(nn.Module):
    """RGCN: a weight matrix per edge type."""

    def __init__(self, features: int, classes: int, relations: int) -> None:
        super().__init__()
        self.first, self.last = RGCNConv(features, 16, relations), RGCNConv(16, classes, relations)

    def forward(self, x: Tensor, edge_index: Tensor, edge_type: Tensor) -> Tensor:
        out: Tensor = self.last(self.first(x, edge_index, edge_type).relu(), edge_index, edge_type)
        return out


def edge_feature_model(name: str, features: int, classes: int, width: int) -> TwoLayers:
    """Return a module of one kind of layer, with `width` edge features."""
    if name == "gatv2":
        return TwoLayers(GATv2Conv(features, 16, edge_dim=width), GATv2Conv(16, classes, edge_dim=width))
    if name == "transformer":
        return TwoLayers(TransformerConv(features, 16, edge_dim=width), TransformerConv(16, classes, edge_dim=width))
    first, last = (nn.Sequential(nn.Linear(one, other)) for one, other in ((features, 16), (16, classes)))
    return TwoLayers(GINEConv(first, edge_dim=width), GINEConv(last, edge_dim=width))
