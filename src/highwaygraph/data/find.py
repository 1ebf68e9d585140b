"""Where public datasets may lie on this machine."""

import os
from pathlib import Path

from highwaygraph.data.checksums import FOLDERS, file_names
from highwaygraph.errors import DataError


def cache_folder(name: str) -> Path:
    """Return the raw folder that a fetched dataset is kept in."""
    own, shared = os.environ.get("HIGHWAYGRAPH_CACHE"), os.environ.get("XDG_CACHE_HOME")
    base = Path(own) if own else Path(shared or "~/.cache", "highwaygraph")
    return base.expanduser() / "planetoid" / FOLDERS[name] / "raw"


def search_folders(name: str) -> list[Path]:
    """Return the raw folders that may hold a public dataset, in the order they are tried."""
    given = os.environ.get("HIGHWAYGRAPH_DATA")
    bases = [Path(given, "planetoid"), Path(given)] if given else []
    return [*(base.expanduser() / FOLDERS[name] / "raw" for base in bases), cache_folder(name)]


def find(name: str) -> Path:
    """Return the first folder that holds all files of a public dataset, or say how to bring them."""
    folders = search_folders(name)
    missing = {folder: [file for file in file_names(name) if not (folder / file).is_file()] for folder in folders}
    best = min(folders, key=lambda folder: len(missing[folder]))
    if missing[best]:
        raise DataError(
            f"{FOLDERS[name]} is not on this machine: {', '.join(missing[best])} not found in "
            f"{', '.join(map(str, folders))}; run `highway data get {name}`."
        )
    return best
