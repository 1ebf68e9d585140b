"""Accounts of which one in twenty is fraudulent; shared devices are weak evidence."""

import numpy as np
from numpy.random import Generator

from highwaygraph.study.tables.draw import (
    Tables,
    make_tables,
    sample_categories,
    sample_classes,
    sample_edges,
    sample_numbers,
)


def fraud(rng: Generator) -> Tables:
    """Return 3,000 accounts, 5 % of them fraudulent.

    Args:
        rng: Random generator.

    Returns:
        The tables; `fraud` or `ok` is the label.

    Example:
        >>> fraud(np.random.default_rng(0)).nodes["label"].value_counts().tolist()
        [2850, 150]
    """
    y = sample_classes(rng, (5, 95), 3000)
    positive = y == 0
    columns = {
        "amount": np.exp(4 + 1.1 * (rng.normal(size=len(y)) + 1.5 * positive)).round(2),
        "age_days": np.exp(6 + 0.9 * (rng.normal(size=len(y)) - 1.3 * positive)).round(),
        "logins": rng.poisson(np.where(positive, 10, 6)),
        "disputes": rng.poisson(np.where(positive, 0.8, 0.1)),
        "hour": 12 + 4 * sample_numbers(rng, y, 0.3),
        "country": sample_categories(rng, y, ("AT", "BR", "DE", "FR", "IN", "NG", "US"), 1.5),
        "channel": sample_categories(rng, y, ("app", "branch", "phone", "web"), 1.5),
    }
    # About one neighbour in seven of a fraudulent account is fraudulent, of any other one in twenty.
    return make_tables(rng, np.where(positive, "fraud", "ok"), columns, sample_edges(rng, y, 5, 0.1))
