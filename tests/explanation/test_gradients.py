"""Gradients of a margin agree with finite differences on the whole graph."""

import copy

import torch

from highwaygraph.explanation.gradients import Classes, margin_gradients
from highwaygraph.explanation.network import receptive_field
from tests.helpers.explained import explained_run, view_of

CLASSES = Classes(0, 2)


def test_the_margin_is_that_of_the_run() -> None:
    view = view_of("gcn")
    found = margin_gradients(view, receptive_field(view, 5), CLASSES)
    assert abs(found.margin - float(CLASSES.margin(view.logits[5]))) < 1e-4


def test_columns_have_the_derivative_of_the_margin_times_their_values() -> None:
    result, view = explained_run("gcn"), view_of("gcn")
    found = margin_gradients(view, receptive_field(view, 5), CLASSES)
    for column in (0, 3):
        margins = []
        for factor in (1.001, 0.999):
            other = copy.copy(result.data)
            other.x = result.data.x.clone()
            other.x[:, column] *= factor
            margins.append(float(CLASSES.margin(result.predict_logits(other)[5])))
        assert abs((margins[0] - margins[1]) / 0.002 - float(found.columns[column])) < 0.02


def test_nodes_and_columns_have_the_same_sum() -> None:
    view = view_of("gcn")
    found = margin_gradients(view, receptive_field(view, 5), CLASSES)
    torch.testing.assert_close(found.nodes.sum(), found.columns.sum(), rtol=1e-4, atol=1e-4)
    assert [g.shape for g in found.weights] == [w.shape for w in view.model.parameters()]
