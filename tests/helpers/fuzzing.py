"""Files of every format that is read, and random corruptions of them."""

import pickle
import random
import shutil
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import torch
from scipy.sparse import csr_matrix

import highwaygraph as hg
from highwaygraph.data.planetoid import read_planetoid
from highwaygraph.data.safetensors_io import write_tensors
from highwaygraph.graph.graph import Graph
from highwaygraph.study.records import read_records
from highwaygraph.study.spec import read_study
from highwaygraph.training.checkpoints import Checkpoints, Snapshot
from tests.helpers.graphs import block_graph
from tests.helpers.grids import write_grid
from tests.helpers.papers import write_papers
from tests.helpers.trained import named_run

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


def _csv(folder: Path) -> Path:
    return Path(write_papers(folder / "papers"))


def _parquet(folder: Path) -> Path:
    tables = _csv(folder)
    for name in ("nodes", "edges"):
        pd.read_csv(tables / f"{name}.csv").to_parquet(tables / f"{name}.parquet")
        (tables / f"{name}.csv").unlink()
    return tables


def _network(kind: str, write: Callable[..., Any]) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        graph = nx.planted_partition_graph(3, 8, 0.5, 0.1, seed=0)
        graph.graph.clear()
        for node in graph:
            graph.nodes[node].update(label=f"class {node // 8}", size=float(node))
        write(graph, folder / f"g.{kind}")
        return folder / f"g.{kind}"

    return make


def _npz(folder: Path) -> Path:
    data = block_graph()
    np.savez_compressed(folder / "g.npz", x=data.x, edge_index=data.edge_index, y=data.y)
    return folder / "g.npz"


def _planetoid(folder: Path) -> Path:
    ones, x = np.eye(3, dtype=np.int32)[np.arange(16) % 3], np.eye(16, 6, dtype=np.float32)
    parts: dict[str, Any] = {
        "x": csr_matrix(x[:6]),
        "y": ones[:6],
        "allx": csr_matrix(x[:12]),
        "ally": ones[:12],
        "tx": csr_matrix(x[12:]),
        "ty": ones[12:],
        "graph": defaultdict(list, {i: [(i + 1) % 16, (i + 3) % 16] for i in range(16)}),
    }
    for name, value in parts.items():
        (folder / f"ind.toy.{name}").write_bytes(pickle.dumps(value, protocol=4))
    (folder / "ind.toy.test.index").write_text("".join(f"{i}\n" for i in (13, 12, 15, 14)))
    return folder


def _store(folder: Path) -> Path:
    hg.convert(block_graph(), folder / "big")
    return folder / "big"


def _run(folder: Path) -> Path:
    path = named_run().save(folder / "run")
    # The checksums would detect every change.
    (path / "SHA256SUMS").unlink()
    return path


def _checkpoint(folder: Path) -> Path:
    Checkpoints(folder / "c", {}).save(Snapshot({"a": 1}, {"b": torch.ones(3)}))
    return folder / "c"


def _records(folder: Path) -> Path:
    line = '{"study":"toy","cell":{"dataset":"cora","split":0},"val":0.5,"test":0.5,"test_last":0.5}\n'
    (folder / "toy.jsonl").write_text(line * 5)
    return folder / "toy.jsonl"


def _study(folder: Path) -> Path:
    return write_grid(folder / "toy.toml", splits=2, seeds=1)


def _tensors(folder: Path) -> Path:
    return write_tensors(block_graph(), folder / "g.safetensors")


KINDS: dict[str, tuple[Callable[[Path], Path], Callable[[Path], Any]]] = {
    "csv": (_csv, hg.load),
    "parquet": (_parquet, hg.load),
    "graphml": (_network("graphml", nx.write_graphml), hg.load),
    "gexf": (_network("gexf", nx.write_gexf), hg.load),
    "gml": (_network("gml", nx.write_gml), hg.load),
    "npz": (_npz, hg.load),
    "safetensors": (_tensors, hg.load),
    "planetoid": (_planetoid, lambda path: read_planetoid(path, "toy")),
    "store": (_store, hg.load),
    "run": (_run, hg.open_run),
    "checkpoint": (_checkpoint, lambda path: Checkpoints(path, {}).latest()),
    "toml": (_study, lambda path: read_study(str(path))),
    "records": (_records, read_records),
}


def corrupted(original: Path, folder: Path, rng: random.Random) -> Path:
    """Return a corrupted copy of a file, or a copy of a folder with one corrupted file."""
    target = folder / original.name
    if original.is_dir():
        shutil.copytree(original, target)
        victim = rng.choice(sorted(p for p in target.rglob("*") if p.is_file()))
    else:
        victim = Path(shutil.copy(original, target))
    victim.write_bytes(corrupt(victim.read_bytes(), rng))
    return target


def is_valid(found: Any) -> bool:
    """Return whether the value is a valid graph, or no graph at all."""
    if not isinstance(found, Graph):
        return True
    nodes = found.num_nodes
    if "edge_index" in found and found.edge_index.numel():
        low, high = found.edge_index.aminmax()
        if low < 0 or high >= nodes:
            return False
    return bool(found.x.isfinite().all()) and len(found.x) == len(found.y) == nodes and int(found.y.min()) >= -1
