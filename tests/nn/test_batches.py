import pytest
import torch
from scipy.sparse import csr_array
from torch import nn

from highwaygraph.config import Fit
from highwaygraph.errors import ConfigError, ModelError
from highwaygraph.graph.graph import Graph
from highwaygraph.models import build
from highwaygraph.nn.batches import ModuleBatch, compute_logits, full_batch
from highwaygraph.nn.features import prepare_features, resolve_features, scale_features
from highwaygraph.nn.gnn import PreparedBatch
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runtime.environment import find_device
from tests.helpers.graphs import block_graph


class Weighted(nn.Module):
    def forward(self, x, edge_index, edge_weight=None):
        return x if edge_weight is None else x * edge_weight.sum()


def test_rows_are_scaled_to_sum_one_and_empty_rows_stay() -> None:
    x = torch.tensor([[1.0, 3.0], [0.0, 0.0]])
    assert scale_features(x, Fit(features="row")).tolist() == [[0.25, 0.75], [0.0, 0.0]]
    assert scale_features(x, Fit()) is x
    assert scale_features(x, Fit(factor=2.0)).tolist() == [[2.0, 6.0], [0.0, 0.0]]


def test_features_of_odd_size_are_brought_to_about_one() -> None:
    x = torch.randn(300, 5, generator=torch.Generator().manual_seed(0))
    auto = override(PRESETS["typical"], {"fit.features": "auto"})
    assert resolve_features(auto, Graph(x=x)).fit.factor == 1.0
    for size in (400.0, 0.001):
        fit = resolve_features(auto, Graph(x=size * x)).fit
        assert float(scale_features(size * x, fit).square().mean()) == pytest.approx(1.0, rel=0.01)
    assert resolve_features(auto, Graph(x=torch.zeros(4, 0))).fit.factor == 1.0


@pytest.mark.parametrize("wild", [99_999.0, 1e200])
def test_one_wild_value_or_column_does_not_shrink_the_others(wild) -> None:
    auto = override(PRESETS["typical"], {"fit.features": "auto"})
    x = torch.randn(300, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    x[7, 3] = wild
    assert resolve_features(auto, Graph(x=x)).fit.factor == 1.0
    years = torch.cat([x[:, :3], torch.full((300, 1), 2000.0)], dim=1)
    assert resolve_features(auto, Graph(x=years)).fit.factor == 1.0
    assert resolve_features(auto, Graph(x=torch.full((3, 2), 1e-40, dtype=torch.float64))).fit.factor == 1.0


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

    inputs = ModuleBatch(torch.ones(3, 2), torch.zeros(2, 0, dtype=torch.long), None, None)
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


@pytest.mark.parametrize(("density", "kind"), [(0.05, csr_array), (0.9, torch.Tensor)])
def test_features_stay_sparse_where_that_pays(density, kind) -> None:
    data = block_graph()
    data.x = data.x * (torch.rand_like(data.x) < density)
    model = build("gcn", data)
    features = prepare_features(model, data, Fit(device="cpu"))
    assert isinstance(features, kind)
    assert isinstance(full_batch(model, features, data), PreparedBatch)


def test_a_users_own_module_gets_the_dense_features_as_they_are() -> None:
    data = block_graph()
    data.x = torch.zeros_like(data.x)
    features = prepare_features(nn.Identity(), data, Fit(device="cpu"))
    assert features.data_ptr() == data.x.data_ptr()
    assert isinstance(full_batch(nn.Identity(), features, data), ModuleBatch)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (torch.eye(8), "row"),
        (3 * torch.eye(8), "row"),
        (torch.ones(8, 3), "raw"),
        (-torch.eye(8), "raw"),
        (torch.randn(8, 3, generator=torch.Generator().manual_seed(0)), "raw"),
    ],
)
def test_auto_scales_counts_only(x, expected) -> None:
    auto = override(PRESETS["typical"], {"fit.features": "auto"})
    assert resolve_features(auto, Graph(x=x)).fit.features == expected
    assert resolve_features(PRESETS["typical"], Graph(x=x)) is PRESETS["typical"]
