"""The prepared path against PyG's own layers: same logits, same gradients, same law of dropout."""

import pytest
import torch
from scipy.sparse import csr_array

from highwaygraph.models import build
from highwaygraph.nn.dropout import DropoutMasks
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.layers import drop
from highwaygraph.nn.spmm import sparse
from tests.helpers.graphs import block_graph

MODELS = ("gcn", "gat", "sage", "hyper", "grand")


def odd_graph():
    """Directed, parallel and looped edges, an isolated node, sparse features with an empty row."""
    data = block_graph()
    extra = torch.tensor([[0, 0, 5, 7, 7, 9], [1, 1, 5, 8, 8, 4]])
    lonely = (data.edge_index != 17).all(dim=0)
    data.edge_index = torch.cat([data.edge_index[:, lonely], extra], dim=1)
    data.x = data.x * (torch.rand(data.x.shape, generator=torch.Generator().manual_seed(0)) < 0.2)
    data.x[3] = 0
    return data


def features(data, kind):
    return csr_array(data.x.numpy()) if kind == "sparse" else data.x


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", ["sparse", "dense"])
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("part", [True, False])
def test_logits_and_gradients_are_those_of_pyg(name, kind, layers, part) -> None:
    data = odd_graph()
    torch.manual_seed(0)
    model = build(name, data, hidden=16, layers=layers, dropout=0.0)
    targets = data.train_mask.nonzero().flatten() if part else torch.arange(180)
    expected = model(data.x, data.edge_index)[targets]
    torch.manual_seed(1)
    weight = torch.randn_like(expected)
    (expected * weight).sum().backward()
    gradients = {n: p.grad.clone() for n, p in model.named_parameters()}
    model.zero_grad()
    logits = model.run(model.prepare(features(data, kind), data.edge_index, None)(targets if part else None))
    (logits * weight).sum().backward()
    torch.testing.assert_close(logits, expected, atol=1e-5, rtol=1e-4)
    for n, p in model.named_parameters():
        torch.testing.assert_close(p.grad, gradients[n], atol=1e-4, rtol=1e-3)


def test_gcn_with_edge_weights() -> None:
    data = odd_graph()
    weight = torch.rand(data.edge_index.size(1))
    model = build("gcn", data).eval()
    logits = model.run(model.prepare(data.x, data.edge_index, weight)(None))
    torch.testing.assert_close(logits, model(data.x, data.edge_index, weight), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", MODELS)
def test_dropout_has_the_mean_and_spread_of_torchs(name) -> None:
    data = odd_graph()
    torch.manual_seed(0)
    model = build(name, data, hidden=16, dropout=0.4)
    ready = model.prepare(csr_array(data.x.numpy()), data.edge_index, None)(None)
    with torch.no_grad():
        ours = torch.stack([model.run(ready) for _ in range(600)])
        theirs = torch.stack([model(data.x, data.edge_index) for _ in range(600)])
    error = (ours.var(0) / 600 + theirs.var(0) / 600).sqrt().clamp(min=1e-6)
    assert ((ours.mean(0) - theirs.mean(0)) / error).abs().mean() < 1.0
    assert ours.std(0).mean() == pytest.approx(theirs.std(0).mean().item(), rel=0.05)


def test_evaluation_has_no_noise_and_training_has() -> None:
    data = block_graph()
    model: GNN = build("gcn", data)
    ready = model.prepare(data.x, data.edge_index, None)(None)
    assert not torch.equal(model.run(ready), model.run(ready))
    model.eval()
    assert torch.equal(model.run(ready), model.run(ready))


def test_dropping_keeps_the_transpose_in_step() -> None:
    matrix = sparse(csr_array(torch.ones(5, 7).numpy()))
    dropped = drop(matrix, 0.5, DropoutMasks())
    assert torch.equal(
        dropped.matrix.to_dense().T, torch.cat([part.to_dense() for part in dropped.turned.parts], dim=1)
    )
    assert 0 < dropped.matrix.to_dense().count_nonzero() < 35
