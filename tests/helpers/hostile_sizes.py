"""Small files that declare large sizes; for tests and for fault injection."""

import json
import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import torch
from safetensors.torch import load_file, save_file
from scipy.sparse import csr_matrix

import highwaygraph as hg
from highwaygraph.data.planetoid import read_planetoid
from highwaygraph.errors import HighwayError
from highwaygraph.runs.folder import is_run
from highwaygraph.runs.open import open_run
from highwaygraph.runtime import environment
from highwaygraph.study.spec import cells, read_study
from tests.helpers.hostile import FIXTURES, checksums

EDGES = torch.zeros(2, 1, dtype=torch.long)
HUGE = 10**9


def hostile_sizes(folder: Path) -> Iterator[Path]:
    """Yield files and folders of up to a few kilobytes that declare gigabytes."""
    for make in (_tensors, _npz, _planetoid, _stores, _runs, _studies, _networks):
        yield from make(folder)


def read(path: Path) -> object:
    """Read a file by its kind, also without labels."""
    if path.suffix == ".toml":
        return cells(read_study(str(path)))
    if is_run(path):
        return open_run(path)
    if path.name.startswith("planetoid"):
        return read_planetoid(path, "toy")
    return hg.load(path, labels=False)


def peak(path: Path) -> tuple[str, float]:
    """Return whether a file was refused or read, and the most memory that this took, in MiB."""
    before, outcome = environment.reset_peak(), "read"
    try:
        read(path)
    except HighwayError:
        outcome = "refused"
    return outcome, environment.peak_mib() - before


def _tensors(folder: Path) -> Iterator[Path]:
    sparse = {"x_place": torch.zeros(1, 2, dtype=torch.int32), "x_values": torch.ones(1), "edge_index": EDGES}
    shapes = {"wide": [3, 8 * 10**8], "long": [8 * 10**8, 3], "negative": [-3, -5], "overflow": [2**33, 2**33]}
    for name, shape in shapes.items():
        tensors = sparse | {"x_shape": torch.tensor(shape), "y": torch.zeros(3, dtype=torch.long)}
        path = folder / f"{name}.safetensors"
        save_file(tensors, path)
        yield path
    save_file({"x": torch.empty(HUGE, 0), "edge_index": EDGES}, folder / "rows.safetensors")
    yield folder / "rows.safetensors"


def _npz(folder: Path) -> Iterator[Path]:
    one, edges = np.zeros(1, np.int64), EDGES.numpy()
    parts = {"x_indptr": np.array([0, 1, 1, 1]), "x_indices": one, "x_shape": np.array([3, 8 * 10**8])}
    arrays: dict[str, dict[str, Any]] = {
        "wide": parts | {"y": np.zeros(3, int)},
        "rows": {"x": np.empty((HUGE, 0), np.float32)},
        "labels": {"x": np.empty((2**26, 0), np.float32), "y": np.zeros(2**26, np.int8)},
        "edges": {"x": np.ones((3, 1)), "y": np.zeros(3, int), "edge_index": np.zeros((2, 2**24), np.int8)},
        "ids": {"x": np.ones((3, 1)), "y": np.zeros(3, int), "ids": np.zeros(2**25, np.int8)},
    }
    for name, one_file in arrays.items():
        path = folder / f"{name}.npz"
        np.savez_compressed(path, **({"edge_index": edges} | one_file))
        yield path


def _planetoid(folder: Path) -> Iterator[Path]:
    for name, width, shared in (("planetoid-wide", HUGE, False), ("planetoid-lists", 2, True)):
        target = folder / name
        target.mkdir()
        nodes = 20_000 if shared else 20
        neighbours = list(range(nodes)) if shared else [0]
        empty = csr_matrix((0, width), dtype=np.float32)
        parts = dict.fromkeys(("x", "allx", "tx"), empty)
        parts |= {part: np.zeros((0, 2), np.int32) for part in ("y", "ally", "ty")}
        parts["graph"] = dict.fromkeys(range(nodes), neighbours)
        for part, value in parts.items():
            (target / f"ind.toy.{part}").write_bytes(pickle.dumps(value, protocol=4))
        (target / "ind.toy.test.index").write_text("")
        yield target


def _stores(folder: Path) -> Iterator[Path]:
    for name, shape in (("rows", [HUGE, 0]), ("overflow", [2**32, 2**32]), ("digits", [10**40, 0])):
        target = folder / f"store-{name}"
        shutil.copytree(FIXTURES / "graph", target)
        facts = json.loads((target / "graph.json").read_text())
        facts["arrays"]["x"][1] = shape
        (target / "graph.json").write_text(json.dumps(facts))
        (target / "x.bin").write_bytes(b"")
        yield target


def _runs(folder: Path) -> Iterator[Path]:
    networks: dict[str, dict[str, Any]] = {
        "hidden": {"hidden": HUGE},
        "layers": {"layers": HUGE},
        "gat": {"model": "gat", "hidden": HUGE, "heads": HUGE},
        "gcn2": {"model": "gcn2", "hidden": HUGE, "layers": 3},
        "overflow": {"hidden": 2**62},
    }
    for name, options in networks.items():
        target = _run(folder / f"run-{name}")
        config = json.loads((target / "config.json").read_text())
        config["network"] |= options
        (target / "config.json").write_text(json.dumps(config))
        checksums(target)
        yield target
    target = _run(folder / "run-features")
    tensors = load_file(target / "graph.safetensors") | {"x_shape": torch.tensor([60, 10**8])}
    save_file(tensors, target / "graph.safetensors")
    checksums(target)
    yield target
    target = _run(folder / "run-encoder")
    meta = json.loads((target / "meta.json").read_text())
    meta["encoders"]["title"]["size"] = HUGE
    (target / "meta.json").write_text(json.dumps(meta))
    checksums(target)
    yield target


def _run(target: Path) -> Path:
    return Path(shutil.copytree(FIXTURES / "run-full", target))


def _studies(folder: Path) -> Iterator[Path]:
    axes = {"dataset": ["cora"], "model": ["gcn"], "split": [0], "seed": [0]}
    more = {f"network.option{number}": list(range(32)) for number in range(8)}
    lines = [f"{json.dumps(name)} = {values}" for name, values in (axes | more).items()]
    (folder / "axes.toml").write_text('title = "t"\nprotocol = "random"\n[grid]\n' + "\n".join(lines))
    yield folder / "axes.toml"


def _networks(folder: Path) -> Iterator[Path]:
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, "ENTITY", "word")
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
    for kind, write in (("graphml", nx.write_graphml), ("gexf", nx.write_gexf)):
        path = folder / f"entities.{kind}"
        write(graph, path)
        _, body = path.read_text().split("?>", 1)
        text = f'<?xml version="1.0" encoding="utf-16"?><!DOCTYPE x [<!ENTITY e0 "{"a" * 100}">{entities}]>{body}'
        path.write_bytes(text.replace("ENTITY</", "&e9;</").replace('"ENTITY"', '"&e9;"').encode("utf-16"))
        yield path
