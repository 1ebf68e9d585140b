"""A user's own module and short configs, shared by tests of training."""

from torch import nn
from torch.nn import functional as F
from torch_geometric import nn as pyg

from highwaygraph.options import override
from highwaygraph.presets import PRESETS

QUICK = {"fit.epochs": 60, "fit.lr": 0.03, "fit.monitor": "loss", "fit.device": "cpu"}
FULL = override(PRESETS["full"], QUICK)
TYPICAL = override(PRESETS["typical"], QUICK)


class Own(nn.Module):
    """A user's own module, written as PyG's examples are."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = pyg.GCNConv(12, 16), pyg.GCNConv(16, 3)

    def reset_parameters(self) -> None:
        self.first.reset_parameters()
        self.second.reset_parameters()

    def forward(self, x, edge_index):
        x = F.dropout(x, 0.5, self.training)
        x = self.first(x, edge_index).relu()
        return self.second(F.dropout(x, 0.5, self.training), edge_index)
