"""Views of a graph."""

import pytest
import torch

from highwaygraph.config import Fit
from highwaygraph.errors import DataError
from highwaygraph.graph.splits import validate_split
from highwaygraph.graph.validate import validate
from highwaygraph.nn.baselines.smoothing import smoothing_matrix
from highwaygraph.nn.scaling import with_scaling
from highwaygraph.nn.votes.rows import Rows
from highwaygraph.nn.votes.views import propagate, view_rows
from tests.helpers.graphs import block_graph

FIT = Fit(features="raw")


def graph():
    return validate_split(validate(block_graph()))


def dense(rows: Rows) -> torch.Tensor:
    return rows.times(torch.eye(rows.width)) * rows.length


def test_features_are_scaled_as_for_the_model() -> None:
    fit = Fit(features="auto")
    data = with_scaling(graph(), fit)
    torch.testing.assert_close(dense(view_rows("features", data, fit)), data.scaling.apply(data.x.double()).float())
    torch.testing.assert_close(dense(view_rows("features", data, FIT)), data.x)


def test_structure_is_degree_and_eigenvectors() -> None:
    assert view_rows("structure", graph(), FIT).width == 33


def test_text_without_text_is_refused() -> None:
    with pytest.raises(DataError, match="needs a column of text"):
        view_rows("text", graph(), FIT)


def test_propagated_features_are_those_of_two_hops() -> None:
    data = graph()
    matrix = torch.from_numpy(smoothing_matrix(data).toarray())
    expected = (matrix @ matrix @ data.x.double()).float()
    torch.testing.assert_close(dense(propagate(data, FIT)), expected, atol=1e-5, rtol=1e-5)
