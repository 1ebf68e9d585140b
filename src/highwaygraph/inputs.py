"""What a model is called with: features and edges on the device, made once per graph."""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch_geometric.data import Data

from highwaygraph.config import Fit
from highwaygraph.errors import ConfigError, ModelError
from highwaygraph.models import takes_edge_weight


class Inputs(NamedTuple):
    """The arguments of forward."""

    x: Float[Tensor, "n f"]
    edge_index: Int[Tensor, "2 e"]
    edge_weight: Float[Tensor, "e"] | None


def prepare(model: nn.Module, data: Data, fit: Fit) -> Inputs:
    """Return the data as the model takes it, on the device of the run."""
    device = find_device(fit.device)
    weight = getattr(data, "edge_weight", None)
    if weight is not None and not takes_edge_weight(model):
        raise ModelError(
            f"The data has edge weights, but {type(model).__name__}.forward has no argument edge_weight: "
            "add it, or remove data.edge_weight."
        )
    x = scale(data.x, fit.features).to(device)
    return Inputs(x, data.edge_index.to(device), None if weight is None else weight.to(device))


def call(model: nn.Module, inputs: Inputs) -> Float[Tensor, "n c"]:
    """Run the model and refuse an answer that is no table of logits."""
    if inputs.edge_weight is None:
        logits = model(inputs.x, inputs.edge_index)
    else:
        logits = model(inputs.x, inputs.edge_index, edge_weight=inputs.edge_weight)
    nodes = inputs.x.size(0)
    if not isinstance(logits, Tensor) or logits.dim() != 2 or logits.size(0) != nodes:
        what = tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__
        raise ModelError(f"The model must return one row of logits per node ({nodes}, classes), not {what}.")
    return logits


def scale(x: Float[Tensor, "n f"], features: Literal["raw", "row"]) -> Float[Tensor, "n f"]:
    """Return the features raw, or with every row divided by its sum (rows that sum to 0 stay)."""
    if features == "raw":
        return x
    total = x.sum(dim=1, keepdim=True)
    return x / torch.where(total == 0, 1.0, total)


def find_device(name: str) -> torch.device:
    """Return the device of that name, refusing one that this machine does not have."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(f"Device {name!r} is not available here: use --fit.device auto or cpu.") from error
    return device
