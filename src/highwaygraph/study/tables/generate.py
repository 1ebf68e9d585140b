"""The generated tables by name."""

from collections.abc import Callable
from zlib import crc32

import numpy as np
from numpy.random import Generator

from highwaygraph.errors import DataError, did_you_mean
from highwaygraph.study.tables.companies import companies
from highwaygraph.study.tables.documents import documents
from highwaygraph.study.tables.draw import Tables
from highwaygraph.study.tables.fraud import fraud
from highwaygraph.study.tables.members import members
from highwaygraph.study.tables.sensors import sensors
from highwaygraph.study.tables.shop import shop

TABLES: dict[str, Callable[[Generator], Tables]] = {
    "companies": companies,
    "fraud": fraud,
    "documents": documents,
    "sensors": sensors,
    "members": members,
    "shop": shop,
}
"""The generators by name."""


def generate(name: str, seed: int = 0) -> Tables:
    """Return generated tables, for `highwaygraph.load`.

    Args:
        name: A key of `TABLES`.
        seed: Seed of the random generator; the same seed gives the same tables.

    Returns:
        The tables of nodes and edges.

    Example:
        >>> import highwaygraph as hg
        >>> graph = hg.load(*generate("members"))
        >>> graph.classes
        ['basic', 'family', 'premium', 'student']
    """
    if name not in TABLES:
        raise DataError(f"There are no tables {name!r}.{did_you_mean(name, TABLES)}")
    return TABLES[name](np.random.default_rng([seed, crc32(name.encode())]))
