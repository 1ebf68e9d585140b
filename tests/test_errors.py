from highwaygraph.errors import did_you_mean


def test_a_close_word_is_suggested() -> None:
    assert did_you_mean("Coar", ["cora", "pubmed"]) == " Did you mean 'cora'?"


def test_known_words_are_listed_without_a_close_one() -> None:
    assert did_you_mean("xyz", ["pubmed", "cora"]) == " Known: cora, pubmed."
