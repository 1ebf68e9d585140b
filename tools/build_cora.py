"""Builds src/highwaygraph/data/cora.npz, the Cora that is inside the package.

Provenance: 2,708 machine-learning papers, their words and their citations, collected by McCallum et al.
("Automating the Construction of Internet Portals with Machine Learning", 2000), made a benchmark by Sen et
al. ("Collective Classification in Network Data", 2008), and given its node order and public split by Yang et
al. ("Revisiting Semi-Supervised Learning with Graph Embeddings", 2016; Planetoid, MIT licence).

Papers, subjects and paper ids come from the wheel of graphdatascience (Apache-2.0); node order and split come
from the Planetoid files in the wheel of verbcl-graph4nlp-cpu. The wheels are opened, never installed. The
`tables` extra has to be installed:

    python tools/build_cora.py [--wheels FOLDER_WITH_BOTH_WHEELS]
"""

import argparse
import hashlib
import subprocess
import sys
from collections.abc import Hashable, Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from highwaygraph.data.download import CORA, SHA256
from highwaygraph.data.planetoid import CLASSES, VALIDATION, unpickle

PACKAGES = ("graphdatascience==2.2", "verbcl-graph4nlp-cpu==0.1.0")
# The numbers of graphdatascience, from serialize_cora.py in its wheel.
SUBJECTS = (
    "Neural_Networks",
    "Rule_Learning",
    "Reinforcement_Learning",
    "Probabilistic_Methods",
    "Theory",
    "Genetic_Algorithms",
    "Case_Based",
)

Edges = set[tuple[int, int]]
Table = NDArray[Any]


def main() -> None:
    """Build the file from downloaded wheels, or from those in --wheels."""
    parser = argparse.ArgumentParser(description="Build the embedded cora.npz.")
    parser.add_argument("--wheels", type=Path, help="folder with both wheels, instead of downloading them")
    parser.add_argument("--out", type=Path, default=CORA, help="where to write")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        if options.wheels is None:
            command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", folder, *PACKAGES]
            subprocess.run(command, check=True)
        arrays = build(options.wheels or Path(folder))
    np.savez_compressed(options.out, **arrays)
    print(f"{options.out}: {options.out.stat().st_size:,} bytes, {len(arrays)} arrays")


def build(wheels: Path) -> dict[str, Any]:
    """Return the arrays of cora.npz."""
    words, graph, train, test = read_planetoid(wheels)
    ids, subjects, own_words, citations = read_papers(wheels)
    papers = match(words, graph, own_words, citations)
    node = {int(paper): place for place, paper in enumerate(papers)}
    if undirected((node[one], node[other]) for one, other in citations) != graph:
        raise SystemExit("The matched papers do not cite each other as Planetoid's nodes do.")
    sparse, place = csr_array(words), np.arange(len(words))
    order = [CLASSES["cora"].index(subject) for subject in SUBJECTS]
    return {
        "edge_index": np.array(sorted(graph), dtype=np.uint16).T,
        "undirected": np.array(True),
        "x_indptr": sparse.indptr.astype(np.uint16),
        "x_indices": sparse.indices.astype(np.uint16),
        "x_shape": np.array(sparse.shape, dtype=np.uint16),
        "y": np.array(order, dtype=np.int8)[subjects[papers]],
        "train_mask": place < train,
        "val_mask": (place >= train) & (place < train + VALIDATION),
        "test_mask": np.isin(place, test),
        "ids": ids[papers].astype(np.int32),
        "classes": np.array(CLASSES["cora"]),
    }


def read_planetoid(wheels: Path) -> tuple[Table, Edges, int, Table]:
    """Return words, edges, number of training nodes and test nodes, in Planetoid's order."""
    wheel = next(wheels.glob("verbcl_graph4nlp_cpu-0.1.0-*.whl"))
    part: dict[str, Any] = {}
    for name in ("x", "tx", "allx", "graph", "test.index"):
        file, content = f"ind.cora.{name}", member(wheel, f"/ind.cora.{name}")
        if hashlib.sha256(content).hexdigest() != SHA256["cora"][file]:
            raise SystemExit(f"{file} in {wheel.name} is not Planetoid's.")
        part[name] = content if name == "test.index" else unpickle(content, file)
    test = np.array(part["test.index"].split(), dtype=np.int64)
    words = np.zeros((len(part["graph"]), part["allx"].shape[1]), dtype=np.uint8)
    words[: len(part["allx"])], words[test] = part["allx"], part["tx"]
    edges = undirected((one, other) for one, others in part["graph"].items() for other in others)
    return words, edges, len(part["x"]), test


def read_papers(wheels: Path) -> tuple[Table, Table, Table, list[tuple[int, int]]]:
    """Return ids, subject numbers, words and citations (by place), sorted by paper id."""
    from pyarrow.parquet import read_table

    wheel = next(wheels.glob("graphdatascience-2.2-*.whl"))
    nodes = read_table(BytesIO(member(wheel, "/cora_nodes.parquet.gzip"))).sort_by("nodeId").to_pydict()
    cites = read_table(BytesIO(member(wheel, "/cora_rels.parquet.gzip"))).to_pydict()
    place = {paper: number for number, paper in enumerate(nodes["nodeId"])}
    pairs = zip(cites["sourceNodeId"], cites["targetNodeId"], strict=True)
    citations = [(place[one], place[other]) for one, other in pairs]
    words = np.array(nodes["features"], dtype=np.uint8)
    return np.array(nodes["nodeId"]), np.array(nodes["subject"]), words, citations


def match(words: Table, graph: Edges, own_words: Table, citations: list[tuple[int, int]]) -> Table:
    """Return the paper of every Planetoid node: the one with its words and, among equals, its neighbourhood.

    Both graphs are coloured together by words and then, until nothing changes, by their neighbours' colours.
    Papers that still look alike are paired in ascending order of id; the caller compares the graphs.
    """
    count = len(words)
    shifted = {(one + count, other + count) for one, other in undirected(citations)}
    neighbours: list[list[int]] = [[] for _ in range(2 * count)]
    for one, other in graph | shifted:
        neighbours[one].append(other)
        neighbours[other].append(one)
    colours = numbered([row.tobytes() for row in np.vstack([words, own_words])])
    while True:
        around = [tuple(sorted(colours[other] for other in others)) for others in neighbours]
        finer = numbered(list(zip(colours, around, strict=True)))
        if max(finer) == max(colours):
            break
        colours = finer
    nodes, papers = np.array(colours[:count]), np.array(colours[count:])
    if sorted(nodes) != sorted(papers):
        raise SystemExit("Some Planetoid nodes have no paper with their words and neighbours.")
    matched = np.empty(count, dtype=np.int64)
    matched[np.argsort(nodes, kind="stable")] = np.argsort(papers, kind="stable")
    return matched


def numbered(keys: Sequence[Hashable]) -> list[int]:
    """Return equal numbers for equal keys, counted by first appearance."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def undirected(pairs: Any) -> Edges:
    """Return every edge once, smaller node first, without self-loops."""
    return {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}


def member(wheel: Path, ending: str) -> bytes:
    """Return the one file in a wheel whose name ends like that."""
    with ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(ending))
        return archive.read(name)


if __name__ == "__main__":
    main()
