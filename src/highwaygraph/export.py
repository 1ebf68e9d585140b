"""The improved graph as a product: for NetworkX, pandas and PyG, every highway with its round and both predictions."""

from pathlib import Path
from typing import Any, Literal

import torch
from numpy.typing import NDArray
from safetensors.torch import save_file

from highwaygraph.data.npz import write_npz
from highwaygraph.data.pack import pack
from highwaygraph.errors import FailedError
from highwaygraph.extras import need
from highwaygraph.highway import undirected
from highwaygraph.predictions import Columns, write
from highwaygraph.results import Result, table

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
                tensors = pack(result.graph) | {k: torch.from_numpy(v) for k, v in _roads(result).items()}
                save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, path)
                return [path]
    except OSError as error:
        raise FailedError(f"Cannot write {path}: {error.strerror}. Choose another place with --out.") from error


def node_table(result: Result) -> Columns:
    """Return every node with its label, if known, and its prediction."""
    found = table(result)
    found.pop("highways")
    labels = result.data.y.tolist()
    names = getattr(result.data, "classes", None) or [str(c) for c in range(result.logits.size(1))]
    return found | {"label": [names[c] if c >= 0 else "" for c in labels]}


def edge_table(result: Result) -> Columns:
    """Return every edge once; highways have a round, a confidence and a pair score."""
    ids = getattr(result.data, "ids", None) or list(range(result.data.num_nodes))
    old, roads = undirected(result.data.edge_index, result.data.num_nodes), result.roads
    ends = torch.cat([old, roads.edges], dim=1).tolist()
    empty = [None] * old.size(1)
    return {
        "source": [ids[i] for i in ends[0]],
        "target": [ids[i] for i in ends[1]],
        "round": [*empty, *roads.round.tolist()],
        "confidence": [*empty, *(round(v, 6) for v in roads.confidence.tolist())],
        "pair_score": [*empty, *(round(v, 6) for v in roads.pair_score.tolist())],
    }


def _tables(result: Result, kind: str, folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    parts = {"nodes": node_table(result), "edges": edge_table(result)}
    for name, columns in parts.items():
        write(columns, folder / f"{name}.{kind}")
    return [folder / f"{name}.{kind}" for name in parts]


def _graphml(result: Result, path: Path) -> list[Path]:
    networks = need("networkx", "GraphML", "tables")
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
    return {f"highway_{name}": part.numpy() for name, part in result.roads._asdict().items()}
