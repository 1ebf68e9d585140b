"""Intervals of proportions."""

import math

# Quantile of the normal distribution for 95 %.
QUANTILE = 1.96


def wilson_interval(share: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a proportion after Wilson (1927), which has a width for 0 and 100 % too.

    Args:
        share: The proportion, from 0 to 1.
        count: The number of observations that it is a proportion of.

    Returns:
        Both ends as fractions, NaN without observations.

    Example:
        >>> [round(end, 2) for end in wilson_interval(1.0, 10)]
        [0.72, 1.0]
    """
    if not count:
        return math.nan, math.nan
    square = QUANTILE**2
    centre = (share + square / (2 * count)) / (1 + square / count)
    width = QUANTILE * math.sqrt(share * (1 - share) / count + square / (4 * count**2)) / (1 + square / count)
    return max(centre - width, 0.0), min(centre + width, 1.0)
