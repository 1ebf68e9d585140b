"""Products of twelve unequal groups that are bought with products of other groups."""

import numpy as np
from numpy.random import Generator

from highwaygraph.study.tables.draw import (
    Tables,
    make_tables,
    sample_categories,
    sample_classes,
    sample_edges,
    sample_numbers,
    sample_texts,
)

# Sizes of the groups in proportion to each other.
SHARES = (100, 81, 66, 53, 43, 35, 28, 23, 19, 15, 12, 10)
BRANDS = tuple(f"brand{number}" for number in range(30))


def shop(rng: Generator) -> Tables:
    """Return 2,400 products of twelve groups, the largest ten times the smallest.

    Args:
        rng: Random generator.

    Returns:
        The tables; the group is the label, and few edges lie within a group.

    Example:
        >>> shop(np.random.default_rng(0)).nodes["label"].nunique()
        12
    """
    y = sample_classes(rng, SHARES, 2400)
    columns = {
        "title": sample_texts(rng, y, 10, 0.35),
        "price": np.exp(3 + 0.8 * sample_numbers(rng, y, 0.8)).round(2),
        "mass_g": np.exp(6 + sample_numbers(rng, y, 0.8)).round(),
        "brand": sample_categories(rng, y, BRANDS, 0.4),
        "rating": (4 + 0.5 * sample_numbers(rng, y, 0.2)).clip(1, 5).round(1),
    }
    return make_tables(
        rng, np.array([f"group{one}" for one in y]), columns, sample_edges(rng, y, 6, 0.05, to_others=True)
    )
