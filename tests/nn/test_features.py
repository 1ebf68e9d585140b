"""Features as a model takes them."""

import pytest
import torch
from scipy.sparse import csr_array

from highwaygraph.config import Fit
from highwaygraph.graph.graph import Graph
from highwaygraph.models import build
from highwaygraph.nn.batches import full_batch
from highwaygraph.nn.features import prepare_features, resolve_features, scale_features
from highwaygraph.nn.gnn import PreparedBatch
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from tests.helpers.graphs import block_graph


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


@pytest.mark.parametrize(("density", "kind"), [(0.05, csr_array), (0.9, torch.Tensor)])
def test_features_stay_sparse_where_that_pays(density, kind) -> None:
    data = block_graph()
    data.x = data.x * (torch.rand_like(data.x) < density)
    model = build("gcn", data)
    features = prepare_features(model, data, Fit(device="cpu"))
    assert isinstance(features, kind)
    assert isinstance(full_batch(model, features, data), PreparedBatch)


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
