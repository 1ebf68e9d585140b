"""Corruptions of every kind of file that is read: random bytes, and hostile structure with right checksums."""

import random
import resource
import shutil
import signal
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx

import highwaygraph as hg
from highwaygraph.data.planetoid import read_planetoid
from highwaygraph.errors import HighwayError
from highwaygraph.graph.graph import Graph
from highwaygraph.runs.export import edge_table, node_table
from highwaygraph.study.records import read_records
from highwaygraph.study.spec import cells, options, read_study
from highwaygraph.study.tune import count
from highwaygraph.training.checkpoints import Checkpoints
from tests.helpers import fuzz_sources as make
from tests.helpers import restructure

SECONDS, BYTES = 30, 4 * 2**30
"""Time and additional memory that one input may take."""
FRAGMENTS = (
    b"\x00", b"nan", b"inf", b"-1", b"99999999999999999999", b"1e309", b'"', b",", b"\n", b";", b"\t", b"{", b"]",
    b"[[", b'<!ENTITY x SYSTEM "file:///etc/passwd">', b"\xff\xfe", "é".encode(), b"'", b"../../x", b"=1+1", b"null",
    b"true", b"0" * 40, b"a" * 300, b"\xf0\x9f\x98\x80", b"(lp0\n", b"cos\nsystem\n", b"\x80\x04\x95",
)  # fmt: skip


def corrupt(content: bytes, rng: random.Random) -> bytes:
    """Return the content with a few random edits."""
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        low = rng.randrange(len(content) + 1)
        # Headers come first, and are corrupted more often.
        low = min(low, rng.choice((len(content), 100, 400)))
        high = min(len(content), low + rng.choice((0, 1, 1, 4, 16, 200)))
        chunk = content[low:high]
        match rng.randrange(6):
            case 0:
                content = content[:low] + bytes(rng.randrange(256) for _ in chunk) + content[high:]
            case 1:
                content = content[:low]
            case 2:
                content = content[:low] + content[high:]
            case 3:
                content = content[:high] + chunk * rng.choice((1, 3)) + content[high:]
            case 4:
                content = content[:low] + rng.choice(FRAGMENTS) + content[high:]
            case _:
                flipped = bytes(byte ^ (1 << rng.randrange(8)) for byte in chunk)
                content = content[:low] + flipped + content[high:]
    return content


def read_run(path: Path) -> Any:
    """Open a run, and use what opens as sound."""
    result = hg.open_run(path)
    return [result.data, node_table(result.edge_list()), edge_table(result.edge_list()), repr(result)]


def read_grid(path: Path) -> Any:
    """Read a study, its cells, and the options of the first ones."""
    study = read_study(str(path))
    return [options(study, cell) for cell in cells(study)[:3]]


def one_file(name: str) -> Callable[[Path, random.Random], None]:
    """Return the function that corrupts the bytes of one file of a folder."""

    def change(path: Path, rng: random.Random) -> None:
        (path / name).write_bytes(corrupt((path / name).read_bytes(), rng))

    return change


def any_bytes(path: Path, rng: random.Random) -> None:
    """Corrupt the bytes of a file, or of one file of a folder."""
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    victim = rng.choice(files)
    victim.write_bytes(corrupt(victim.read_bytes(), rng))


class Kind(NamedTuple):
    """How a file or folder is made, read and changed, and how many are changed where all kinds together are many."""

    make: Callable[[Path], Path]
    read: Callable[[Path], Any]
    change: Callable[[Path, random.Random], None] = any_bytes
    share: float = 1.0


def _latest(path: Path) -> Any:
    return Checkpoints(path, {}).latest()


KINDS: dict[str, Kind] = {
    "csv": Kind(make.csv, hg.load),
    "typed csv": Kind(make.typed_csv, lambda path: hg.load(path, label="field")),
    "csv.gz": Kind(make.csv_gz, hg.load),
    "parquet": Kind(make.parquet, hg.load),
    "sqlite": Kind(make.sqlite, lambda path: hg.load(f"sqlite:{path}")),
    "graphml": Kind(make.network("graphml", nx.write_graphml), hg.load),
    "gexf": Kind(make.network("gexf", nx.write_gexf), hg.load),
    "gml": Kind(make.network("gml", nx.write_gml), hg.load),
    "edgelist": Kind(make.edge_list, hg.load),
    "npz": Kind(make.npz, hg.load),
    "npz structure": Kind(make.npz, hg.load, restructure.any_file),
    "safetensors": Kind(make.tensors, hg.load),
    "safetensors structure": Kind(make.tensors, hg.load, restructure.any_file),
    "planetoid": Kind(make.planetoid, lambda path: read_planetoid(path, "toy")),
    "store": Kind(make.store, hg.load),
    "store structure": Kind(make.store, hg.load, restructure.mapped_graph),
    "run": Kind(make.run, read_run),
    "run structure": Kind(make.checked_run, read_run, restructure.run_folder),
    "typed run structure": Kind(make.typed_run, read_run, restructure.run_folder),
    "predictions": Kind(make.run, read_run, one_file("predictions.csv"), 0.5),
    "checkpoint": Kind(make.checkpoint, _latest),
    "checkpoint structure": Kind(make.checkpoint, _latest, restructure.checkpoint, 0.5),
    "toml": Kind(make.study, read_grid),
    "toml structure": Kind(make.study, read_grid, restructure.any_file),
    "records": Kind(make.records, read_records),
    "records structure": Kind(make.records, read_records, restructure.any_file),
    "search store": Kind(make.search_store, count, share=0.1),
}


def corrupted(kind: Kind, original: Path, folder: Path, rng: random.Random) -> Path:
    """Return a copy of a file or folder that was changed as its kind is."""
    target = folder / original.name
    shutil.copytree(original, target) if original.is_dir() else shutil.copy(original, target)
    kind.change(target, rng)
    return target


def is_valid(found: Any) -> bool:
    """Return whether the value is a valid graph, or holds one, or has no graph at all."""
    if isinstance(found, list):
        return all(is_valid(each) for each in found[:1])
    if not isinstance(found, Graph):
        return True
    nodes = found.num_nodes
    if "edge_index" in found and found.edge_index.numel():
        low, high = found.edge_index.aminmax()
        if low < 0 or high >= nodes:
            return False
    return bool(found.x.isfinite().all()) and len(found.x) == len(found.y) == nodes and int(found.y.min()) >= -1


@contextmanager
def limited() -> Iterator[None]:
    """Allow some GiB beyond what is held, and some seconds between two calls of `signal.alarm`."""

    def late(*_: object) -> None:
        raise TimeoutError(f"nothing after {SECONDS} s")

    before, handler = resource.getrlimit(resource.RLIMIT_AS), signal.signal(signal.SIGALRM, late)
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGALRM, handler)


def fuzz(kind: str, folder: Path, numbers: range, seed: int) -> tuple[Counter[str], list[str]]:
    """Corrupt a file of a kind once for every number, count the outcomes, and name the failures."""
    chosen, went, failures = KINDS[kind], Counter[str](), list[str]()
    (folder / "whole").mkdir()
    original = chosen.make(folder / "whole")
    if (outcome := _outcome(chosen, original)) != "read":
        return went, [f"{kind}: the file is {outcome} before it is corrupted"]
    for number in numbers:
        place = folder / "corrupted"
        place.mkdir()
        path = corrupted(chosen, original, place, random.Random(f"{kind} {seed} {number}"))
        with limited():
            outcome = _outcome(chosen, path)
        went[outcome] += 1
        if outcome not in ("refused", "read"):
            failures.append(f"{kind}, input {number} of seed {seed}: {outcome}")
        shutil.rmtree(place)
    return went, failures


def _outcome(kind: Kind, path: Path) -> str:
    """Return refused, read, or why neither is true."""
    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return "read" if is_valid(kind.read(path)) else "read as an invalid graph"
    except HighwayError as error:
        return "refused" if str(error) else "refused without a message"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
