import pytest
import torch
from torch import nn

from highwaygraph.config import Fit
from highwaygraph.errors import ConfigError, ModelError
from highwaygraph.graph.graph import Graph
from highwaygraph.models import build
from highwaygraph.nn.batches import ModuleBatch, compute_logits, full_batch, own_inputs
from highwaygraph.nn.features import prepare_features
from highwaygraph.runtime.environment import find_device
from tests.helpers.graphs import block_graph


class Weighted(nn.Module):
    def forward(self, x, edge_index, edge_weight=None):
        return x if edge_weight is None else x * edge_weight.sum()


def test_edge_weights_are_passed_by_name() -> None:
    data = Graph(x=torch.ones(2, 2), edge_index=torch.tensor([[0], [1]]), edge_weight=torch.tensor([3.0]))
    inputs = full_batch(Weighted(), prepare_features(Weighted(), data, Fit(device="cpu")), data)
    assert compute_logits(Weighted().eval(), inputs).tolist() == [[3.0, 3.0]] * 2


def test_edge_weights_are_never_dropped_silently() -> None:
    data = block_graph()
    data.edge_weight = torch.ones(data.edge_index.size(1))
    with pytest.raises(ModelError, match=r"Identity\.forward has no argument edge_weight"):
        full_batch(nn.Identity(), data.x, data)


@pytest.mark.parametrize("answer", [torch.zeros(3), torch.zeros(2, 3), [1]])
def test_an_answer_that_is_no_table_of_logits_is_refused(answer) -> None:
    class Odd(nn.Module):
        def forward(self, x, edge_index):
            return answer

    inputs = ModuleBatch(torch.ones(3, 2), torch.zeros(2, 0, dtype=torch.long), {}, None)
    with pytest.raises(ModelError, match="one row of logits per node"):
        compute_logits(Odd(), inputs)


def test_devices() -> None:
    assert find_device("cpu").type == "cpu"
    assert find_device("auto").type in ("cpu", "cuda")
    with pytest.raises(ConfigError, match="Device 'nonsense' is not available"):
        find_device("nonsense")
    if not torch.cuda.is_available():
        with pytest.raises(ConfigError, match="Device 'cuda' is not available"):
            find_device("cuda")


def test_a_users_own_module_gets_the_dense_features_as_they_are() -> None:
    data = block_graph()
    data.x = torch.zeros_like(data.x)
    features = prepare_features(nn.Identity(), data, Fit(device="cpu"))
    assert features.data_ptr() == data.x.data_ptr()
    assert isinstance(full_batch(nn.Identity(), features, data), ModuleBatch)


def test_a_module_gets_tensors_of_its_own() -> None:
    data = block_graph()
    features, graph = own_inputs(Weighted(), data.x, data)
    assert torch.equal(features, data.x)
    assert features.data_ptr() != data.x.data_ptr()
    assert graph.edge_index.data_ptr() != data.edge_index.data_ptr()
    # Scaled features are a copy already, and built-in networks change nothing.
    scaled = data.x * 2
    assert own_inputs(Weighted(), scaled, data)[0] is scaled
    same = own_inputs(build("gcn", data), data.x, data)
    assert same[0] is data.x
    assert same[1] is data


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float64])
def test_logits_of_any_precision_are_converted_to_single_precision(kind) -> None:
    class Precise(nn.Module):
        def forward(self, x, edge_index):
            return x.to(kind)

    inputs = ModuleBatch(torch.ones(3, 2), torch.zeros(2, 0, dtype=torch.long), {}, None)
    assert compute_logits(Precise().eval(), inputs).dtype == torch.float32
    double = inputs._replace(x=inputs.x.double())
    assert compute_logits(Precise().eval(), double, torch.ones(3)).dtype == torch.float32
