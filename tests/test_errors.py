from highwaygraph.errors import DataError, HighwayWarning, did_you_mean, without_passwords


def test_a_close_word_is_suggested() -> None:
    assert did_you_mean("Coar", ["cora", "pubmed"]) == " Did you mean 'cora'?"


def test_known_words_are_listed_without_a_close_one() -> None:
    assert did_you_mean("xyz", ["pubmed", "cora"]) == " Known: cora, pubmed."


def test_control_characters_in_messages_are_shown_as_escapes() -> None:
    assert str(DataError("a\x1b[2J\x9b\u202e\ud800 [red]\n\tü")) == "a\\x1b[2J\\x9b\\u202e\\ud800 [red]\n\tü"
    assert str(HighwayWarning("\x07")) == "\\x07"


def test_passwords_are_removed_from_messages() -> None:
    address = "postgresql://ada:s3cret%40@db.example.org:5432/library?sslmode=require&password=s3cret"
    shown = "Cannot read 'postgresql://ada@db.example.org:5432/library?sslmode=require&'."
    assert str(DataError(f"Cannot read '{address}'.")) == str(HighwayWarning(f"Cannot read '{address}'.")) == shown
    # Characters that should have been escaped.
    for password in ("a@b", "a#b", "a/b", "a:b"):
        assert without_passwords(f"x postgres://ada:{password}@host/d y") == "x postgres://ada@host/d y"
    for start in ("mysql://", "mysql:/", "postgresql+psycopg2://", "https://", "mongodb+srv://"):
        assert without_passwords(f"({start}ada:s3cret@host/d)") == f"({start}ada@host/d)"
    for other in ("http://localhost:8080/a@b", "a:b@c", "postgresql://ada@host/d", "sqlite:a:b@c.db"):
        assert without_passwords(other) == other
