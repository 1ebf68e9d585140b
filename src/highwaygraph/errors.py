"""What can go wrong, said in one sentence that tells the user what to do."""

import warnings
from collections.abc import Iterable
from difflib import get_close_matches


class HighwayError(Exception):
    """Anything this library refuses to do; its text is meant for the person who called."""

    exit_code = 2
    """What the command line ends with: 2 where it was asked wrongly, 1 where it failed."""


class ConfigError(HighwayError):
    """An option that does not exist or holds a value that makes no sense."""


class DataError(HighwayError):
    """A graph, a split or a file that cannot be trained on as it is."""


class ModelError(HighwayError):
    """A network that cannot be trained the way it was built."""


class RunError(HighwayError):
    """A run folder that cannot be written or read."""


class FailedError(HighwayError):
    """Work that was asked for rightly and did not succeed."""

    exit_code = 1


class StoppedError(HighwayError):
    """Work that was interrupted, with a word on how to go on."""

    exit_code = 130


class HighwayWarning(UserWarning):
    """What is done all the same, but should be known."""


class RenamedWarning(HighwayWarning, FutureWarning):
    """A name of an earlier version was used; it is accepted for one version."""


def warn_renamed(old: str, new: str, stacklevel: int = 3) -> None:
    """Warn that a name of an earlier version was used."""
    warnings.warn(f"{old} is now called {new}: use that name.", RenamedWarning, stacklevel=stacklevel)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ' Did you mean X?' when a known word is close, else the list of known words."""
    names = sorted(known)
    close = get_close_matches(word.lower(), names, n=1, cutoff=0.6)
    return f" Did you mean {close[0]!r}?" if close else f" Known: {', '.join(names)}."
