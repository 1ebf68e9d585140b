"""Files of every kind that is read, and ways to spoil them."""

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

WORDS = (
    b"\x00", b"nan", b"inf", b"-1", b"99999999999999999999", b"1e309", b'"', b",", b"\n", b";", b"\t", b"{", b"]",
    b"[[", b'<!ENTITY x SYSTEM "file:///etc/passwd">', b"\xff\xfe", "é".encode(), b"'", b"../../x", b"=1+1", b"null",
    b"true", b"0" * 40, b"a" * 300, b"\xf0\x9f\x98\x80", b"(lp0\n", b"cos\nsystem\n", b"\x80\x04\x95",
)  # fmt: skip


def spoil(content: bytes, draw: random.Random) -> bytes:
    """Return the content with something wrong in it."""
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        low = draw.randrange(len(content) + 1)
        # Headers stand at the front, and are worth more of the trouble.
        low = min(low, draw.choice((len(content), 100, 400)))
        high = min(len(content), low + draw.choice((0, 1, 1, 4, 16, 200)))
        piece = content[low:high]
        match draw.randrange(6):
            case 0:
                content = content[:low] + bytes(draw.randrange(256) for _ in piece) + content[high:]
            case 1:
                content = content[:low]
            case 2:
                content = content[:low] + content[high:]
            case 3:
                content = content[:high] + piece * draw.choice((1, 3)) + content[high:]
            case 4:
                content = content[:low] + draw.choice(WORDS) + content[high:]
            case _:
                flipped = bytes(byte ^ (1 << draw.randrange(8)) for byte in piece)
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
    # Every change would be seen by the sums alone.
    (path / "SHA256SUMS").unlink()
    return path


def _checkpoint(folder: Path) -> Path:
    Checkpoints(folder / "c", {}).save(Snapshot({"a": 1}, {"b": torch.ones(3)}))
    return folder / "c"


def _records(folder: Path) -> Path:
    line = '{"study":"toy","cell":{"dataset":"cora","split":0},"val":0.5,"test":0.5}\n'
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


def spoiled(original: Path, folder: Path, draw: random.Random) -> Path:
    """Return a copy of a file, or of a folder with one of its files, spoiled."""
    target = folder / original.name
    if original.is_dir():
        shutil.copytree(original, target)
        victim = draw.choice(sorted(p for p in target.rglob("*") if p.is_file()))
    else:
        victim = Path(shutil.copy(original, target))
    victim.write_bytes(spoil(victim.read_bytes(), draw))
    return target


def sound(found: Any) -> bool:
    """Tell whether what was read is a graph without nonsense in it, or no graph at all."""
    if not isinstance(found, Graph):
        return True
    nodes = found.num_nodes
    if "edge_index" in found and found.edge_index.numel():
        low, high = found.edge_index.aminmax()
        if low < 0 or high >= nodes:
            return False
    return bool(found.x.isfinite().all()) and len(found.x) == len(found.y) == nodes and int(found.y.min()) >= -1
