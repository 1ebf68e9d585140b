"""Keys of the page: one per class, digits first, and one per command."""

COMMANDS = {"not sure": "0", "skip": "s", "undo": "u", "another class": "n", "retrain": "r"}
"""The key of every command."""


KEYS = "".join(key for key in "123456789abcdefghijklmnopqrstuvwxyz" if key not in COMMANDS.values())
"""The keys of the classes in order."""


def key_of(number: int) -> str | None:
    """Return the key of a class; None for classes beyond the keys, which are typed.

    Args:
        number: Number of the class, from 0.

    Returns:
        A digit or a letter.

    Example:
        >>> key_of(0), key_of(9), key_of(100)
        ('1', 'a', None)
    """
    return KEYS[number] if number < len(KEYS) else None
