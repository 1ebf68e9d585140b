"""Features as a model takes them."""

import pytest
import torch
from scipy.sparse import csr_array

from highwaygraph.config import Fit
from highwaygraph.models import build
from highwaygraph.nn.batches import full_batch
from highwaygraph.nn.features import prepare_features, scale_features
from highwaygraph.nn.gnn import PreparedBatch
from tests.helpers.graphs import block_graph


def test_rows_are_scaled_to_sum_one_and_empty_rows_stay() -> None:
    x = torch.tensor([[1.0, 3.0], [0.0, 0.0]])
    assert scale_features(x, Fit(features="row")).tolist() == [[0.25, 0.75], [0.0, 0.0]]
    assert scale_features(x, Fit()) is x
    assert scale_features(x, Fit(factor=2.0)).tolist() == [[2.0, 6.0], [0.0, 0.0]]


@pytest.mark.parametrize(("density", "kind"), [(0.05, csr_array), (0.9, torch.Tensor)])
def test_features_stay_sparse_where_that_pays(density, kind) -> None:
    data = block_graph()
    data.x = data.x * (torch.rand_like(data.x) < density)
    model = build("gcn", data)
    features = prepare_features(model, data, Fit(device="cpu"))
    assert isinstance(features, kind)
    assert isinstance(full_batch(model, features, data), PreparedBatch)
