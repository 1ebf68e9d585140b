"""Temperature scaling: logits whose probabilities fit held-out labels best."""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

# Temperatures that are tried, a factor of about 1.3 apart: one scalar is hardly overfitted to few labels.
TEMPERATURES = torch.logspace(-1.1, 1.1, 21)


# The same steps over a wider range, for logits of any scale, such as those of a combination.
WIDE_TEMPERATURES = torch.logspace(-2.2, 2.2, 41)


def calibrated_log_likelihood(logits: Float[Tensor, "v c"], labels: Int[Tensor, "v"]) -> Float[Tensor, "v"]:
    """Return the log-probability of every node's label, at the temperature that fits all of them best.

    Classifiers whose confidences have different scales become comparable.

    Args:
        logits: The logits of held-out nodes.
        labels: Their classes.

    Returns:
        A log-probability per node.

    Example:
        >>> certain = torch.tensor([[9.0, 0.0], [9.0, 0.0], [9.0, 0.0]])
        >>> calibrated_log_likelihood(certain, torch.tensor([0, 0, 1])).mean() > -1.1
        tensor(True)
    """
    return (logits / fit_temperature(logits, labels)).log_softmax(dim=1).gather(1, labels[:, None])[:, 0]


def label_log_likelihood(logits: Float[Tensor, "v l"], labels: Int[Tensor, "v l"]) -> Float[Tensor, "v"]:
    """Return the log-probability of every node's labels, of all labels together, at the temperature that fits best.

    Args:
        logits: The logits of held-out nodes.
        labels: 1 for each label of a node, 0 for the others.

    Returns:
        A log-probability per node.

    Example:
        >>> label_log_likelihood(torch.zeros(1, 2), torch.tensor([[1, 0]]))
        tensor([-1.3863])
    """
    signed = torch.where(labels > 0, logits, -logits)
    scaled = [F.logsigmoid(signed / temperature).sum(dim=1) for temperature in TEMPERATURES]
    return max(scaled, key=lambda one: float(one.mean()))


def fit_temperature(logits: Float[Tensor, "v c"], labels: Int[Tensor, "v"], smoothing: float = 0.0) -> float:
    """Return the temperature of TEMPERATURES at which the probabilities fit the labels best.

    Args:
        logits: The logits of held-out nodes.
        labels: Their classes.
        smoothing: Number of nodes of no known class, equally likely of any, that are added to the labels. Without them,
            a few nodes that are all classified correctly have the lowest temperature. With them, the temperature is one
            of WIDE_TEMPERATURES.

    Returns:
        The temperature, by which logits are divided.

    Example:
        >>> certain = torch.tensor([[9.0, 0.0], [9.0, 0.0], [9.0, 0.0]])
        >>> fit_temperature(certain, torch.tensor([0, 0, 1])) > 9
        True
    """
    tried = WIDE_TEMPERATURES if smoothing else TEMPERATURES
    scaled = torch.stack([(logits / temperature).log_softmax(dim=1) for temperature in tried])
    found = scaled.gather(2, labels.expand(len(tried), -1)[:, :, None])[:, :, 0]
    fit = found.sum(dim=1) + smoothing * scaled.mean(dim=(1, 2)) if smoothing else found.mean(dim=1)
    return float(tried[int(fit.argmax())])
