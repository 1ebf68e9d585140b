import pytest
import torch
from scipy.sparse import csr_array

from highwaygraph.nn.dropout import DropoutMasks, dropout, relu_dropout_
from highwaygraph.nn.spmm import sparse
from highwaygraph.runtime.rng import seeded


@pytest.mark.parametrize("rate", [0.3, 0.5, 0.7])
def test_masks_drop_at_their_rate_and_keep_the_mean(rate) -> None:
    mask = DropoutMasks().sample(torch.Size([1000, 333]), rate)
    assert (mask == 0).double().mean().item() == pytest.approx(rate, abs=0.003)
    assert mask.double().mean().item() == pytest.approx(1.0, abs=0.01)
    assert len(mask.unique()) == 2


def test_masks_follow_torchs_seed() -> None:
    sampled = []
    for seed in (1, 1, 2):
        masks = DropoutMasks()
        with seeded(seed, torch.device("cpu")):
            masks.reseed()
        sampled.append(masks.sample(torch.Size([50]), 0.5))
    assert torch.equal(sampled[0], sampled[1])
    assert not torch.equal(sampled[0], sampled[2])


def test_masks_continue_from_a_saved_state() -> None:
    masks, other = DropoutMasks(), DropoutMasks()
    masks.sample(torch.Size([7]), 0.5)
    other.set_state(masks.state())
    assert torch.equal(masks.sample(torch.Size([50]), 0.5), other.sample(torch.Size([50]), 0.5))


def test_dropout_of_a_sparse_matrix_applies_to_its_transpose() -> None:
    matrix = sparse(csr_array(torch.ones(5, 7).numpy()))
    dropped = dropout(matrix, 0.5, DropoutMasks())
    transpose = torch.cat([block.to_dense() for block in dropped.transpose.blocks], dim=1)
    assert torch.equal(dropped.matrix.to_dense().T, transpose)
    assert 0 < dropped.matrix.to_dense().count_nonzero() < 35


def test_relu_and_dropout_in_one_factor() -> None:
    x = torch.randn(50, 8)
    expected = x.relu() * DropoutMasks().sample(x.shape, 0.5)
    assert torch.equal(relu_dropout_(x.clone(), 0.5, DropoutMasks()), expected)
    assert torch.equal(relu_dropout_(x.clone(), 0.0, DropoutMasks()), x.relu())
    assert torch.equal(relu_dropout_(x.clone(), 0.5, None), x.relu())
