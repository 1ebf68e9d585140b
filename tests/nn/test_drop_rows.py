import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from highwaygraph.nn.drop_rows import drop_rows
from highwaygraph.nn.dropout import DropoutMasks
from highwaygraph.nn.spmm import product, sparse


def features(seed: int = 0, rows: int = 40, columns: int = 12) -> csr_array:
    rng = np.random.default_rng(seed)
    dense = rng.random((rows, columns)) * (rng.random((rows, columns)) < 0.3)
    # Some rows have no entry at all.
    dense[::7] = 0
    return csr_array(dense.astype(np.float32))


@given(st.integers(0, 1000), st.sampled_from([0.0, 0.3, 0.5]))
def test_the_product_and_its_gradient_are_those_of_the_dense_matrix(seed, rate) -> None:
    x, visible = features(seed), torch.from_numpy(np.random.default_rng(seed).choice([0.0, 2.0], 40)).float()
    dropped, factors = drop_rows(sparse(x), rate, DropoutMasks(), visible)
    assert factors is None
    dense = torch.from_numpy(dropped.rows.toarray())
    weight = torch.randn(12, 5, generator=torch.Generator().manual_seed(seed))
    ours, expected = weight.clone().requires_grad_(), weight.clone().requires_grad_()
    found, reference = product(dropped, ours), dense @ expected
    torch.testing.assert_close(found, reference)
    slope = torch.randn(40, 5, generator=torch.Generator().manual_seed(seed))
    found.backward(slope)
    reference.backward(slope)
    torch.testing.assert_close(ours.grad, expected.grad)


def test_without_dropout_rows_are_multiplied_by_their_factors() -> None:
    x, visible = features(), torch.tensor([0.0, 2.0]).repeat(20)
    dropped, _ = drop_rows(sparse(x), 0.0, DropoutMasks(), visible)
    np.testing.assert_allclose(dropped.rows.toarray(), x.toarray() * visible[:, None].numpy())


def test_dropout_keeps_the_expectation() -> None:
    x, masks = features(), DropoutMasks()
    passes = [drop_rows(sparse(x), 0.25, masks, torch.ones(40))[0].rows.toarray() for _ in range(2000)]
    np.testing.assert_allclose(np.mean(passes, axis=0), x.toarray(), atol=0.08)
    kept = np.mean([(one != 0).sum() for one in passes]) / x.nnz
    assert kept == pytest.approx(0.75, abs=0.01)


def test_all_rows_may_be_dropped() -> None:
    dropped, _ = drop_rows(sparse(features()), 0.5, DropoutMasks(), torch.zeros(40))
    assert dropped.rows.nnz == 0
    weight = torch.ones(12, 3, requires_grad=True)
    product(dropped, weight).sum().backward()
    assert not weight.grad.any()


def test_dense_features_keep_their_factors() -> None:
    x, visible = torch.ones(4, 3), torch.tensor([0.0, 2.0, 0.0, 2.0])
    same, factors = drop_rows(x, 0.0, DropoutMasks(), visible)
    assert same is x
    assert factors is visible
