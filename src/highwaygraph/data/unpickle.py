"""Python-2 pickles of arrays, read without ever calling what the pickle names.

Every name a Planetoid pickle may hold leads to a stand-in below, so neither numpy's nor scipy's own
unpickling (and none of their private modules) is reached; any other name is refused.
"""

import pickle
import re
from collections import defaultdict
from collections.abc import Sequence
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highwaygraph.data.dense import dense
from highwaygraph.errors import DataError


class _Kind:
    """Stands in for numpy.dtype, for plain numbers only."""

    def __init__(self, code: str, *_: object) -> None:
        if not re.fullmatch(r"[biuf][1248]", code):
            raise DataError(f"it holds values of type {code!r} where numbers were expected")
        self.dtype: np.dtype[Any] = np.dtype(code)

    def __setstate__(self, state: Sequence[Any]) -> None:
        self.dtype = self.dtype.newbyteorder(state[1])


class _Array:
    """Stands in for numpy.ndarray."""

    value: NDArray[Any]

    def __setstate__(self, state: Sequence[Any]) -> None:
        _, shape, kind, fortran, raw = state
        # Python 2 had no bytes: its strings arrive decoded as latin1.
        buffer = raw.encode("latin1") if isinstance(raw, str) else raw
        self.value = np.frombuffer(buffer, kind.dtype).reshape(shape, order="F" if fortran else "C").copy()


class _Csr:
    """Stands in for scipy's csr_matrix, whose state is a plain dictionary of attributes."""

    _shape: tuple[int, int]
    data: _Array
    indices: _Array
    indptr: _Array

    def dense(self) -> NDArray[Any]:
        return dense(self.data.value, self.indices.value, self.indptr.value, self._shape)


def _new_array(*_: object) -> _Array:
    return _Array()


_SAFE: dict[tuple[str, str], Any] = {
    ("__builtin__", "list"): list,
    ("builtins", "list"): list,
    ("collections", "defaultdict"): defaultdict,
    ("numpy", "dtype"): _Kind,
    ("numpy", "ndarray"): _Array,
    ("numpy.core.multiarray", "_reconstruct"): _new_array,
    ("numpy._core.multiarray", "_reconstruct"): _new_array,
    ("scipy.sparse.csr", "csr_matrix"): _Csr,
    ("scipy.sparse._csr", "csr_matrix"): _Csr,
    ("scipy.sparse._csr", "csr_array"): _Csr,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _SAFE:
            raise DataError(f"it asks for {module}.{name}, which no Planetoid file needs")
        return _SAFE[module, name]


def unpickle(content: bytes, file: str) -> Any:
    """Return the dense array or the dictionary in a Planetoid pickle, or refuse the file."""
    try:
        value = _Unpickler(BytesIO(content), encoding="latin1").load()
        if isinstance(value, _Csr):
            return value.dense()
        return value.value if isinstance(value, _Array) else value
    except Exception as error:
        # A crafted pickle can fail in any way; whatever it is, the file is not what it claims to be.
        why = str(error) if isinstance(error, DataError) else "it is damaged"
        raise DataError(f"{file} is refused as a Planetoid file: {why}.") from error
