"""Paths that exports, predictions and reports may be written to: never a file of a run or of a converted graph."""

import re
from pathlib import Path

from highwaygraph.data.databases.address import refuse_address
from highwaygraph.data.mapped.store import META, is_mapped_graph
from highwaygraph.errors import RunError
from highwaygraph.runs.folder import FILES, is_run

# Separators, control characters, and signs that some systems forbid in the name of a file.
FORBIDDEN = re.compile(r'[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff/\\:*?"<>|]')


# Figures are drawn, never data of the user.
FIGURES = (".png", ".svg", ".pdf")


TABLES = (".csv", ".tsv", ".txt")


# Bytes at the start and at the end of a file, where formats hold the names of columns.
SEARCHED = 2**16


# Names of columns of predictions and of nodes to check, of several labels per node, of suggestions, and of nodes to
# check as they were written before.
OUTPUTS = (
    (b"class", b"confidence"),
    (b"id", b"labels", b"p_"),
    (b"id", b"score", b"reason", b"covered", b"hops"),
    (b"id", b"reason", b"given_label", b"confidence_percent"),
)


MAX_NAME = 100
"""Most bytes of a name that was made plain."""


def check_output(path: Path) -> None:
    """Refuse to replace a file of a run, of a converted graph or of the user, and to write through a link in a run.

    An earlier prediction, export, report or table of suggestions is replaced.

    Args:
        path: The file to write.
    """
    refuse_address(path)
    # The folder may be a link, in which case the files are where it leads to.
    folder, name = path.parent.resolve(), path.name.casefold()
    if is_run(folder) and name in {file.casefold() for file in FILES}:
        raise RunError(f"{path} is a file of the run in {path.parent}: choose another name with --out.")
    if is_mapped_graph(folder) and (name == META or name.endswith(".bin")):
        raise RunError(f"{path} is a file of the converted graph in {path.parent}: choose another name with --out.")
    for parent in path.absolute().parents:
        if parent.is_symlink() and (is_run(parent.parent) or is_mapped_graph(parent.parent)):
            raise RunError(f"{parent} is a link inside a run folder: remove it, or choose another place with --out.")
    if path.is_file() and not path.is_symlink() and path.suffix.lower() not in FIGURES and not _is_output(path):
        raise RunError(f"{path} exists already and is no earlier output: choose another name, or remove it.")


def _is_output(path: Path) -> bool:
    """Return whether a file is empty or names what the outputs of commands hold, at its start or its end."""
    with path.open("rb") as file:
        head = file.read(SEARCHED)
        if path.suffix.lower() in TABLES:
            # Texts of the user may hold any word: only the names of columns are searched.
            return _names_output(head.partition(b"\n")[0].lower())
        file.seek(max(0, path.stat().st_size - SEARCHED))
        return _names_output((head + file.read()).lower())


def _names_output(content: bytes) -> bool:
    return not content or b"highway" in content or any(all(word in content for word in words) for words in OUTPUTS)


def plain_name(text: object) -> str:
    """Return a name that was read from a file as the name of a file: one part of a path, neither hidden nor long.

    Args:
        text: The name of a graph.

    Returns:
        The name without separators, control characters and leading dots; "graph" where nothing is left.

    Example:
        >>> plain_name("../elsewhere/x"), plain_name("cora")
        ('_elsewhere_x', 'cora')
    """
    name = FORBIDDEN.sub("_", str(text)).lstrip(". -~").rstrip(". ")
    return name.encode()[:MAX_NAME].decode(errors="ignore") or "graph"
