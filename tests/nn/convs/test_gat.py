import pytest
import torch

from highwaygraph.errors import ConfigError
from highwaygraph.models import build
from tests.helpers.graphs import block_graph


def test_every_node_has_one_self_loop() -> None:
    (matrix,) = build("gat", block_graph()).operators(torch.tensor([[0, 1], [0, 0]]), None, 2, None)
    assert matrix.toarray().tolist() == [[1, 1], [0, 1]]


def test_hidden_layers_share_their_width_among_the_heads() -> None:
    model = build("gat", block_graph(), hidden=16, heads=4, layers=3)
    assert [(layer.heads, layer.out_channels) for layer in model.layers] == [(4, 4), (4, 4), (1, 3)]
    with pytest.raises(ConfigError, match="16 is no multiple of 3"):
        build("gat", block_graph(), hidden=16, heads=3)


def test_attention_of_a_layer_sums_to_1() -> None:
    data = block_graph()
    model = build("gat", data, layers=1, bias=False).eval()
    # With equal messages, any weights that sum to 1 return that message.
    same = data.x[:1].expand_as(data.x).contiguous()
    logits = model.run(model.prepare(same, data.edge_index, None)(None))
    torch.testing.assert_close(logits, (same @ model.layers[0].lin.weight.T), atol=1e-5, rtol=1e-4)


def test_hidden_layers_have_an_elu() -> None:
    model, x = build("gat", block_graph(), dropout=0.0), torch.tensor([[-1.0, 2.0]])
    assert torch.equal(model.activate(x), torch.nn.functional.elu(x))
    assert torch.equal(model.activate_dropout_(x.clone(), model.dropout_masks), torch.nn.functional.elu(x))
