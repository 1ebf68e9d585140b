"""Sparse features for a user's own module: a tensor whose products with weights use only its non-zero entries."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F
from torch.utils._pytree import tree_map

from highwaygraph.errors import ModelError
from highwaygraph.nn.spmm import Sparse, product

MATMUL = (torch.matmul, torch.mm, Tensor.matmul, Tensor.mm, Tensor.__matmul__)


# Reads of shape, type and place, which need no entries.
METADATA: tuple[Any, ...] = (
    Tensor.size, Tensor.dim, Tensor.__len__, Tensor.is_floating_point, Tensor.is_inference, Tensor.numel,
    *(getattr(Tensor, name).__get__ for name in ("shape", "ndim", "dtype", "device", "layout", "requires_grad")),
    *(getattr(Tensor, name).__get__ for name in ("is_sparse", "is_cuda", "is_quantized", "is_nested", "_version")),
)  # fmt: skip


class SparseFeatures(Tensor):
    """Features that behave as a dense tensor.

    Products with a weight matrix (`F.linear`, `@`) and `F.dropout` use the non-zero entries only; every other
    operation is computed on the dense tensor, which is made once. Changes in place are refused. Code that reads the
    memory without Python, such as TorchScript, finds NaN there, so that a trial forward pass detects it.
    """

    sparse: Sparse

    @staticmethod
    def of(sparse: Sparse) -> "SparseFeatures":
        """Return the features with these entries."""
        features = torch.full((1, 1), torch.nan).expand(*sparse.shape).as_subclass(SparseFeatures)
        features.sparse = sparse
        return features

    @cached_property
    def dense(self) -> Float[Tensor, "n f"]:
        """The same features as a dense tensor."""
        return torch.from_numpy(self.sparse.rows.toarray())

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Sequence[type], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Compute a function of torch whose arguments contain sparse features."""
        kwargs = kwargs or {}
        if func in METADATA:
            with torch._C.DisableTorchFunctionSubclass():
                return func(*args, **kwargs)
        if args and isinstance(args[0], SparseFeatures):
            _refuse_in_place(func, kwargs)
            found = _sparse_result(func, args, kwargs)
            if found is not None:
                return found
        return func(*tree_map(_densify, args), **tree_map(_densify, kwargs))


def _sparse_result(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor | None:
    """Return the result of a product or of dropout, None for any other function."""
    if func is F.linear:
        return _linear(*args, **kwargs)
    if func in MATMUL and len(args) == 2 and _is_weight(args[1]):
        return product(args[0].sparse, args[1])
    if func is F.dropout:
        return _dropout(*args, **{name: value for name, value in kwargs.items() if name != "inplace"})
    return None


def _linear(x: SparseFeatures, weight: Tensor, bias: Tensor | None = None) -> Tensor | None:
    if not _is_weight(weight):
        return None
    out = product(x.sparse, weight.T)
    return out if bias is None else out.add_(bias)


def _dropout(x: SparseFeatures, p: float = 0.5, *training_and_inplace: bool, training: bool = True) -> Tensor:
    training, *inplace = training_and_inplace or (training,)
    if any(inplace):
        _refuse_in_place(F.dropout, {"inplace": True})
    if not training or not p:
        return x
    return SparseFeatures.of(x.sparse.with_values(F.dropout(x.sparse.matrix.values(), p)))


def _is_weight(other: object) -> bool:
    """Return whether the prepared products take this factor."""
    if not isinstance(other, Tensor) or isinstance(other, SparseFeatures):
        return False
    return other.dim() == 2 and other.dtype == torch.float32 and other.layout == torch.strided


def _refuse_in_place(func: Callable[..., Any], kwargs: dict[str, Any]) -> None:
    name = getattr(func, "__name__", "")
    if kwargs.get("inplace") or (name.endswith("_") and not name.endswith("__")) or name == "__setitem__":
        raise ModelError(
            f"The model's forward changes x in place ({name}), so that every epoch would get other data: work on a "
            "copy (x = x.clone()), or leave out inplace=True."
        )


def _densify(value: Any) -> Any:
    return value.dense if isinstance(value, SparseFeatures) else value
