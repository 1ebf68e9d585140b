"""Errors and warnings; every message names the cause and the remedy in one sentence."""

import re
import warnings
from collections.abc import Iterable
from difflib import get_close_matches

# Control characters but tab and newline, marks that reverse the direction of text, and halves of surrogate pairs.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


# The password in an address of any scheme, up to the last @ of the word, and those among its options. A path has one
# slash where the address has two. The path of a web address may have an @ of its own.
PASSWORD = re.compile(
    r"(?i)(?<![a-z])(https?:/{1,2}[^\s:/@]*(?=:[^\s/@]*@)|(?!https?:)[a-z][a-z0-9+.-]+:/{1,2}[^\s:/@]*):\S*(?=@)"
)
PASSWORD_OPTION = re.compile(r"(?i)([?&])(?:ssl)?password=[^&#\s'\"]*&?")


def without_passwords(text: str) -> str:
    """Return a text in which addresses have no passwords.

    Example:
        >>> without_passwords("postgresql://ada:secret@host/graphs")
        'postgresql://ada@host/graphs'
    """
    return PASSWORD_OPTION.sub(r"\1", PASSWORD.sub(r"\1", text))


def printable(text: str) -> str:
    r"""Return text from data for a terminal: control characters are shown as escapes, not sent.

    Example:
        >>> printable("\x1b[31mred")
        '\\x1b[31mred'
    """
    return UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)


def shortened(text: str, most: int = 80) -> str:
    """Return a text of at most so many characters for a message or a report.

    Example:
        >>> shortened("abcdef", 4)
        'abc…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


class HighwayError(Exception):
    """Base class of all errors of this library; the message is meant for the user.

    Example:
        >>> import highwaygraph as hg
        >>> try:
        ...     hg.Config(seed=-1)
        ... except hg.HighwayError as error:
        ...     print(error)
        seed should be greater than or equal to 0, not -1.
    """

    exit_code = 2
    """Exit status of the command line: 2 for a wrong call, 1 for a failure."""

    def __str__(self) -> str:
        # Messages quote names and paths from files, and sources that the user gave.
        return printable(without_passwords(super().__str__()))


class ConfigError(HighwayError):
    """An option that does not exist, or an invalid value of one."""


class DataError(HighwayError):
    """A graph, a split or a file that is invalid or cannot be read."""


class ModelError(HighwayError):
    """A model that cannot be trained."""


class RunError(HighwayError):
    """A run folder that cannot be written or read."""


class FailedError(HighwayError):
    """A valid call that failed, such as a full disk or a diverging loss."""

    exit_code = 1


class StoppedError(HighwayError):
    """An interrupted training; the message has the command that resumes it."""

    exit_code = 130


class HighwayWarning(UserWarning):
    """A problem that does not stop the work."""

    def __str__(self) -> str:
        return printable(without_passwords(super().__str__()))


class RenamedWarning(HighwayWarning, FutureWarning):
    """A name of an earlier version was used; it is accepted for one version."""


def warn_renamed(old: str, new: str, stacklevel: int = 3) -> None:
    """Warn that a name of an earlier version was used."""
    warnings.warn(f"{old} is now called {new}: use that name.", RenamedWarning, stacklevel=stacklevel)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a suggestion for an error message.

    Args:
        word: The unknown word.
        known: The known words.

    Returns:
        " Did you mean X?" if a known word is close, else the list of known words.
    """
    names = sorted(known)
    close = get_close_matches(word.lower(), names, n=1, cutoff=0.6)
    return f" Did you mean {close[0]!r}?" if close else f" Known: {', '.join(names)}."
