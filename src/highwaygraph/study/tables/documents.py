"""Documents: text with words of their topic among other words, and citations."""

import numpy as np
from numpy.random import Generator

from highwaygraph.study.tables.draw import (
    Tables,
    make_tables,
    sample_classes,
    sample_edges,
    sample_numbers,
    sample_texts,
)

TOPICS = ("biology", "chemistry", "economics", "history", "law", "physics")


def documents(rng: Generator) -> Tables:
    """Return 2,000 documents on six topics.

    Args:
        rng: Random generator.

    Returns:
        The tables; the topic is the label.

    Example:
        >>> list(documents(np.random.default_rng(0)).nodes)
        ['id', 'title', 'abstract', 'year', 'label']
    """
    y = sample_classes(rng, (25, 20, 15, 10, 10, 20), 2000)
    columns = {
        "title": sample_texts(rng, y, 6, 0.25),
        "abstract": sample_texts(rng, y, 30, 0.2),
        "year": (2005 + 8 * sample_numbers(rng, y, 0.1)).round(),
    }
    return make_tables(rng, np.asarray(TOPICS)[y], columns, sample_edges(rng, y, 4, 0.6))
