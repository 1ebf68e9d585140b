"""Small files that declare large sizes, one for every size that a file can declare."""

import gzip
import json
import struct
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from safetensors.torch import save_file

import highwaygraph as hg
from highwaygraph.data.planetoid import read_planetoid
from highwaygraph.study.records import read_records
from highwaygraph.study.spec import cells, read_study
from tests.helpers import fuzz_sources as make
from tests.helpers.guarded_cases import sign

MANY = 800_000_000


class Size(NamedTuple):
    """How a file is made and read."""

    make: Callable[[Path], Path]
    read: Callable[[Path], Any] = hg.load


def _sparse_tensors(folder: Path) -> Path:
    few = {"x_place": torch.zeros(1, 2, dtype=torch.int32), "x_values": torch.ones(1)}
    rest = {"x_shape": torch.tensor([3, MANY]), "edge_index": torch.tensor([[0], [1]]), "y": torch.tensor([0, 1, 0])}
    save_file(few | rest, folder / "g.safetensors")
    return folder / "g.safetensors"


def _tensor_header(folder: Path) -> Path:
    header = json.dumps({"x": {"dtype": "F32", "shape": [3, MANY], "data_offsets": [0, 12 * MANY]}}).encode()
    (folder / "g.safetensors").write_bytes(struct.pack("<Q", len(header)) + header)
    return folder / "g.safetensors"


def _long_header(folder: Path) -> Path:
    (folder / "g.safetensors").write_bytes(struct.pack("<Q", 2**40) + b"{}")
    return folder / "g.safetensors"


def _npz(folder: Path, **arrays: Any) -> Path:
    np.savez_compressed(folder / "g.npz", **arrays)
    return folder / "g.npz"


def _npz_bomb(folder: Path) -> Path:
    return _npz(
        folder, x=np.zeros((2**16, 2**13), np.float32), edge_index=np.zeros((2, 1), int), y=np.zeros(2**16, int)
    )


def _npz_header(folder: Path) -> Path:
    text = BytesIO()
    np.lib.format.write_array_header_1_0(text, {"descr": "<f4", "fortran_order": False, "shape": (3, MANY)})
    with zipfile.ZipFile(folder / "g.npz", "w") as archive:
        archive.writestr("x.npy", text.getvalue())
    return folder / "g.npz"


def _npz_sparse(folder: Path) -> Path:
    parts = {"x_indptr": np.zeros(4, int), "x_indices": np.zeros(0, int), "x_shape": np.array([3, MANY])}
    return _npz(folder, **parts, edge_index=np.zeros((2, 1), int), y=np.zeros(3, int))


def _tables(folder: Path, nodes: Callable[[Path], None]) -> Path:
    """Write nodes.parquet by a function, and one edge."""
    nodes(folder / "nodes.parquet")
    pq.write_table(pa.table({"source": ["0"], "target": ["1"]}), folder / "edges.parquet")
    return folder


def _parquet_dictionary(folder: Path) -> Path:
    def write(path: Path) -> None:
        words = pa.DictionaryArray.from_arrays(np.zeros(2**15, np.int8), pa.array(["a" * 2**16]))
        pq.write_table(pa.table({"id": np.arange(2**15), "text": words}), path, compression="zstd")

    return _tables(folder, write)


def _parquet_rows(folder: Path) -> Path:
    def write(path: Path) -> None:
        group = pa.table({"id": pa.array(np.zeros(2**22, np.int64)), "size": pa.array(np.zeros(2**22))})
        with pq.ParquetWriter(path, group.schema, compression="zstd") as writer:
            for _ in range(50):
                writer.write_table(group)

    return _tables(folder, write)


def _csv_gz(head: bytes, block: bytes) -> Callable[[Path], Path]:
    """Return the function that writes a table whose compressed blocks are repeated."""

    def write(folder: Path) -> Path:
        first, other = (gzip.compress(part, 6) for part in (head, block))
        (folder / "nodes.csv.gz").write_bytes(first + 80 * other)
        (folder / "edges.csv").write_text("source,target\n0,1\n")
        return folder

    return write


def _entities(depth: int, encoding: str, padding: int, name: str = "graphml") -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        names = [f'<!ENTITY e{i} "{f"&e{i - 1};" * 30}">' for i in range(1, depth)]
        head = (
            f'<?xml version="1.0" encoding="{encoding}"?><!--{" " * padding}--><!DOCTYPE g [<!ENTITY e0 "aaaaaaaaaa">'
        )
        text = f'{head}{"".join(names)}]><{name}><graph><node id="&e{depth - 1};"/></graph></{name}>'
        (folder / f"g.{name}").write_bytes(text.encode(encoding))
        return folder / f"g.{name}"

    return write


def _run(change: Callable[[Path], None]) -> Callable[[Path], Path]:
    """Return the function that writes a run whose checksums hold after a change."""

    def write(folder: Path) -> Path:
        path = make.checked_run(folder)
        change(path)
        sign(path)
        return path

    return write


def _network(**options: Any) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        config = json.loads((path / "config.json").read_text())
        config["network"] |= options
        (path / "config.json").write_text(json.dumps(config))

    return change


def _run_tensors(path: Path) -> None:
    from safetensors.torch import load_file

    tensors = load_file(path / "graph.safetensors")
    for name in [name for name in tensors if name.startswith("x")]:
        del tensors[name]
    sparse = {"x_place": torch.zeros(1, 2, dtype=torch.int32), "x_values": torch.ones(1)}
    save_file(tensors | sparse | {"x_shape": torch.tensor([180, MANY])}, path / "graph.safetensors")


def _deep(name: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        (path / name).write_text("[" * 10**7)

    return change


def _mapped(changes: Callable[[dict[str, Any]], None]) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = make.store(folder)
        facts = json.loads((path / "graph.json").read_text())
        changes(facts)
        (path / "graph.json").write_text(json.dumps(facts))
        return path

    return write


def _wide(facts: dict[str, Any]) -> None:
    facts["encoders"] = {"text": {"kind": "words", "listed": False, "size": 10**9}}


def _many_rows(facts: dict[str, Any]) -> None:
    facts["arrays"]["x"][1] = [10**12, 12]


def _many_empty(facts: dict[str, Any]) -> None:
    facts["arrays"]["x"][1] = [10**12, 0]


def _read_with_schema(path: Path) -> Any:
    from highwaygraph.data.tables.schema import Schema

    schema = Schema(hg.load(path).encoders, ["a"])
    nodes = pa.table({"id": ["0", "1"], "text": ["some words", "other words"]}).to_pandas()
    return hg.load(nodes, pa.table({"source": ["0"], "target": ["1"]}).to_pandas(), schema=schema)


def _axes(folder: Path) -> Path:
    path = make.study(folder)
    more = "".join(f'"fit.x{i}" = [{", ".join(map(str, range(100)))}]\n' for i in range(8))
    path.write_text(path.read_text().replace("[grid]\n", f"[grid]\n{more}"))
    return path


def _planetoid(folder: Path) -> Path:
    make.planetoid(folder)
    (folder / "ind.toy.test.index").write_text("13\n12\n15\n999999999999\n")
    return folder


def _records(folder: Path) -> Path:
    path = make.records(folder)
    path.write_text(path.read_text() + "[" * 10**7 + "\n")
    return path


SIZES: dict[str, Size] = {
    "safetensors: sparse shape": Size(_sparse_tensors),
    "safetensors: tensor": Size(_tensor_header),
    "safetensors: header": Size(_long_header),
    "npz: compressed zeros": Size(_npz_bomb),
    "npz: array": Size(_npz_header),
    "npz: sparse shape": Size(_npz_sparse),
    "parquet: dictionary": Size(_parquet_dictionary),
    "parquet: rows": Size(_parquet_rows),
    "csv.gz: cell": Size(_csv_gz(b"id,text\n0,", b"a" * 2**25)),
    "csv.gz: rows": Size(_csv_gz(b"id,size\n", b"1,0\n" * 2**23)),
    "graphml: entities": Size(_entities(9, "utf-8", 0)),
    "graphml: entities in UTF-16": Size(_entities(9, "utf-16", 0)),
    "graphml: entities after a comment": Size(_entities(9, "utf-8", 70_000)),
    "gexf: entities": Size(_entities(9, "utf-16", 0, "gexf")),
    "run: width of the network": Size(_run(_network(hidden=2 * 10**8)), hg.open_run),
    "run: depth of the network": Size(_run(_network(layers=10**6)), hg.open_run),
    "run: sparse shape": Size(_run(_run_tensors), hg.open_run),
    "run: nested JSON": Size(_run(_deep("meta.json")), hg.open_run),
    "converted graph: rows": Size(_mapped(_many_rows)),
    "converted graph: rows of nothing": Size(_mapped(_many_empty)),
    "converted graph: hashed words": Size(_mapped(_wide), _read_with_schema),
    "study: axes": Size(_axes, lambda path: cells(read_study(str(path)))),
    "planetoid: index": Size(_planetoid, lambda path: read_planetoid(path, "toy")),
    "records: nested JSON": Size(_records, read_records),
}
