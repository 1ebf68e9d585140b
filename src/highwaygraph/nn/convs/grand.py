"""A layer that averages over many hops at once, as GRAND does: weights first, then the mean of 0 to `order` steps."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.nn.inits import zeros


class Propagation(nn.Module):
    """One weight matrix, whose answer is the mean over its first steps along the normalised edges."""

    def __init__(self, wide: int, narrow: int, order: int, *, bias: bool) -> None:
        super().__init__()
        self.order = order
        self.lin = nn.Linear(wide, narrow, bias=False)
        self.bias = nn.Parameter(torch.zeros(narrow)) if bias else None

    def reset_parameters(self) -> None:
        """Draw the weights anew."""
        self.lin.reset_parameters()
        zeros(self.bias)

    def forward(
        self,
        x: Float[Tensor, "n i"],
        edge_index: Int[Tensor, "2 e"],
        edge_weight: Float[Tensor, "e"] | None = None,
    ) -> Float[Tensor, "n o"]:
        """Return the mean of x W, A x W, A A x W and so on, with A as in GCN."""
        (sender, receiver), weight = gcn_norm(edge_index, edge_weight, x.size(0), dtype=x.dtype)
        now = total = self.lin(x)
        for _ in range(self.order):
            now = torch.zeros_like(now).index_add_(0, receiver, weight[:, None] * now[sender])
            total = total + now
        mean: Tensor = total / (self.order + 1)
        return mean if self.bias is None else mean + self.bias
