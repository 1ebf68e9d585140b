import torch

from highwaygraph.models import build
from tests.helpers.graphs import block_graph


def test_a_node_reads_the_mean_of_its_neighbours_beside_itself() -> None:
    data = block_graph()
    model = build("sage", data, layers=1).eval()
    layer, edges = model.layers[0], torch.tensor([[1, 2], [0, 0]])
    mean = torch.zeros(3, 12)
    mean[0] = (data.x[1] + data.x[2]) / 2
    expected = mean @ layer.lin_l.weight.T + layer.lin_l.bias + data.x[:3] @ layer.lin_r.weight.T
    for logits in (model(data.x[:3], edges), model.run(model.prepare(data.x[:3], edges, None)(None))):
        torch.testing.assert_close(logits, expected, atol=1e-5, rtol=1e-4)


def test_the_operator_is_the_mean_of_incoming_messages() -> None:
    (matrix,) = build("sage", block_graph()).operators(torch.tensor([[1, 2], [0, 0]]), None, 3, None)
    assert matrix.toarray().tolist() == [[0, 0.5, 0.5], [0, 0, 0], [0, 0, 0]]
