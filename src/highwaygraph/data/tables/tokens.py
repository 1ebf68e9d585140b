"""Words of texts: runs of letters, digits and underscores, in lower case.

Texts in ASCII are split with NumPy on their bytes, a chunk of texts at once; the others one by one, because lower case
and letters of other alphabets are Python's.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from highwaygraph.data.tables.columns import encode_words

TOKEN = re.compile(r"\w+")


# Texts that are split at once.
CHUNK = 2**14


# The lower case of every byte that belongs to a word, 0 for the others.
LETTERS = np.zeros(256, dtype=np.uint8)
for _letter in b"0123456789_abcdefghijklmnopqrstuvwxyz":
    LETTERS[[_letter, ord(chr(_letter).upper())]] = _letter


Numbers = NDArray[np.int64]


class Words(NamedTuple):
    """The words of some texts: the row of each and its place among the different words."""

    rows: Numbers
    codes: Numbers
    words: list[str]


def split_words(text: str) -> list[str]:
    """Return the words of a text.

    Example:
        >>> split_words("Graph-based learning")
        ['graph', 'based', 'learning']
    """
    return TOKEN.findall(text.lower())


def word_chunks(texts: pa.Array) -> Iterator[Words]:
    """Yield the words of a column of text, missing cells without any."""
    for first in range(0, len(texts), CHUNK):
        some = pc.fill_null(texts.slice(first, CHUNK), "")
        ascii_only = pc.string_is_ascii(some).to_numpy(zero_copy_only=False)
        rows = first + np.flatnonzero(ascii_only)
        found = _split_ascii(some if len(rows) == len(some) else some.filter(pa.array(ascii_only)))
        yield found._replace(rows=rows[found.rows])
        if len(rows) < len(some):
            yield _split_others(some, first, np.flatnonzero(~ascii_only))


def count_words(texts: pa.Array) -> int:
    """Return the number of words in a column of text."""
    return sum(len(found.rows) for found in word_chunks(texts))


def _split_ascii(texts: pa.Array) -> Words:
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    size = int(ends[-1] - ends[0])
    letters = LETTERS[np.frombuffer(data, dtype=np.uint8, count=size, offset=int(ends[0]))] if size else LETTERS[:0]
    within = letters > 0
    is_start = within.copy()
    is_start[1:] &= ~within[:-1]
    # A word ends with its text, also where the next text begins with a letter.
    borders = ends - ends[0]
    inner = borders[borders < size]
    is_start[inner] = within[inner]
    counts = np.diff(np.searchsorted(np.flatnonzero(is_start), borders))
    letters, starts = letters[within], np.flatnonzero(is_start[within])
    # The words as Arrow holds text: all letters in one buffer, and the offset of every word in it.
    offsets = pa.py_buffer(np.append(starts, len(letters)).astype(np.int64))
    words = pa.LargeStringArray.from_buffers(len(starts), offsets, pa.py_buffer(letters))
    codes, distinct = encode_words(words)
    return Words(np.repeat(np.arange(len(texts)), counts), codes, distinct.to_pylist())


def _split_others(texts: pa.Array, first: int, rows: Numbers) -> Words:
    words = [split_words(text) for text in texts.take(pa.array(rows)).to_pylist()]
    place: dict[str, int] = {}
    codes = [place.setdefault(word, len(place)) for some in words for word in some]
    counts = [len(some) for some in words]
    return Words(first + np.repeat(rows, counts), np.array(codes, dtype=np.int64), list(place))
