import pytest
import torch
from scipy.sparse import csr_array

from highwaygraph.errors import ConfigError
from highwaygraph.models import build
from highwaygraph.nn.factory import NETWORKS
from highwaygraph.nn.gnn import select_rows
from highwaygraph.nn.spmm import sparse
from tests.helpers.graphs import block_graph

networks = pytest.mark.parametrize("name", NETWORKS)


@networks
@pytest.mark.parametrize("layers", [1, 2, 4])
def test_logits_have_one_row_per_node_and_gradients_everywhere(name, layers) -> None:
    data = block_graph()
    model = build(name, data, hidden=16, layers=layers)
    model(data.x, data.edge_index).sum().backward()
    assert model(data.x, data.edge_index).shape == (180, 3)
    assert all(p.grad is not None for p in model.parameters())


@networks
def test_only_training_drops_out(name) -> None:
    data = block_graph()
    model = build(name, data, dropout=0.5)
    prepared = model.prepare(data.x, data.edge_index, None)(None)
    assert not torch.equal(model(data.x, data.edge_index), model(data.x, data.edge_index))
    assert not torch.equal(model.run(prepared), model.run(prepared))
    model.eval()
    assert torch.equal(model(data.x, data.edge_index), model(data.x, data.edge_index))
    assert torch.equal(model.run(prepared), model.run(prepared))


@networks
def test_without_a_bias_features_of_zero_give_logits_of_zero(name) -> None:
    data = block_graph()
    model = build(name, data, bias=False).eval()
    zeros = torch.zeros_like(data.x)
    assert not model(zeros, data.edge_index).any()
    assert not model.run(model.prepare(zeros, data.edge_index, None)(None)).any()


@networks
def test_hidden_dropout_is_a_rate_of_its_own(name) -> None:
    data = block_graph()
    model = build(name, data, dropout=0.0, hidden_dropout=0.5)
    prepared = model.prepare(data.x, data.edge_index, None)(None)
    assert not torch.equal(model.run(prepared), model.run(prepared))
    assert not torch.equal(model(data.x, data.edge_index), model(data.x, data.edge_index))
    still = build(name, data, dropout=0.0)
    assert torch.equal(still.run(prepared), still.run(prepared))
    with pytest.raises(ConfigError, match="hidden_dropout must lie between 0 and 1"):
        build(name, data, hidden_dropout=1.0)


@networks
def test_reset_parameters_follows_the_seed(name) -> None:
    data = block_graph()
    model = build(name, data)
    prepared = model.prepare(data.x, data.edge_index, None)(None)
    logits = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        model.reset_parameters()
        logits.append(model.run(prepared))
    assert torch.equal(logits[0], logits[1])
    assert not torch.equal(logits[0], logits[2])


def test_selected_rows_are_dense_or_prepared() -> None:
    x = torch.arange(6.0).view(3, 2)
    assert select_rows(x, None) is x
    assert select_rows(csr_array(x.numpy()), torch.tensor([2]).numpy()).matrix.to_dense().tolist() == [[4, 5]]
    prepared = sparse(csr_array(x.numpy()))
    assert select_rows(prepared, None) is prepared
