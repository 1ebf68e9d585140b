"""The improved graph as a product: for NetworkX, pandas and PyG, every highway with its round and both predictions."""

from pathlib import Path
from typing import Any, Literal

import torch
from numpy.typing import NDArray
from safetensors import SafetensorError

from highwaygraph.data.formats import RUN_PREFIX
from highwaygraph.data.npz import write_npz
from highwaygraph.data.safetensors_io import write_tensors
from highwaygraph.errors import FailedError
from highwaygraph.graph.augment import undirected_edges
from highwaygraph.runs.predictions import Columns, class_names, prediction_table, write
from highwaygraph.runs.result import Result
from highwaygraph.runtime.environment import require_extra

Kind = Literal["graphml", "csv", "parquet", "npz", "pt-safe"]


ENDINGS = {"graphml": ".graphml", "csv": "", "parquet": "", "npz": ".npz", "pt-safe": ".safetensors"}


def export(result: Result, kind: Kind, path: Path) -> list[Path]:
    """Write the graph with its highways; tables go into a folder, the others into one file."""
    try:
        match kind:
            case "csv" | "parquet":
                return _tables(result, kind, path)
            case "graphml":
                return _graphml(result, path)
            case "npz":
                return [write_npz(result.graph, path, **_roads(result))]
            case "pt-safe":
                tensors = {name: torch.from_numpy(array) for name, array in _roads(result).items()}
                return [write_tensors(result.graph, path, **tensors)]
    except (OSError, SafetensorError) as error:
        what = getattr(error, "strerror", None) or error
        raise FailedError(f"Cannot write {path}: {what}. Choose another place with --out.") from error


def node_table(result: Result) -> Columns:
    """Return every node with its label and part of the split, and what the run says of it."""
    found, data = prediction_table(result), result.data
    names = class_names(data, result.logits.size(1))
    parts = [""] * data.num_nodes
    for part in ("train", "val", "test"):
        for node in data[f"{part}_mask"].nonzero().flatten().tolist():
            parts[node] = part
    own = {"id": found["id"], "label": [names[c] if c >= 0 else "" for c in data.y.tolist()], "split": parts}
    return own | {RUN_PREFIX + name: found[name] for name in ("class", "confidence", "hops")}


def edge_table(result: Result) -> Columns:
    """Return every edge once; highways have a round, a confidence and a pair score."""
    data, roads = result.data, result.highway_table
    ids = data.ids or list(range(data.num_nodes))
    old = undirected_edges(data.edge_index, data.num_nodes)
    ends = torch.cat([old, roads.edges], dim=1).tolist()
    empty = [None] * old.size(1)
    found: Columns = {"source": [ids[i] for i in ends[0]], "target": [ids[i] for i in ends[1]]}
    if data.edge_weight is not None:
        known = dict(zip(zip(*data.edge_index.tolist(), strict=True), data.edge_weight.tolist(), strict=True))
        weights = [known.get((a, b), known.get((b, a))) for a, b in zip(*old.tolist(), strict=True)]
        found["weight"] = [*weights, *([1.0] * len(roads.round))]
    return found | {
        RUN_PREFIX + "round": [*empty, *roads.round.tolist()],
        RUN_PREFIX + "confidence": [*empty, *(round(v, 6) for v in roads.confidence.tolist())],
        RUN_PREFIX + "pair_score": [*empty, *(round(v, 6) for v in roads.pair_score.tolist())],
    }


def _tables(result: Result, kind: str, folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    parts = {"nodes": node_table(result), "edges": edge_table(result)}
    for name, columns in parts.items():
        write(columns, folder / f"{name}.{kind}")
    return [folder / f"{name}.{kind}" for name in parts]


def _graphml(result: Result, path: Path) -> list[Path]:
    networks = require_extra("networkx", "GraphML", "tables")
    graph, nodes, edges = networks.Graph(), node_table(result), edge_table(result)
    for node, *values in zip(*nodes.values(), strict=True):
        graph.add_node(node, **_known(zip(list(nodes)[1:], values, strict=True)))
    for one, other, *values in zip(*edges.values(), strict=True):
        graph.add_edge(one, other, **_known(zip(list(edges)[2:], values, strict=True)))
    networks.write_graphml(graph, path)
    return [path]


def _known(pairs: Any) -> dict[str, Any]:
    # GraphML has no empty value: what is not known is left out.
    return {name: value for name, value in pairs if value is not None and value != ""}


def _roads(result: Result) -> dict[str, NDArray[Any]]:
    return {f"highway_{name}": part.numpy() for name, part in result.highway_table._asdict().items()}
