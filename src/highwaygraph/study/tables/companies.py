"""Companies: numbers, categories, dates and text; partners are mostly of the same sector."""

import numpy as np
from numpy.random import Generator

from highwaygraph.study.tables.draw import (
    Tables,
    dates,
    make_tables,
    sample_categories,
    sample_classes,
    sample_edges,
    sample_flags,
    sample_numbers,
    sample_texts,
    with_gaps,
)

SECTORS = ("energy", "finance", "health", "retail", "software")
COUNTRIES = ("AT", "BR", "CA", "DE", "FR", "IN", "JP", "KE", "NL", "US")


def companies(rng: Generator) -> Tables:
    """Return 1,500 companies of five sectors.

    Args:
        rng: Random generator.

    Returns:
        The tables; the sector is the label.

    Example:
        >>> companies(np.random.default_rng(0)).nodes.shape
        (1500, 10)
    """
    y = sample_classes(rng, (15, 20, 15, 30, 20), 1500)
    employees = np.exp(4 + 1.2 * sample_numbers(rng, y, 0.7))
    columns = {
        "name": [f"company{number}" for number in rng.permutation(len(y))],
        "employees": employees.round(),
        "revenue": with_gaps(rng, employees * np.exp(11 + 0.5 * sample_numbers(rng, y, 0.7)), 0.1),
        "margin": 0.08 + 0.05 * sample_numbers(rng, y, 0.4),
        "founded": with_gaps(rng, dates(9000 + 3000 * sample_numbers(rng, y, 0.3), "1980-01-01"), 0.05),
        "country": sample_categories(rng, y, COUNTRIES, 1.5),
        "listed": sample_flags(rng, y, 0.7),
        "description": with_gaps(rng, sample_texts(rng, y, 15, 0.35), 0.1),
    }
    return make_tables(rng, np.asarray(SECTORS)[y], columns, sample_edges(rng, y, 5, 0.55))
