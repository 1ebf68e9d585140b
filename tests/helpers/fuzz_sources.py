"""Whole files and folders of every format that is read, which are corrupted afterwards."""

import gzip
import json
import pickle
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import optuna
import pandas as pd
import torch
from scipy.sparse import csr_matrix

import highwaygraph as hg
from highwaygraph.data.safetensors_io import write_tensors
from highwaygraph.training.checkpoints import Checkpoints, Snapshot
from tests.helpers.graphs import block_graph
from tests.helpers.grids import write_grid
from tests.helpers.library import write_library
from tests.helpers.papers import write_papers
from tests.helpers.trained import named_run


def csv(folder: Path) -> Path:
    """Return a folder of two CSV files."""
    return Path(write_papers(folder / "papers"))


def parquet(folder: Path) -> Path:
    """Return a folder of two Parquet files."""
    tables = csv(folder)
    for name in ("nodes", "edges"):
        pd.read_csv(tables / f"{name}.csv").to_parquet(tables / f"{name}.parquet")
        (tables / f"{name}.csv").unlink()
    return tables


def sqlite(folder: Path) -> Path:
    """Return a SQLite file with both tables."""
    tables = csv(folder)
    with closing(sqlite3.connect(folder / "g.db")) as connection:
        for name in ("nodes", "edges"):
            pd.read_csv(tables / f"{name}.csv").to_sql(name, connection, index=False)
    return folder / "g.db"


def network(kind: str, write: Callable[..., Any]) -> Callable[[Path], Path]:
    """Return the function that writes a small NetworkX graph with a writer."""

    def make(folder: Path) -> Path:
        graph = nx.planted_partition_graph(3, 8, 0.5, 0.1, seed=0)
        graph.graph.clear()
        for node in graph:
            graph.nodes[node].update(label=f"class {node // 8}", size=float(node))
        write(graph, folder / f"g.{kind}")
        return folder / f"g.{kind}"

    return make


def npz(folder: Path) -> Path:
    """Return an npz file."""
    data = block_graph()
    np.savez_compressed(folder / "g.npz", x=data.x, edge_index=data.edge_index, y=data.y)
    return folder / "g.npz"


def planetoid(folder: Path) -> Path:
    """Return a folder of Planetoid's files."""
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


def store(folder: Path) -> Path:
    """Return a converted graph."""
    hg.convert(block_graph(), folder / "big")
    return folder / "big"


def run(folder: Path) -> Path:
    """Return a run folder without checksums, which would detect every change."""
    path = named_run().save(folder / "run")
    (path / "SHA256SUMS").unlink()
    return path


def checkpoint(folder: Path) -> Path:
    """Return a folder with one checkpoint."""
    Checkpoints(folder / "c", {}).save(Snapshot({"a": 1}, {"b": torch.ones(3)}))
    return folder / "c"


def records(folder: Path) -> Path:
    """Return a results file of a study."""
    place = {"dataset": "cora", "model": "gcn", "split": 0, "seed": 0}
    scores = {"val": 0.5, "test": 0.5, "test_last": 0.5, "epoch_ms": 1.5, "best_round": 1}
    hops = [{"hops": "1", "nodes": 3, "accuracy": 0.5}]
    line = {"study": "toy", "cell": place, **scores, "hops": hops, "config": {"seed": 0}, "versions": {"torch": "2.6"}}
    (folder / "toy.jsonl").write_text((json.dumps(line) + "\n") * 5)
    return folder / "toy.jsonl"


def study(folder: Path) -> Path:
    """Return a study in TOML."""
    return write_grid(folder / "toy.toml", splits=2, seeds=1)


def tensors(folder: Path) -> Path:
    """Return a safetensors file."""
    return write_tensors(block_graph(), folder / "g.safetensors")


def csv_gz(folder: Path) -> Path:
    """Return a folder of two compressed CSV files."""
    tables = csv(folder)
    for path in sorted(tables.iterdir()):
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        path.unlink()
    return tables


def edge_list(folder: Path) -> Path:
    """Return a list of edges."""
    graph = nx.planted_partition_graph(3, 8, 0.5, 0.1, seed=0)
    nx.write_edgelist(graph, folder / "g.edgelist", data=False)
    return folder / "g.edgelist"


def search_store(folder: Path) -> Path:
    """Return the store of a search with a few trials."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(study_name="highway", storage=f"sqlite:///{folder}/tune.db", direction="maximize")
    uniform = optuna.distributions.FloatDistribution(0, 1)
    for value in (0.2, 0.4):
        params, kinds = {"fit.lr": value}, {"fit.lr": uniform}
        study.add_trial(optuna.trial.create_trial(params=params, distributions=kinds, value=value))
    return folder / "tune.db"


def checked_run(folder: Path) -> Path:
    """Return a run folder with its checksums."""
    return named_run().save(folder / "run")


def typed_csv(folder: Path) -> Path:
    """Return a folder with a table per node type and per relation."""
    write_library(folder / "library", papers=30)
    return folder / "library"


def typed_run(folder: Path) -> Path:
    """Return the folder of a run on several node types, with its checksums."""
    data = hg.split(hg.load(typed_csv(folder), label="field"), train=3, val=3)
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 25, "fit.features": "auto"})
    model = hg.models.build("hetero_sage", data, hidden=4)
    return hg.train(model, data, config, progress=False).save(folder / "run")
