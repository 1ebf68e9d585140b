import subprocess
import sys

import torch

from highwaygraph.nn.spmm import csr


def test_rows_stand_where_they_start() -> None:
    matrix = csr(torch.tensor([0, 2, 2, 3]), torch.tensor([0, 3, 1]), torch.tensor([1.0, 2.0, 3.0]), (3, 4))
    assert matrix.to_dense().tolist() == [[1, 0, 0, 2], [0, 0, 0, 0], [0, 3, 0, 0]]
    assert matrix.crow_indices().dtype == torch.int32


def test_nothing_is_said_about_it() -> None:
    arguments = "torch.zeros(2), torch.zeros(0), torch.zeros(0), (1, 1)"
    script = f"import torch\nfrom highwaygraph.nn.spmm import csr\ncsr({arguments})"
    said = subprocess.run([sys.executable, "-W", "always", "-c", script], capture_output=True, text=True, check=True)
    assert "sparse" not in said.stderr.lower()
