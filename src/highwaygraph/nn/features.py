"""Node features as a model takes them: scaled, on its device, sparse where that is faster; once per run."""

import copy
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack
from torch import Tensor, nn

from highwaygraph.config import Fit
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.layerwise import BufferPool
from highwaygraph.nn.scaling import FeatureScaling
from highwaygraph.nn.sparse_features import SparseFeatures
from highwaygraph.nn.spmm import Sparse, sparse
from highwaygraph.runtime.environment import find_device

# A sparse first layer, dropout included, was measured to cost less up to about two fifths of non-zeros.
SPARSE_BELOW = 0.4


class MappedFeatures(NamedTuple):
    """Features that are read per mini-batch, in memory or on disk, with the sampling options and reused buffers."""

    x: Float[Tensor, "n f"]
    fit: Fit
    buffers: BufferPool
    scaling: FeatureScaling | None = None


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
        return MappedFeatures(data.x, fit, BufferPool(), data.scaling)
    x, device = scale_features(data.x, fit, data.scaling), find_device(fit.device)
    if _can_prepare(model, device) and x.count_nonzero() < SPARSE_BELOW * x.numel():
        return to_csr(x.float().numpy())
    return x.to(device, parameter_dtype(model))


def stack_features(features: Tensor | csr_array) -> Tensor | csr_array:
    """Return the features of two copies of the nodes, one below the other."""
    return torch.cat([features] * 2) if isinstance(features, Tensor) else csr_array(vstack([features] * 2))


def uses_kernels(model: nn.Module, fit: Fit) -> bool:
    """Return whether the model runs on prepared graphs rather than through its forward."""
    return _can_prepare(model, find_device(fit.device))


def scale_features(x: Float[Tensor, "n f"], fit: Fit, scaling: FeatureScaling | None = None) -> Float[Tensor, "n f"]:
    """Return the features scaled as the options name it, times fit.factor.

    Args:
        x: The features.
        fit: Options.
        scaling: The scaling of fit.features=auto; without one, these features stay as they are.

    Returns:
        Scaled features; zero rows stay zero where rows are divided by their sum or length.
    """
    if fit.features == "auto":
        x = x if scaling is None else scaling.apply(x)
    elif fit.features != "raw":
        x = x if fit.features == "row" else (x != 0).to(x.dtype)
        total = x.abs().sum(dim=1, keepdim=True)
        x = x / torch.where(total == 0, 1.0, total)
    return x if fit.factor == 1 else x * fit.factor


def scale_other_types(graph: Graph, fit: Fit) -> Graph:
    """Return the graph with the features of its other types scaled as those of the target type are."""
    if graph.hetero is None:
        return graph
    scaling = graph.hetero.scaling
    scaled = {name: scale_features(x, fit, scaling.get(name)) for name, x in graph.hetero.x.items()}
    changed = copy.copy(graph)
    changed.hetero = replace(graph.hetero, x=scaled)
    return changed


def sparse_features(model: nn.Module, x: Features) -> SparseFeatures | None:
    """Return features of a user's module in sparse form, None where that is not faster or not possible.

    Args:
        model: The module.
        x: Its prepared features.

    Returns:
        The sparse features, for products on the CPU in single precision.
    """
    if isinstance(model, GNN) or not isinstance(x, Tensor) or x.device.type != "cpu" or x.dtype != torch.float32:
        return None
    return SparseFeatures.of(sparse(to_csr(x.numpy()))) if x.count_nonzero() < SPARSE_BELOW * x.numel() else None


def parameter_dtype(model: nn.Module) -> torch.dtype:
    """Return the dtype of the model's parameters, which features and edge weights are converted to."""
    types = (p.dtype for p in model.parameters() if p.is_floating_point())
    return next(types, torch.float32)


def to_csr(x: NDArray[np.float32]) -> csr_array:
    """Return the matrix in CSR form; scipy's own conversion takes four times as long."""
    rows, columns = x.shape
    place = np.flatnonzero(x)
    indptr = np.searchsorted(place, np.arange(rows + 1) * columns)
    return csr_array((x.ravel()[place], place % columns, indptr), shape=x.shape)


def _can_prepare(model: nn.Module, device: torch.device) -> bool:
    # The prepared kernels are for the CPU; on a GPU, PyG's own layers are used.
    return isinstance(model, GNN) and device.type == "cpu"
