"""Names of hashed words, from the cells that are shown."""

import zlib

from highwaygraph.data.tables.encoders import Category, Text
from highwaygraph.data.tables.feature_words import feature_labels

ENCODERS = {"kind": Category(values=["a", "b"]), "title": Text(listed=False, size=64)}


def column(word: str) -> int:
    return 2 + zlib.crc32(word.encode()) % 64


def test_words_of_the_given_nodes_name_their_columns() -> None:
    cells = {"title": ["Graph learning", "deep nets", ""]}
    wanted = [column("graph"), column("nets"), 1]
    found = feature_labels(ENCODERS, cells, wanted, [0], 66)
    assert found[column("graph")] == "title: graph"
    assert found[column("nets")] == f"title, word {column('nets') - 2}"
    assert found[1] == "kind = b"
    assert feature_labels(ENCODERS, cells, wanted, [0, 1], 66)[column("nets")] == "title: nets"


def test_a_cut_word_names_nothing() -> None:
    cells = {"title": ["graph lear…"]}
    assert (
        feature_labels(ENCODERS, cells, [column("lear")], [0], 66)[column("lear")]
        == f"title, word {column('lear') - 2}"
    )


def test_graphs_without_tables_have_numbered_features() -> None:
    assert feature_labels(None, None, [3], [0], 5) == {3: "feature 3"}
