"""torch's sparse matrices by rows, made without its remarks."""

import warnings

import torch
from torch import Tensor

with warnings.catch_warnings():
    # torch says once per process that CSR is in beta; the tests compare every product with a dense one.
    warnings.simplefilter("ignore")
    torch.sparse_csr_tensor(torch.tensor([0, 0]), torch.tensor([], dtype=torch.long), torch.tensor([]), size=(1, 1))


def csr(start: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return the matrix whose row i stands at start[i] to start[i + 1]."""
    # 32-bit indices are what the kernels take: others are copied in every product.
    return torch.sparse_csr_tensor(start.int(), columns.int(), values, size=shape)
