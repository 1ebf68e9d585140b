"""Option names of version 0.1 on the command line: accepted with a warning until version 0.3."""

from highwaygraph.config import Config
from highwaygraph.errors import warn_renamed
from highwaygraph.options import present_option

COMMANDS = ("train", "tune")
FLAGS = {"--checkpoint": "--checkpoint-every", "--few": "--small-classes", "--store": "--storage"}


def present_arguments(arguments: list[str], *, warn: bool = True) -> list[str]:
    """Return the arguments of a command with every renamed option and value under its present name.

    Args:
        arguments: Arguments after the program's name.
        warn: Warn of every renamed option.

    Returns:
        As many arguments, in the same order.

    Example:
        >>> present_arguments(["train", "cora", "--fit.batch", "64"], warn=False)
        ['train', 'cora', '--fit.batch-size', '64']
    """
    if not arguments or arguments[0] not in COMMANDS:
        return arguments
    present = list(arguments)
    for place, argument in enumerate(arguments):
        if not argument.startswith("--"):
            continue
        old, separator, inline = argument.partition("=")
        following = arguments[place + 1] if place + 1 < len(arguments) else ""
        new, value = _present(old, inline if separator else following)
        if new == old:
            continue
        present[place] = f"{new}={value}" if separator else new
        if not separator and following:
            present[place + 1] = value
        if warn:
            warn_renamed(old, new)
    return present


def _present(flag: str, value: str) -> tuple[str, str]:
    """Return the present flag and value; dotted options are looked up in the tables of their sections."""
    if flag in FLAGS:
        return FLAGS[flag], value
    *path, last = flag.removeprefix("--").replace("-", "_").split(".")
    negative = bool(path) and last.startswith("no_")
    given = ".".join([*path, last.removeprefix("no_") if negative else last])
    name, present = present_option(Config, given, value, warn=False)
    if name == given:
        return flag, value
    *path, last = name.replace("_", "-").split(".")
    return "--" + ".".join([*path, f"no-{last}" if negative else last]), str(present)
