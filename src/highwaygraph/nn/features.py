"""From a graph to logits: what a model is called with, made once per run (features) and once per graph (batches)."""

from typing import NamedTuple, TypeAlias

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from scipy.sparse import csr_array
from torch import Tensor, nn

from highwaygraph.config import Config, Fit
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.layerwise import BufferPool
from highwaygraph.nn.spmm import Sparse
from highwaygraph.options import override
from highwaygraph.runtime.environment import find_device

# A sparse first layer, dropout included, was measured to cost less up to about a third of non-zeros.
SPARSE_BELOW = 0.25


# Features of about this size, or one over it, are left as they are, and so are those beyond all measure.
PLAIN, WILD = 3.0, 1e9


# Rows of the features that are looked at to tell what they are.
SEEN = 4096


class MappedFeatures(NamedTuple):
    """Features that are read piece by piece, wherever they are, how surroundings are drawn, and room for answers."""

    x: Float[Tensor, "n f"]
    fit: Fit
    desk: BufferPool


Features: TypeAlias = Tensor | csr_array | Sparse | MappedFeatures


def prepare_features(model: nn.Module, data: Graph, fit: Fit) -> Features:
    """Return the features as the model takes them: on its device, sparse where that pays and the model can."""
    if data.csr is not None:
        return MappedFeatures(data.x, fit, BufferPool())
    x, device = scale_features(data.x, fit), find_device(fit.device)
    if _can_prepare(model, device) and x.count_nonzero() < SPARSE_BELOW * x.numel():
        return _csr(x.float().numpy())
    return x.to(device, parameter_dtype(model))


def uses_kernels(model: nn.Module, fit: Fit) -> bool:
    """Tell whether the model runs on prepared graphs rather than through its forward."""
    return _can_prepare(model, find_device(fit.device))


def resolve_features(config: Config, data: Graph) -> Config:
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


def scale_features(x: Float[Tensor, "n f"], fit: Fit) -> Float[Tensor, "n f"]:
    """Return the features raw, or (of what is not zero) every row divided by its sum of sizes; empty rows stay."""
    if fit.features in ("raw", "auto"):
        return x if fit.factor == 1 else x * fit.factor
    x = x if fit.features == "row" else (x != 0).to(x.dtype)
    total = x.abs().sum(dim=1, keepdim=True)
    return x / torch.where(total == 0, 1.0, total)


def parameter_dtype(model: nn.Module) -> torch.dtype:
    """Return the type of the model's numbers, which features and edge weights have to share."""
    types = (p.dtype for p in model.parameters() if p.is_floating_point())
    return next(types, torch.float32)


def _csr(x: NDArray[np.float32]) -> csr_array:
    """Return the non-zeros; scipy's own conversion of a dense table takes four times as long."""
    rows, columns = x.shape
    place = np.flatnonzero(x)
    indptr = np.searchsorted(place, np.arange(rows + 1) * columns)
    return csr_array((x.ravel()[place], place % columns, indptr), shape=x.shape)


def _can_prepare(model: nn.Module, device: torch.device) -> bool:
    # On a GPU the dense path through PyG's own layers has nothing to gain from these preparations.
    return isinstance(model, GNN) and device.type == "cpu"
