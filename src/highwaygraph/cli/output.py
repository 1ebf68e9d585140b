"""Output of the commands: results on stdout, errors on stderr."""

import json
import os
import sys
from typing import Any

from highwaygraph.errors import printable, without_passwords
from highwaygraph.runtime.progress import PlainConsole, stderr

# Wider than any table: a file or a pipe has no width at which to wrap.
UNLIMITED = 100_000


def print_result(value: Any) -> None:
    """Print a renderable on stdout, or plain values as one JSON document.

    Args:
        value: A dict is printed as JSON, a string as one unwrapped line, any other renderable wrapped to the terminal.
    """
    if isinstance(value, dict):
        sys.stdout.write(json.dumps(value, indent=1) + "\n")
        return
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else UNLIMITED
    # Paths and commands stay on one line, so that they can be copied.
    PlainConsole(width=width).print(value, soft_wrap=isinstance(value, str))


def print_table(text: str) -> None:
    """Print a CSV table on stdout: as it is in a file or a pipe, with control characters as escapes on a terminal."""
    sys.stdout.write(printable(text) if sys.stdout.isatty() else text)


def print_error(sentence: str, code: int) -> int:
    """Print one sentence on stderr and return the exit code that belongs to it."""
    stderr.print(without_passwords(sentence), style="red", soft_wrap=True)
    return code
