"""Logistic regression compared with scikit-learn."""

import pytest
import torch
from sklearn.linear_model import LogisticRegression

from highwaygraph.nn.baselines.logistic import PENALTIES, logistic_path


def _task(rows: int, columns: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(rows) % 3
    x = torch.randn(rows, columns, generator=generator, dtype=torch.double)
    x[torch.arange(rows), labels] += 1.0
    return x, labels


@pytest.mark.parametrize("columns", [5, 200])
def test_each_solution_is_that_of_scikit_learn(columns) -> None:
    rows, labels = _task(60, columns)
    unit = rows / rows.square().sum(dim=1).mean().sqrt()
    for penalty, linear in zip(PENALTIES[:3], logistic_path(rows, labels, 3), strict=False):
        oracle = LogisticRegression(C=1 / (penalty * len(rows)), tol=1e-8, max_iter=5000).fit(unit, labels)
        expected = torch.from_numpy(oracle.predict_proba(unit))
        assert torch.allclose((rows @ linear.weight + linear.bias).softmax(dim=1), expected, atol=2e-2)


def test_the_unit_of_the_rows_changes_nothing() -> None:
    rows, labels = _task(60, 20)
    for one, other in zip(logistic_path(rows, labels, 3), logistic_path(1000 * rows, labels, 3), strict=True):
        found, again = rows @ one.weight + one.bias, 1000 * rows @ other.weight + other.bias
        # The last ones are hardly penalised, so that the iteration ends before it has converged.
        assert torch.allclose(found.softmax(dim=1), again.softmax(dim=1), atol=1e-2)


def test_a_class_without_labels_and_zero_rows_are_allowed() -> None:
    for linear in logistic_path(torch.zeros(4, 3, dtype=torch.double), torch.tensor([0, 0, 1, 1]), 3):
        assert linear.weight.shape == (3, 3)
        assert linear.bias.isfinite().all()
