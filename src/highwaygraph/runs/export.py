"""Export of the augmented graph for NetworkX, pandas and PyG, every highway with its round and both predictions."""

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
    """Write the graph with its highways.

    Args:
        result: The result of a training.
        kind: The format.
        path: A folder for the tables (csv, parquet), a file for the others.

    Returns:
        The files written.
    """
    try:
        match kind:
            case "csv" | "parquet":
                return _tables(result, kind, path)
            case "graphml":
                return _graphml(result, path)
            case "npz":
                return [write_npz(result.graph, path, **_highway_arrays(result))]
            case "pt-safe":
                tensors = {name: torch.from_numpy(array) for name, array in _highway_arrays(result).items()}
                return [write_tensors(result.graph, path, **tensors)]
    except (OSError, SafetensorError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FailedError(f"Cannot write {path}: {reason}. Choose another place with --out.") from error


def node_table(result: Result) -> Columns:
    """Return every node with its label, its part of the split and its prediction."""
    predictions, data = prediction_table(result), result.data
    names = class_names(data, result.logits.size(1))
    parts = [""] * data.num_nodes
    for part in ("train", "val", "test"):
        for node in data[f"{part}_mask"].nonzero().flatten().tolist():
            parts[node] = part
    columns = {"id": predictions["id"], "label": [names[c] if c >= 0 else "" for c in data.y.tolist()], "split": parts}
    return columns | {RUN_PREFIX + name: predictions[name] for name in ("class", "confidence", "hops")}


def edge_table(result: Result) -> Columns:
    """Return every edge once; highways have a round, a confidence and a pair score."""
    data, highways = result.data, result.highway_table
    ids = data.ids or list(range(data.num_nodes))
    original = undirected_edges(data.edge_index, data.num_nodes)
    ends = torch.cat([original, highways.edges], dim=1).tolist()
    missing = [None] * original.size(1)
    columns: Columns = {"source": [ids[i] for i in ends[0]], "target": [ids[i] for i in ends[1]]}
    if data.edge_weight is not None:
        by_edge = dict(zip(zip(*data.edge_index.tolist(), strict=True), data.edge_weight.tolist(), strict=True))
        weights = [by_edge.get((a, b), by_edge.get((b, a))) for a, b in zip(*original.tolist(), strict=True)]
        columns["weight"] = [*weights, *([1.0] * len(highways.round))]
    return columns | {
        RUN_PREFIX + "round": [*missing, *highways.round.tolist()],
        RUN_PREFIX + "confidence": [*missing, *(round(v, 6) for v in highways.confidence.tolist())],
        RUN_PREFIX + "pair_score": [*missing, *(round(v, 6) for v in highways.pair_score.tolist())],
    }


def _tables(result: Result, kind: str, folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    parts = {"nodes": node_table(result), "edges": edge_table(result)}
    for name, columns in parts.items():
        write(columns, folder / f"{name}.{kind}")
    return [folder / f"{name}.{kind}" for name in parts]


def _graphml(result: Result, path: Path) -> list[Path]:
    networkx = require_extra("networkx", "GraphML", "tables")
    graph, nodes, edges = networkx.Graph(), node_table(result), edge_table(result)
    for node, *values in zip(*nodes.values(), strict=True):
        graph.add_node(node, **_without_missing(zip(list(nodes)[1:], values, strict=True)))
    for source, target, *values in zip(*edges.values(), strict=True):
        graph.add_edge(source, target, **_without_missing(zip(list(edges)[2:], values, strict=True)))
    networkx.write_graphml(graph, path)
    return [path]


def _without_missing(pairs: Any) -> dict[str, Any]:
    # GraphML has no missing value: such attributes are left out.
    return {name: value for name, value in pairs if value is not None and value != ""}


def _highway_arrays(result: Result) -> dict[str, NDArray[Any]]:
    return {f"highway_{name}": part.numpy() for name, part in result.highway_table._asdict().items()}
