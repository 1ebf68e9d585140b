"""Sparse features of a user's module behave as the dense tensor."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch_geometric import nn as pyg

from highwaygraph.errors import ModelError
from highwaygraph.nn.drop_rows import drop_rows
from highwaygraph.nn.features import to_csr
from highwaygraph.nn.sparse_features import SparseFeatures
from highwaygraph.nn.spmm import sparse
from tests.helpers.graphs import block_graph


def dense_and_sparse(rows: int = 180, columns: int = 12) -> tuple[torch.Tensor, SparseFeatures]:
    rng = torch.Generator().manual_seed(0)
    dense = torch.randn(rows, columns, generator=rng) * (torch.rand(rows, columns, generator=rng) < 0.2)
    return dense, SparseFeatures.of(sparse(to_csr(dense.numpy())))


MODULES = {
    "gcn": lambda: pyg.GCNConv(12, 5),
    "gat": lambda: pyg.GATConv(12, 5, heads=2),
    "gatv2": lambda: pyg.GATv2Conv(12, 5),
    "sage": lambda: pyg.SAGEConv(12, 5),
    "gin": lambda: pyg.GINConv(nn.Linear(12, 5)),
    "cheb": lambda: pyg.ChebConv(12, 5, K=2),
    "transformer": lambda: pyg.TransformerConv(12, 5),
}


@pytest.mark.parametrize("name", MODULES)
def test_layers_give_the_same_logits_and_gradients(name) -> None:
    data = block_graph()
    dense, features = dense_and_sparse()
    torch.manual_seed(0)
    layer = MODULES[name]()
    expected = layer(dense, data.edge_index)
    expected.square().sum().backward()
    slopes = [p.grad.clone() for p in layer.parameters()]
    layer.zero_grad()
    found = layer(features, data.edge_index)
    found.square().sum().backward()
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)
    for one, slope in zip(layer.parameters(), slopes, strict=True):
        torch.testing.assert_close(one.grad, slope, atol=1e-3, rtol=1e-3)


def test_products_stay_sparse_and_other_operations_are_dense() -> None:
    dense, features = dense_and_sparse()
    weight = torch.randn(12, 4, requires_grad=True)
    for found in (features @ weight, torch.mm(features, weight), F.linear(features, weight.T, torch.zeros(4))):
        torch.testing.assert_close(found, dense @ weight)
    # None of them made the dense tensor.
    assert "dense" not in vars(features)
    assert (features.shape, features.dtype, features.dim(), len(features)) == (dense.shape, dense.dtype, 2, 180)
    assert "dense" not in vars(features)
    torch.testing.assert_close(features + 1, dense + 1)
    torch.testing.assert_close(torch.cat([features, dense]), torch.cat([dense, dense]))
    torch.testing.assert_close(features[3:5], dense[3:5])
    torch.testing.assert_close((dense.T @ features), dense.T @ dense)


def test_dropout_masks_entries_and_keeps_the_expectation() -> None:
    dense, features = dense_and_sparse()
    torch.manual_seed(0)
    passes = torch.stack([F.dropout(features, 0.5, training=True).dense for _ in range(1000)])
    torch.testing.assert_close(passes.mean(dim=0), dense, atol=0.4, rtol=0.1)
    assert nn.Dropout(0.5).eval()(features) is features


def test_rows_may_be_dropped_before_dropout() -> None:
    dense, features = dense_and_sparse()
    visible = torch.arange(180).remainder(2).float()
    dropped, _ = drop_rows(features.sparse, 0.0, None, visible)
    torch.testing.assert_close(SparseFeatures.of(dropped).dense, dense * visible[:, None])
    after = F.dropout(SparseFeatures.of(dropped), 0.5, training=True)
    assert not after.dense[::2].any()
    weight = torch.randn(12, 4, requires_grad=True)
    (after @ weight).sum().backward()
    torch.testing.assert_close(weight.grad, after.dense.sum(dim=0)[:, None].expand(12, 4))


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.relu_(),
        lambda x: F.relu(x, inplace=True),
        lambda x: F.dropout(x, 0.5, True, True),
        lambda x: nn.Dropout(0.5, inplace=True)(x),
        lambda x: x.__setitem__(0, 1.0),
    ],
)
def test_changes_in_place_are_refused(change) -> None:
    _, features = dense_and_sparse()
    with pytest.raises(ModelError, match="in place"):
        change(features)


def test_scripted_modules_get_the_dense_tensor() -> None:
    dense, features = dense_and_sparse()
    scripted = torch.jit.script(nn.Sequential(nn.ReLU()))
    torch.testing.assert_close(scripted(features), dense.relu())


def test_code_that_reads_the_memory_finds_nan() -> None:
    _, features = dense_and_sparse()
    with torch._C.DisableTorchFunctionSubclass():
        assert features.sum().isnan()
