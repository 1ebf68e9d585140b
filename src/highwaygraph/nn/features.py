"""Node features as a model takes them: scaled, on its device, sparse where that is faster; once per run."""

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


# Features whose typical size lies within this factor of 1 are not scaled, nor are those beyond the second.
TYPICAL_SIZE, LARGEST_SIZE = 3.0, 1e9


# Rows of the features that the choice of a scaling is based on.
SAMPLED_ROWS = 4096


class MappedFeatures(NamedTuple):
    """Features that are read per mini-batch, in memory or on disk, with the sampling options and reused buffers."""

    x: Float[Tensor, "n f"]
    fit: Fit
    buffers: BufferPool


Features: TypeAlias = Tensor | csr_array | Sparse | MappedFeatures


def prepare_features(model: nn.Module, data: Graph, fit: Fit) -> Features:
    """Return the features as the model takes them.

    Args:
        model: The model.
        data: The graph; with a CSR adjacency, its features are read per mini-batch.
        fit: Options: the scaling and the device.

    Returns:
        A dense tensor on the model's device, a sparse matrix where that is faster, or mapped features.
    """
    if data.csr is not None:
        return MappedFeatures(data.x, fit, BufferPool())
    x, device = scale_features(data.x, fit), find_device(fit.device)
    if _can_prepare(model, device) and x.count_nonzero() < SPARSE_BELOW * x.numel():
        return _csr(x.float().numpy())
    return x.to(device, parameter_dtype(model))


def uses_kernels(model: nn.Module, fit: Fit) -> bool:
    """Return whether the model runs on prepared graphs rather than through its forward."""
    return _can_prepare(model, find_device(fit.device))


def resolve_features(config: Config, data: Graph) -> Config:
    """Return the config with fit.features=auto replaced by a choice.

    Sparse non-negative features, such as word counts, are scaled by row. Others stay raw, multiplied by a factor that
    brings most columns to a size of about 1.

    Args:
        config: All options.
        data: The graph.

    Returns:
        The same config, or one with `fit.features` and `fit.factor` set.
    """
    if config.fit.features != "auto":
        return config
    some = data.x[torch.arange(0, len(data.x), max(len(data.x) // SAMPLED_ROWS, 1))]
    if bool((some >= 0).all()) and some.count_nonzero() < some.numel() / 2:
        return override(config, {"fit.features": "row"})
    # Pair scores are products of logits: with features in the hundreds, the pair loss would dominate the node loss.
    return override(config, {"fit.features": "raw", "fit.factor": _factor(some)})


def _factor(x: Float[Tensor, "n f"]) -> float:
    """Return the factor that brings the median column to a root mean square of 1; robust to single columns."""
    sizes = x.double().square().mean(dim=0).sqrt()
    sizes = sizes[(sizes > 0) & sizes.isfinite()]
    size = float(sizes.median()) if len(sizes) else 1.0
    if 1 / TYPICAL_SIZE < size < TYPICAL_SIZE or not 1 / LARGEST_SIZE < size < LARGEST_SIZE:
        return 1.0
    return 1 / size


def scale_features(x: Float[Tensor, "n f"], fit: Fit) -> Float[Tensor, "n f"]:
    """Return the features times a factor, or every row divided by its sum of absolute values; zero rows stay zero."""
    if fit.features in ("raw", "auto"):
        return x if fit.factor == 1 else x * fit.factor
    x = x if fit.features == "row" else (x != 0).to(x.dtype)
    total = x.abs().sum(dim=1, keepdim=True)
    return x / torch.where(total == 0, 1.0, total)


def parameter_dtype(model: nn.Module) -> torch.dtype:
    """Return the dtype of the model's parameters, which features and edge weights are converted to."""
    types = (p.dtype for p in model.parameters() if p.is_floating_point())
    return next(types, torch.float32)


def _csr(x: NDArray[np.float32]) -> csr_array:
    """Return the matrix in CSR form; scipy's own conversion takes four times as long."""
    rows, columns = x.shape
    place = np.flatnonzero(x)
    indptr = np.searchsorted(place, np.arange(rows + 1) * columns)
    return csr_array((x.ravel()[place], place % columns, indptr), shape=x.shape)


def _can_prepare(model: nn.Module, device: torch.device) -> bool:
    # The prepared kernels are for the CPU; on a GPU, PyG's own layers are used.
    return isinstance(model, GNN) and device.type == "cpu"
