"""Export of the augmented graph for NetworkX, pandas and PyG, every highway with its round and both predictions."""

import re
from pathlib import Path
from typing import Any, Literal

import torch
from numpy.typing import NDArray
from safetensors import SafetensorError

from highwaygraph.data.formats import RUN_PREFIX
from highwaygraph.data.npz import write_npz
from highwaygraph.data.safetensors_io import write_tensors
from highwaygraph.data.tables.feature_names import feature_names
from highwaygraph.errors import ConfigError, FailedError
from highwaygraph.graph.augment import distinct_edges
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.multilabel import refuse_several_labels
from highwaygraph.nn.shared_features import SharedFeatures, shared_features
from highwaygraph.runs.edge_columns import edge_value_columns
from highwaygraph.runs.outputs import check_output
from highwaygraph.runs.predictions import Columns, class_names, fill
from highwaygraph.runs.probabilities import prediction_table
from highwaygraph.runs.result import Result
from highwaygraph.runtime.atomic import reason, staged_file, staged_files
from highwaygraph.runtime.environment import require_extra

Kind = Literal["graphml", "csv", "parquet", "npz", "pt-safe"]


# Characters that XML has no way to write, and the carriage return, which its readers replace.
NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
    instead = "highway predict RUN --out predictions.csv writes the labels and their probabilities"
    refuse_several_labels(result.data, "An export", instead)
    paths = [path / f"{name}.{kind}" for name in ("nodes", "edges")] if kind in ("csv", "parquet") else [path]
    for one in paths:
        check_output(one)
    try:
        match kind:
            case "csv" | "parquet":
                path.mkdir(parents=True, exist_ok=True)
                with staged_files(paths) as (nodes, edges):
                    fill(nodes, node_table(result))
                    fill(edges, edge_table(result))
            case "graphml":
                _graphml(result, path)
            case "npz":
                write_npz(result.graph, path, **_highway_arrays(result))
            case "pt-safe":
                tensors = {name: torch.from_numpy(array) for name, array in _highway_arrays(result).items()}
                write_tensors(result.graph, path, **tensors)
    except (OSError, SafetensorError) as error:
        raise FailedError(f"Cannot write {path}: {reason(error)}. Choose another place with --out.") from error
    return paths


def default_path(run: Path, kind: Kind) -> Path:
    """Return where the graph of a run is exported unless another place is given; no file of a run has that name."""
    return run / (f"export{ENDINGS[kind]}" if ENDINGS[kind] else f"export-{kind}")


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
    """Return every edge once; highways have a round, both predictions, and the features that their ends share."""
    data, highways = result.data, result.highway_table
    shared = shared_features(result.scaled(data).x, highways.edges)
    ids = data.ids or list(range(data.num_nodes))
    original, place = distinct_edges(data.edge_index, data.num_nodes, data.edge_type)
    ends = torch.cat([original, highways.edges], dim=1).tolist()
    missing = [None] * original.size(1)
    columns: Columns = {"source": [ids[i] for i in ends[0]], "target": [ids[i] for i in ends[1]]}
    columns |= edge_value_columns(data, place, len(highways.round))
    return columns | {
        RUN_PREFIX + "round": [*missing, *highways.round.tolist()],
        RUN_PREFIX + "confidence": [*missing, *(round(v, 6) for v in highways.confidence.tolist())],
        RUN_PREFIX + "pair_score": [*missing, *(round(v, 6) for v in highways.pair_score.tolist())],
        RUN_PREFIX + "similarity": [*missing, *(round(v, 6) for v in shared.similarity.tolist())],
        RUN_PREFIX + "shared": [*missing, *_names(shared, data)],
    }


def _names(shared: SharedFeatures, data: Graph) -> list[str]:
    names = feature_names(data.encoders, data.x.size(1))
    return ["; ".join(names[i] for i in row if i >= 0) for row in shared.columns.tolist()]


def _graphml(result: Result, path: Path) -> None:
    networkx = require_extra("networkx", "GraphML", "tables")
    graph, nodes, edges = networkx.Graph(), node_table(result), edge_table(result)
    for text in map(str, [*nodes["id"], *class_names(result.data, result.logits.size(1))]):
        if NOT_XML.search(text):
            raise ConfigError(f"GraphML cannot hold all characters of {text!r}: export with --to csv or --to parquet.")
    for node, *values in zip(*nodes.values(), strict=True):
        graph.add_node(node, **_without_missing(zip(list(nodes)[1:], values, strict=True)))
    for source, target, *values in zip(*edges.values(), strict=True):
        graph.add_edge(source, target, **_without_missing(zip(list(edges)[2:], values, strict=True)))
    with staged_file(path) as staged:
        networkx.write_graphml(graph, staged)


def _without_missing(pairs: Any) -> dict[str, Any]:
    # GraphML has no missing value: such attributes are left out.
    return {name: value for name, value in pairs if value is not None and value != ""}


def _highway_arrays(result: Result) -> dict[str, NDArray[Any]]:
    return {f"highway_{name}": part.numpy() for name, part in result.highway_table._asdict().items()}
