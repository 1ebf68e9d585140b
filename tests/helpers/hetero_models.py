"""Modules on several node types, written as PyG's users write them."""

from torch import Tensor, nn
from torch_geometric.data import HeteroData
from torch_geometric.nn import HeteroConv, HGTConv, Linear, SAGEConv, to_hetero

Relation = tuple[str, str, str]


class Plain(nn.Module):
    """A network for one node type, which to_hetero transforms."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = SAGEConv((-1, -1), 8), SAGEConv((-1, -1), 3)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Return logits of every type."""
        return self.last(self.first(x, edge_index).relu(), edge_index)


def transformed(metadata: tuple[list[str], list[Relation]]) -> nn.Module:
    """Return the module of to_hetero."""
    return to_hetero(Plain(), metadata)


class Convs(nn.Module):
    """Two layers of HeteroConv."""

    def __init__(self, metadata: tuple[list[str], list[Relation]]) -> None:
        super().__init__()
        relations = metadata[1]
        self.first = HeteroConv({relation: SAGEConv((-1, -1), 8) for relation in relations})
        self.last = HeteroConv({relation: SAGEConv((-1, -1), 3) for relation in relations})

    def forward(self, x_dict: dict[str, Tensor], edge_index_dict: dict[Relation, Tensor]) -> Tensor:
        """Return the logits of papers."""
        x = {name: part.relu() for name, part in self.first(x_dict, edge_index_dict).items()}
        return self.last(x, edge_index_dict)["paper"]


class OfData(Convs):
    """The same from a HeteroData."""

    def forward(self, data: HeteroData) -> Tensor:
        """Return the logits of papers."""
        return super().forward(data.x_dict, data.edge_index_dict)


class Strict(nn.Module):
    """A layer per relation, which fails on a relation that it does not know."""

    def __init__(self, metadata: tuple[list[str], list[Relation]]) -> None:
        super().__init__()
        into = [relation for relation in metadata[1] if relation[2] == "paper"]
        self.layers = nn.ModuleDict({"-".join(relation): SAGEConv((-1, -1), 3) for relation in into})

    def forward(self, x_dict: dict[str, Tensor], edge_index_dict: dict[Relation, Tensor]) -> Tensor:
        """Return the logits of papers."""
        parts = [
            self.layers["-".join(relation)]((x_dict[relation[0]], x_dict["paper"]), edges)
            for relation, edges in edge_index_dict.items()
            if relation[2] == "paper"
        ]
        return sum(parts[1:], start=parts[0])


class Attention(nn.Module):
    """A layer of HGTConv, whose attention is between types."""

    def __init__(self, metadata: tuple[list[str], list[Relation]]) -> None:
        super().__init__()
        self.first, self.last = HGTConv(-1, 16, metadata, heads=2), Linear(16, 3)

    def forward(self, x_dict: dict[str, Tensor], edge_index_dict: dict[Relation, Tensor]) -> Tensor:
        """Return the logits of papers."""
        return self.last(self.first(x_dict, edge_index_dict)["paper"])
