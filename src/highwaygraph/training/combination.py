"""A product of experts: the weighted sum of several classifiers' logits, with weights fitted on validation."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import ndtr
from torch import Tensor

from highwaygraph.nn.calibration import fit_temperature
from highwaygraph.runtime.blas import one_blas_thread

# Variance of the prior of the weights. With few validation nodes the combination stays close to the prior's mean.
PRIOR_VARIANCE = 0.1


# The same by folds, where the prior's mean is shared between two classifiers (docs/experiments.md).
SHARED_VARIANCE = 0.3


# Advantage in log-likelihood per node that the round is expected to have over a simple baseline, and its deviation.
EXPECTED_ADVANTAGE, ADVANTAGE_DEVIATION = 0.2, 0.3


# Least standard error of an advantage: few nodes may agree by chance.
LEAST_ERROR = 1e-3


class Expert(NamedTuple):
    """The part of one classifier in the combination."""

    weight: float
    """Exponent of its probabilities after temperature scaling; at least 0."""
    temperature: float

    @property
    def factor(self) -> float:
        """The factor of its logits in the combination's logits."""
        return self.weight / self.temperature


def fit_experts(
    logits: Mapping[str, Float[Tensor, "v c"]],
    labels: Int[Tensor, "v"],
    prior: Mapping[str, float],
    variance: float = PRIOR_VARIANCE,
) -> dict[str, Expert]:
    """Return the weight and the temperature of every classifier in the combination.

    p(c) is proportional to prod_k p_k(c)^w_k, where p_k is classifier k after temperature scaling. The weights w >= 0
    are the maximum a posteriori for a normal prior with the given means and variance.

    Args:
        logits: The logits of the validation nodes by name of the classifier.
        labels: Their classes.
        prior: The means of the weights by name; 0 unless given.
        variance: The variance of every weight.

    Returns:
        The experts by name.

    Example:
        >>> right, wrong = torch.tensor([[3.0, 0.0], [0.0, 3.0]]), torch.tensor([[0.0, 1.0], [1.0, 0.0]])
        >>> found = fit_experts({"a": right, "b": wrong}, torch.tensor([0, 1]), {"a": 1.0})
        >>> found["a"].weight > 1, found["b"].weight
        (True, 0.0)
    """
    temperature = {name: fit_temperature(one.double(), labels) for name, one in logits.items()}
    # A constant added to a row's logits changes nothing; log-probabilities keep the numbers small.
    log_p = torch.stack([(one.double() / temperature[name]).log_softmax(dim=1) for name, one in logits.items()])
    start = torch.tensor([prior.get(name, 0.0) for name in logits], dtype=torch.double)
    weights = _maximise(log_p, labels, start, variance)
    return {name: Expert(float(weight), temperature[name]) for name, weight in zip(logits, weights, strict=True)}


def shared_prior(scores: Mapping[str, Float[Tensor, "v"]], reference: str) -> dict[str, float]:
    """Return the mean weights of the reference and of the best other classifier: the probability that each is better.

    The advantage of the reference has a normal prior, EXPECTED_ADVANTAGE with ADVANTAGE_DEVIATION, and the nodes
    observe it with their standard error. Many nodes decide by themselves; few keep to what is expected.

    Args:
        scores: The log-likelihood of every held-out node by name of the classifier.
        reference: The name of the reference.

    Returns:
        Two weights that sum to 1, or 1 for the reference alone.

    Example:
        >>> torch.manual_seed(0) and None
        >>> worse = shared_prior({"a": -torch.rand(50), "b": -0.2 * torch.rand(50)}, "a")
        >>> worse["b"] > 0.9, shared_prior({"a": torch.zeros(3)}, "a")
        (True, {'a': 1.0})
    """
    others = {name: float(one.mean()) for name, one in scores.items() if name != reference}
    if not others:
        return {reference: 1.0}
    rival = max(others, key=others.__getitem__)
    gap = scores[reference] - scores[rival]
    error = max(float(gap.std(correction=min(1, len(gap) - 1))) / len(gap) ** 0.5, LEAST_ERROR)
    observed, expected = error**-2, ADVANTAGE_DEVIATION**-2
    mean = (observed * float(gap.mean()) + expected * EXPECTED_ADVANTAGE) / (observed + expected)
    better = float(ndtr(mean * (observed + expected) ** 0.5))
    return {reference: better, rival: 1 - better}


def _maximise(
    experts: Float[Tensor, "k v c"], labels: Int[Tensor, "v"], start: Float[Tensor, "k"], variance: float
) -> Tensor:
    """Return the weights with the highest posterior probability; the problem is convex."""
    own = experts.gather(2, labels.expand(len(experts), -1)[:, :, None])[:, :, 0]

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = torch.from_numpy(flat)
        log_p = torch.einsum("k,kvc->vc", weights, experts).log_softmax(dim=1)
        step = weights - start
        value = step.square().sum() / (2 * variance) - log_p.gather(1, labels[:, None]).sum()
        gradient = step / variance + torch.einsum("vc,kvc->k", log_p.exp(), experts) - own.sum(dim=1)
        return float(value), gradient.numpy()

    bounds = [(0.0, None)] * len(start)
    with one_blas_thread():
        return torch.from_numpy(minimize(loss, start.numpy(), jac=True, method="L-BFGS-B", bounds=bounds).x)
