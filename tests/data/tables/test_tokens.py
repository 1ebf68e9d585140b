import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.data.tables import tokens
from highwaygraph.data.tables.tokens import TOKEN, count_words, word_chunks

TEXTS = st.lists(st.none() | st.text(st.sampled_from("aB_9 -.,éİß\n٣")) | st.text(), max_size=8)


@given(TEXTS, st.sampled_from([1, 3, 2**14]))
def test_words_are_those_of_each_text_alone(texts, chunk) -> None:
    found: list[list[str]] = [[] for _ in texts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "CHUNK", chunk)
        for some in word_chunks(pa.array(texts, pa.large_string())):
            for row, code in zip(some.rows.tolist(), some.codes.tolist(), strict=True):
                found[row].append(some.words[code])
        assert count_words(pa.array(texts, pa.large_string())) == sum(map(len, found))
    assert found == [TOKEN.findall((text or "").lower()) for text in texts]


def test_a_slice_of_a_column() -> None:
    column = pa.array(["one two", "three", "Four five six"], pa.large_string()).slice(1)
    (found,) = word_chunks(column)
    assert (found.rows.tolist(), found.words) == ([0, 1, 1, 1], ["three", "four", "five", "six"])
