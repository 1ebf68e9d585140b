"""Scaling of features: independent of unit, density and further columns."""

import pandas as pd
import pytest
import torch

import highwaygraph as hg
from highwaygraph.config import Fit
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.features import scale_features
from highwaygraph.nn.scaling import HETERO_LENGTH, LENGTH, learn_scaling, with_scaling
from tests.helpers.library import library


def _lengths(x, **more) -> torch.Tensor:
    return learn_scaling(Graph(x=x, **more)).apply(x).norm(dim=1)


def _random(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.double)


@pytest.mark.parametrize("words", [3, 30])
def test_rows_of_counts_have_one_length_whatever_their_density(words) -> None:
    x = (torch.rand(50, 100, generator=torch.Generator().manual_seed(0)) < words / 100).float()
    x[7] = 0
    lengths = _lengths(x)
    assert lengths[7] == 0
    kept = lengths[x.any(dim=1)]
    assert torch.allclose(kept, torch.full_like(kept, LENGTH))


@pytest.mark.parametrize("factor", [100.0, 1e-3, 1e30])
def test_the_unit_of_all_features_changes_nothing(factor) -> None:
    dense, counts = _random(300, 5), (_random(300, 20) > 1).double()
    for x in (dense, counts):
        changed = learn_scaling(Graph(x=factor * x)).apply(factor * x)
        assert torch.allclose(changed, learn_scaling(Graph(x=x)).apply(x), rtol=1e-4, atol=1e-6)


def test_the_unit_of_one_dense_column_changes_nothing() -> None:
    x = _random(300, 5)
    changed = x * torch.tensor([1.0, 1000.0, 1.0, 1e-4, 1.0]) + torch.tensor([0.0, 0.0, 2000.0, 0.0, 0.0])
    assert torch.allclose(
        learn_scaling(Graph(x=changed)).apply(changed), learn_scaling(Graph(x=x)).apply(x), rtol=1e-3, atol=1e-4
    )


def test_one_wild_value_does_not_shrink_other_columns() -> None:
    x = _random(300, 5)
    x[7, 3] = 1e200
    scaled = learn_scaling(Graph(x=x)).apply(x)
    assert scaled.isfinite().all()
    assert float(scaled[:, :3].std()) == pytest.approx(LENGTH / 5**0.5, rel=0.05)


def test_constant_and_empty_features() -> None:
    assert learn_scaling(Graph(x=torch.full((4, 2), 1e-40))).apply(torch.full((4, 2), 1e-40)).abs().sum() == 0
    assert learn_scaling(Graph(x=torch.zeros(4, 0))).apply(torch.zeros(4, 0)).shape == (4, 0)


def _table(**columns: object) -> Graph:
    nodes = pd.DataFrame({"id": range(40), "label": ["a", "b"] * 20, **columns})
    edges = pd.DataFrame({"source": range(39), "target": range(1, 40)})
    return hg.load(nodes, edges)


def test_numbers_categories_and_text_of_a_table_contribute_alike() -> None:
    text = [" ".join(f"word{(i * k) % 41}" for k in range(1, 12)) for i in range(40)]
    numbers = {f"n{k}": [((i + 3) * (k + 7)) % 23 + 0.5 for i in range(40)] for k in range(6)}
    data = _table(**numbers, kind=[f"kind {i % 3}" for i in range(40)], text=text)
    scaled = learn_scaling(data).apply(data.x).square()
    widths = [encoder.width for encoder in data.encoders.values() if encoder.width]
    parts = scaled.split(widths, dim=1)
    expected = LENGTH**2 / 3
    assert float(sum(part.sum(dim=1).mean() for part in parts[:6])) == pytest.approx(expected, rel=0.01)
    assert float(parts[6].sum(dim=1).mean()) == pytest.approx(expected, rel=0.01)
    assert float(parts[7].sum(dim=1).mean()) == pytest.approx(expected, rel=0.01)


def test_only_auto_learns_a_scaling_and_the_factor_applies_after_it() -> None:
    data = Graph(x=_random(300, 5).float())
    assert with_scaling(data, Fit()).scaling is None
    scaling = with_scaling(data, Fit(features="auto")).scaling
    assert data.scaling is None
    once = scale_features(data.x, Fit(features="auto"), scaling)
    assert torch.allclose(scale_features(data.x, Fit(features="auto", factor=2.0), scaling), 2 * once)


def test_rows_of_every_node_type_are_longer_than_those_of_one_type() -> None:
    found = with_scaling(hg.load(library(60)), Fit(features="auto"))
    assert found.scaling is not None
    assert found.hetero is not None
    tables = {"paper": (found.x, found.scaling), **{k: (x, found.hetero.scaling[k]) for k, x in found.hetero.x.items()}}
    for x, scaling in tables.values():
        assert float(scaling.apply(x).square().sum(dim=1).mean().sqrt()) == pytest.approx(HETERO_LENGTH, rel=0.01)
