"""From a graph to logits: what a model is called with, made once per run (features) and once per graph (batches)."""

import copy
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch_geometric.data import Data

from highwaygraph.config import Config, Fit
from highwaygraph.data.store import ids_of
from highwaygraph.desk import Desk
from highwaygraph.edges import parts_of
from highwaygraph.errors import ConfigError, ModelError
from highwaygraph.gnn import GNN, Prepared
from highwaygraph.models import takes_edge_weight
from highwaygraph.rows import from_edges, to_edges
from highwaygraph.sampler import Sampler
from highwaygraph.sparse import Sparse
from highwaygraph.values import override

# A sparse first layer, dropout included, was measured to cost less up to about a third of non-zeros.
SPARSE_BELOW = 0.25
# Features of about this size, or one over it, are left as they are, and so are those beyond all measure.
PLAIN, WILD = 3.0, 1e9
# Rows of the features that are looked at to tell what they are.
SEEN = 4096


class Plain(NamedTuple):
    """The arguments of any module's forward, and the nodes whose logits are wanted."""

    x: Float[Tensor, "n f"]
    edge_index: Int[Tensor, "2 e"]
    edge_weight: Float[Tensor, "e"] | None
    targets: Int[Tensor, "t"] | None


class Mapped(NamedTuple):
    """Features that are read piece by piece, wherever they are, how surroundings are drawn, and room for answers."""

    x: Float[Tensor, "n f"]
    fit: Fit
    desk: Desk


Features: TypeAlias = Tensor | csr_array | Sparse | Mapped
Batch: TypeAlias = Plain | Prepared


def read(model: nn.Module, data: Data, fit: Fit) -> Features:
    """Return the features as the model takes them: on its device, sparse where that pays and the model can."""
    if "rows" in data:
        return Mapped(data.x, fit, Desk())
    x, device = scale(data.x, fit), find_device(fit.device)
    if _can_prepare(model, device) and x.count_nonzero() < SPARSE_BELOW * x.numel():
        return _csr(x.float().numpy())
    return x.to(device, number_type(model))


def batch(model: nn.Module, features: Features, graph: Data) -> Batch:
    """Return what the logits of all nodes are computed from."""
    return batches(model, features, graph)(None)


def batches(model: nn.Module, features: Features, graph: Data) -> Callable[[Tensor | None], Batch]:
    """Return a function that gives what the logits of some nodes, or of all, are computed from."""
    if isinstance(features, Mapped):
        return _drawn(model, features, graph)
    weight = getattr(graph, "edge_weight", None)
    if weight is not None and not takes_edge_weight(model):
        raise ModelError(
            f"The data has edge weights, but {type(model).__name__}.forward has no argument edge_weight: "
            "add it, or remove data.edge_weight."
        )
    device = features.device if isinstance(features, Tensor) else torch.device("cpu")
    weight = None if weight is None else weight.to(device, number_type(model))
    if isinstance(model, GNN) and _can_prepare(model, device):
        return model.prepare(features, graph.edge_index, weight, getattr(graph, "strength", None))
    assert isinstance(features, Tensor)
    edge_index = graph.edge_index.to(device)
    return lambda targets: Plain(features, edge_index, weight, None if targets is None else targets.to(device))


def read_piece(model: nn.Module, piece: Data, fit: Fit) -> Callable[[Tensor | None], Batch]:
    """Return such a function for drawn surroundings, a small graph with features of its own."""
    return batches(model, read(model, piece, fit), piece)


def fanouts(model: nn.Module, fit: Fit) -> tuple[int, ...]:
    """Return how many neighbours are drawn at each hop, for a built-in network at all hops that it sees."""
    given = fit.neighbors
    return (given + given[-1:] * model.reach)[: model.reach] if isinstance(model, GNN) else given


def by_rows(data: Data) -> Data:
    """Return the graph with its edges by rows beside the list, for training by lots; loops say nothing there."""
    if "rows" in data:
        return data
    changed = copy.copy(data)
    kept = data.edge_index[0] != data.edge_index[1]
    weight = data.edge_weight[kept].float() if "edge_weight" in data else None
    changed.rows = from_edges(data.edge_index[:, kept], data.num_nodes, weight)
    return changed


def listed(data: Data) -> Data:
    """Return the graph with its edges listed, for training on all of it at once."""
    if "edge_index" in data:
        return data
    changed = copy.copy(data)
    parts = parts_of(data)
    changed.edge_index = torch.cat([to_edges(part) for part in parts], dim=1)
    if data.rows.weight is not None:
        added = [torch.ones(len(part.neighbours)) for part in parts[1:]]
        changed.edge_weight = torch.cat([data.rows.weight, *added])
    changed.ids = ids_of(data)
    for name in ("rows", "added", "folder"):
        if name in changed:
            del changed[name]
    return changed


def is_prepared(model: nn.Module, fit: Fit) -> bool:
    """Tell whether the model runs on prepared graphs rather than through its forward."""
    return _can_prepare(model, find_device(fit.device))


def _drawn(model: nn.Module, features: Mapped, graph: Data) -> Callable[[Tensor | None], Batch]:
    sampler = Sampler(parts_of(graph), fanouts(model, features.fit), seed=0)

    def look(targets: Tensor | None) -> Batch:
        assert targets is not None
        piece = sampler.draw(targets)
        piece.x = features.x[piece.n_id]
        return read_piece(model, piece, features.fit)(torch.arange(len(targets)))

    return look


def call(model: nn.Module, inputs: Batch, visible: Float[Tensor, "n"] | None = None) -> Float[Tensor, "t c"]:
    """Return the logits of the batch's targets, the nodes' features scaled by `visible` if given."""
    if isinstance(inputs, Prepared):
        return model.run(inputs, visible)  # type: ignore[operator, no-any-return]
    extra = {} if inputs.edge_weight is None else {"edge_weight": inputs.edge_weight}
    x = inputs.x if visible is None else inputs.x * visible[:, None]
    logits = model(x, inputs.edge_index, **extra)
    nodes = inputs.x.size(0)
    if not isinstance(logits, Tensor) or logits.dim() != 2 or logits.size(0) != nodes:
        what = tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__
        raise ModelError(f"The model must return one row of logits per node ({nodes}, classes), not {what}.")
    if not logits.is_floating_point():
        raise ModelError(f"The model must return logits that can be trained on, not {logits.dtype}.")
    if model.training and torch.is_grad_enabled() and not logits.requires_grad:
        raise ModelError("The model's logits do not depend on its weights: return them without detach() or no_grad().")
    return logits if inputs.targets is None else logits[inputs.targets]


def decided(config: Config, data: Data) -> Config:
    """Return the config with a decision where it says auto: rows are scaled where features count or mark something."""
    if config.fit.features != "auto":
        return config
    some = data.x[torch.arange(0, len(data.x), max(len(data.x) // SEEN, 1))]
    if bool((some >= 0).all()) and some.count_nonzero() < some.numel() / 2:
        return override(config, {"fit.features": "row"})
    # Pair scores are products of logits: features in the hundreds would let the pair loss drown the node loss.
    return override(config, {"fit.features": "raw", "fit.factor": _factor(some)})


def _factor(x: Float[Tensor, "n f"]) -> float:
    """Return what brings the size of most columns to about 1; a single wild one decides nothing."""
    sizes = x.double().square().mean(dim=0).sqrt()
    sizes = sizes[(sizes > 0) & sizes.isfinite()]
    size = float(sizes.median()) if len(sizes) else 1.0
    return 1.0 if 1 / PLAIN < size < PLAIN or not 1 / WILD < size < WILD else 1 / size


def scale(x: Float[Tensor, "n f"], fit: Fit) -> Float[Tensor, "n f"]:
    """Return the features raw, or (of what is not zero) every row divided by its sum of sizes; empty rows stay."""
    if fit.features in ("raw", "auto"):
        return x if fit.factor == 1 else x * fit.factor
    x = x if fit.features == "row" else (x != 0).to(x.dtype)
    total = x.abs().sum(dim=1, keepdim=True)
    return x / torch.where(total == 0, 1.0, total)


def number_type(model: nn.Module) -> torch.dtype:
    """Return the type of the model's numbers, which features and edge weights have to share."""
    types = (p.dtype for p in model.parameters() if p.is_floating_point())
    return next(types, torch.float32)


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


def _csr(x: NDArray[np.float32]) -> csr_array:
    """Return the non-zeros; scipy's own conversion of a dense table takes four times as long."""
    rows, columns = x.shape
    place = np.flatnonzero(x)
    indptr = np.searchsorted(place, np.arange(rows + 1) * columns)
    return csr_array((x.ravel()[place], place % columns, indptr), shape=x.shape)


def _can_prepare(model: nn.Module, device: torch.device) -> bool:
    # On a GPU the dense path through PyG's own layers has nothing to gain from these preparations.
    return isinstance(model, GNN) and device.type == "cpu"
