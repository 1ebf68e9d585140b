"""Random columns and edges whose relation to the classes is known."""

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

# Different words of all texts.
WORDS = 600


Classes = NDArray[np.int64]
Floats = NDArray[np.float64]
Texts = NDArray[Any]


class Tables(NamedTuple):
    """A table of nodes with columns `id` and `label`, and one of edges with `source`, `target` and maybe `weight`."""

    nodes: pd.DataFrame
    edges: pd.DataFrame


def make_tables(rng: Generator, labels: Texts, columns: dict[str, Any], edges: dict[str, Any]) -> Tables:
    """Return the tables, with the ends of edges as ids.

    Args:
        rng: Random generator.
        labels: The class name of every node.
        columns: The other columns of the nodes.
        edges: The columns of the edges; `source` and `target` are positions of nodes.

    Returns:
        The tables; the ids are in no order.
    """
    ids = rng.permutation(len(labels)) + 1000
    ends = {end: ids[edges[end]] for end in ("source", "target")}
    return Tables(pd.DataFrame({"id": ids, **columns, "label": labels}), pd.DataFrame(edges | ends))


def sample_classes(rng: Generator, shares: Sequence[int], count: int) -> Classes:
    """Return classes in the given proportions, in random order."""
    ends = np.rint(np.cumsum(shares) / np.sum(shares) * count).astype(int)
    return rng.permutation(np.searchsorted(ends, np.arange(count), side="right"))


def sample_edges(
    rng: Generator, y: Classes, degree: int, within: float, *, to_others: bool = False
) -> dict[str, NDArray[np.int64]]:
    """Return distinct undirected edges; some nodes have many, as in real graphs.

    Args:
        rng: Random generator.
        y: The class of every node.
        degree: Mean number of neighbours, before repeated edges are dropped.
        within: Probability that an edge is drawn within a class; else it leads to any node.
        to_others: Whether it then leads to a node of another class.

    Returns:
        The positions of both ends, `source` and `target`.
    """
    popularity = rng.pareto(2.5, len(y)) + 1
    source = rng.choice(len(y), int(degree * len(y) / 2), p=popularity / popularity.sum())
    stays = rng.random(len(source)) < within
    target = rng.integers(len(y), size=len(source))
    while (wrong := np.where(y[source] == y[target], ~stays & to_others, stays)).any():
        target[wrong] = rng.integers(len(y), size=int(wrong.sum()))
    ends = np.sort(np.stack([source, target]), axis=0)
    ends = np.unique(ends[:, ends[0] != ends[1]], axis=1)
    return {"source": ends[0], "target": ends[1]}


def sample_numbers(rng: Generator, y: Classes, separation: float) -> Floats:
    """Return standard normal numbers around a centre per class; the centres deviate by `separation`."""
    noise, centres = rng.normal(size=len(y)), separation * rng.normal(size=int(y.max()) + 1)
    numbers: Floats = noise + centres[y]
    return numbers


def sample_categories(rng: Generator, y: Classes, values: Sequence[str], evenness: float) -> Texts:
    """Return a value per node; the smaller the evenness, the more the frequencies of values differ by class."""
    frequencies = rng.dirichlet([evenness] * len(values), y.max() + 1)
    # Inverse transform sampling, one row of frequencies per node.
    places = (rng.random(len(y))[:, None] > frequencies.cumsum(axis=1)[y][:, :-1]).sum(axis=1)
    chosen: Texts = np.asarray(values)[places]
    return chosen


def sample_flags(rng: Generator, y: Classes, separation: float) -> Texts:
    """Return `true` or `false` per node, by the sign of such numbers."""
    return np.where(sample_numbers(rng, y, separation) > 0, "true", "false")


def sample_texts(rng: Generator, y: Classes, length: int, topic: float, *, own: int = 40) -> list[str]:
    """Return texts with words of the node's class among words that any text has.

    Args:
        rng: Random generator.
        y: The class of every node.
        length: Words per text.
        topic: Probability that a word is one of the class.
        own: Words per class; other classes have some of them too.

    Returns:
        A text per node.
    """
    words = _vocabulary(WORDS)
    of_class = rng.integers(WORDS, size=(y.max() + 1, own))
    # The frequencies of words fall with their rank, as in natural languages.
    frequency = 1 / np.arange(1, WORDS + 1)
    drawn = rng.choice(WORDS, (len(y), length), p=frequency / frequency.sum())
    chosen = of_class[y[:, None], rng.integers(own, size=drawn.shape)]
    places = np.where(rng.random(drawn.shape) < topic, chosen, drawn)
    return [" ".join(row) for row in words[places].tolist()]


def with_gaps(rng: Generator, column: Sequence[Any] | NDArray[Any], share: float) -> pd.Series:
    """Return the column with that share of its cells missing."""
    return pd.Series(column).mask(rng.random(len(column)) < share)


def dates(days: Floats, start: str) -> Texts:
    """Return numbers of days after the start as text, such as 2004-05-31."""
    return (np.datetime64(start) + days.astype("timedelta64[D]")).astype(str)


def _vocabulary(size: int) -> Texts:
    """Return different words without a meaning."""
    syllables = ["".join(pair) for pair in product("bdfgklmnprstv", "aeiou")]
    return np.array(["".join(pair) for pair in product(syllables, repeat=2)][:size])
