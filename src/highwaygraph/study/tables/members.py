"""Members: many categories and flags with missing cells, for few labels."""

from typing import Any

import numpy as np
from numpy.random import Generator

from highwaygraph.study.tables.draw import (
    Tables,
    make_tables,
    sample_categories,
    sample_classes,
    sample_edges,
    sample_flags,
    sample_numbers,
    with_gaps,
)

PLANS = ("basic", "family", "premium", "student")
# Number of values of every column of categories.
CATEGORIES = {"region": 12, "branch": 25, "referral": 5, "payment": 4, "occupation": 18, "interest": 9, "language": 6}
FLAGS = ("newsletter", "app", "locker", "coach", "weekend")


def members(rng: Generator) -> Tables:
    """Return 1,200 members with four plans; a fifth of all cells is missing.

    Args:
        rng: Random generator.

    Returns:
        The tables; the plan is the label.

    Example:
        >>> bool(members(np.random.default_rng(0)).nodes["region"].isna().any())
        True
    """
    y = sample_classes(rng, (40, 25, 20, 15), 1200)
    columns: dict[str, Any] = {
        name: sample_categories(rng, y, [f"{name}{value}" for value in range(count)], 1.5)
        for name, count in CATEGORIES.items()
    }
    columns |= {name: sample_flags(rng, y, 0.5) for name in FLAGS}
    columns["age"] = (40 + 12 * sample_numbers(rng, y, 0.5)).round()
    columns = {name: with_gaps(rng, column, 0.2) for name, column in columns.items()}
    return make_tables(rng, np.asarray(PLANS)[y], columns, sample_edges(rng, y, 6, 0.5))
