"""Keys of classes and commands."""

from highwaygraph.annotation.keys import COMMANDS, KEYS, key_of


def test_no_key_has_two_meanings() -> None:
    assert len(set(KEYS)) == len(KEYS)
    assert not set(KEYS) & set(COMMANDS.values())
    assert len(set(COMMANDS.values())) == len(COMMANDS)


def test_digits_come_first() -> None:
    assert KEYS.startswith("123456789a")
    assert key_of(len(KEYS) - 1) == "z"
    assert key_of(len(KEYS)) is None
