from highwaygraph.errors import DataError, HighwayWarning, did_you_mean


def test_a_close_word_is_suggested() -> None:
    assert did_you_mean("Coar", ["cora", "pubmed"]) == " Did you mean 'cora'?"


def test_known_words_are_listed_without_a_close_one() -> None:
    assert did_you_mean("xyz", ["pubmed", "cora"]) == " Known: cora, pubmed."


def test_control_characters_in_messages_are_shown_as_escapes() -> None:
    assert str(DataError("a\x1b[2J\x9b\u202e\ud800 [red]\n\tü")) == "a\\x1b[2J\\x9b\\u202e\\ud800 [red]\n\tü"
    assert str(HighwayWarning("\x07")) == "\\x07"
