"""The inspection of a graph: its properties in words and as numbers, and advice, for printing and for JSON."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from highwaygraph.data.tables.read_log import Column, Finding, ReadLog
from highwaygraph.graph.augment import undirected_edges
from highwaygraph.graph.bfs import UNREACHABLE
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.hetero import num_all_nodes, whole_edge_index
from highwaygraph.graph.multilabel import class_counts, labelled_mask
from highwaygraph.graph.queries import Homophily, degrees, homophily_measures, hops_from, is_directed
from highwaygraph.nn.modules import num_classes
from highwaygraph.report.run_estimate import estimate_default_run
from highwaygraph.runs.history import to_record
from highwaygraph.runs.predictions import class_names

# Below this adjusted homophily, edges hold little information on the classes beyond their sizes.
LOW_HOMOPHILY = 0.3


# The receptive field of two layers, and the share of nodes beyond it that is worth treating.
NEAR, FEW = 2, 0.1


SAMPLED_ROWS = 10_000


SEVERAL_LABELS = (
    "Several labels per node: pairs and consistency regularisation carry over, highways do not; compare with typical "
    "training on validation."
)


@dataclass(frozen=True)
class Inspection:
    """Properties of a graph, in words and as numbers."""

    title: str
    properties: dict[str, str]
    hops_title: str
    hops: dict[str, int]
    numbers: dict[str, Any]
    columns: list[Column]
    edge_columns: list[Column]
    findings: list[Finding]
    advice: str


def inspect(data: Graph) -> Inspection:
    """Return size, classes, homophily and split of a graph, the hops of its nodes to labels, and the cost of a run.

    Args:
        data: Any graph; labels and split may be missing.

    Returns:
        The inspection.
    """
    numbers = _numbers(data)
    properties = {
        "nodes": f"{numbers['nodes']:,}",
        "edges": _edges_text(numbers),
        "features": f"{numbers['features']:,}, {100 * numbers['feature_density']:.1f} % non-zero",
        "labels, several per node" if data.is_multilabel else "classes": _counts_text(numbers["classes"]),
        "unlabelled": f"{numbers['unlabelled']:,}",
        "isolated nodes": f"{numbers['isolated']:,}",
        "homophily": _homophily_text(numbers),
        "split": _split_text(numbers),
    } | _parts_text(numbers)
    title = f"Hops to the nearest of {numbers['split'].get('train', 0):,} training labels"
    log, suggestion = data.read_log or ReadLog(), advice(numbers)
    numbers |= {"columns": [asdict(c) for c in log.columns], "edge_columns": [asdict(c) for c in log.edge_columns]}
    numbers |= {"findings": [str(f) for f in log.findings]}
    estimate = estimate_default_run(data)
    numbers |= {"estimate": None if estimate is None else estimate.as_dict()}
    if estimate is not None:
        properties["default run"] = estimate.text
    return Inspection(
        title=data.title,
        properties=properties,
        hops_title=title,
        hops=numbers["hops"],
        numbers=numbers | {"advice": suggestion},
        columns=log.columns,
        edge_columns=log.edge_columns,
        findings=log.findings,
        advice=suggestion,
    )


def advice(numbers: dict[str, Any]) -> str:
    """Return one sentence on whether HighwayGraph is likely to help on a graph with these numbers."""
    hops = numbers["hops"]
    if not any(numbers["classes"].values()):
        return "No node has a label: name the column that holds them with --label."
    if numbers.get("several_labels"):
        return SEVERAL_LABELS
    if warning := _homophily_warning(numbers["homophily"], numbers["adjusted_homophily"]):
        return warning
    if not hops:
        return "Edges join nodes of one class far more often than at random; with a split, inspect also shows the hops."
    remote = sum(count for hop, count in hops.items() if hop == "unreachable" or int(hop) > NEAR) / sum(hops.values())
    if remote < FEW:
        return f"Nearly all nodes are within {NEAR} hops of a label: there is little for HighwayGraph to gain."
    return (
        f"{100 * remote:.0f} % of the nodes are more than {NEAR} hops from every label or unreachable, and edges "
        "join nodes of one class far more often than at random: HighwayGraph is likely to help."
    )


def _homophily_warning(share: float | None, adjusted: float | None) -> str | None:
    """Return a sentence where the edges hold little information on the classes, or where that is not known."""
    if share is None:
        return "No edge joins two labelled nodes, so the homophily is not known: compare on validation."
    if adjusted is None:
        return "All edges between labelled nodes are within one class: label nodes of other classes, too."
    if adjusted >= LOW_HOMOPHILY:
        return None
    at_random = (share - adjusted) / (1 - adjusted)
    return (
        f"{100 * share:.0f} % of the edges join nodes of one class; of edges at random, {100 * at_random:.0f} % would: "
        "HighwayGraph is unlikely to help here."
    )


def _numbers(data: Graph) -> dict[str, Any]:
    edges, loops, directed, neighbours = _edge_numbers(data)
    # The first rows of a mapped table are a sufficient sample.
    x = data.x[:SAMPLED_ROWS] if data.csr is not None else data.x
    names, count = class_names(data, num_classes(data)), class_counts(data.y)
    split, splits = _split_sizes(data)
    # With several labels per node, homophily is not defined as a share of edges within classes.
    measures = Homophily(math.nan, math.nan) if data.is_multilabel else homophily_measures(data)
    return {
        "nodes": data.num_nodes,
        "edges": edges,
        "edges_per_node": float(neighbours.double().mean()),
        "features": data.x.size(1),
        "feature_density": float(x.count_nonzero()) / max(x.numel(), 1),
        "self_loops": loops,
        "directed": directed,
        "classes": {name: count.get(number, 0) for number, name in enumerate(names)},
        "several_labels": data.is_multilabel,
        "unlabelled": int((~labelled_mask(data.y)).sum()),
        "isolated": int((neighbours == 0).sum()),
        "split": split,
        "splits": splits,
        "hops": _histogram(data) if splits == 1 and "train" in split else {},
        **_part_numbers(data),
    } | to_record({"homophily": measures.edge, "adjusted_homophily": measures.adjusted})


def _part_numbers(data: Graph) -> dict[str, Any]:
    """Return the number of graphs, of nodes by type and of edges by relation, where there are several."""
    found: dict[str, Any] = {} if data.graph_id is None else {"graphs": len(data.graph_id.unique())}
    if data.hetero is None or data.edge_type is None:
        return found
    types = {data.hetero.target: data.num_nodes} | {name: len(x) for name, x in data.hetero.x.items()}
    within = torch.bincount(data.edge_type, minlength=len(data.hetero.own)).tolist()
    edges = dict(zip(data.hetero.own[:-1], within[:-1], strict=True))
    edges |= {relation: index.size(1) for relation, index in data.hetero.edges.items()}
    relations = {" ".join(relation): count for relation, count in edges.items()}
    return found | {"target": data.hetero.target, "node_types": types, "relations": relations}


def _parts_text(numbers: dict[str, Any]) -> dict[str, str]:
    """Return the same in words."""
    texts = {"graphs": f"{numbers['graphs']:,}"} if "graphs" in numbers else {}
    if "target" not in numbers:
        return texts
    listed = {key: ", ".join(f"{k} {v:,}" for k, v in numbers[key].items()) for key in ("node_types", "relations")}
    nodes = f"{listed['node_types']}; those of type {numbers['target']} are classified"
    return texts | {"node types": nodes, "relations": listed["relations"]}


def _edge_numbers(data: Graph) -> tuple[int, int, bool, Tensor]:
    """Return the number of undirected edges, that of self-loops, whether the graph is directed, and the degrees."""
    if not data.has_edge_index:
        neighbours = degrees(data)
        return int(neighbours.sum()) // 2, 0, False, neighbours
    if data.hetero is not None:
        return undirected_edges(whole_edge_index(data), num_all_nodes(data)).size(1), 0, False, degrees(data)
    loops = data.edge_index[0] == data.edge_index[1]
    edges = undirected_edges(data.edge_index, data.num_nodes)
    neighbours = torch.bincount(edges.flatten(), minlength=data.num_nodes)
    return edges.size(1), int(loops.sum()), is_directed(data), neighbours


def _split_sizes(data: Graph) -> tuple[dict[str, int], int]:
    """Return the sizes of the split, or of the first of several, and the number of splits."""
    masks = {name: data[f"{name}_mask"] for name in ("train", "val", "test") if f"{name}_mask" in data}
    wide = [mask.size(1) for mask in masks.values() if mask.dim() == 2]
    first = {name: mask[:, 0] if mask.dim() == 2 else mask for name, mask in masks.items()}
    return {name: int(mask.sum()) for name, mask in first.items()}, max(wide, default=1)


def _counts_text(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


def _edges_text(numbers: dict[str, Any]) -> str:
    text = f"{numbers['edges']:,} undirected, {numbers['edges_per_node']:.1f} neighbours per node"
    text += f", {numbers['self_loops']:,} self-loops" if numbers["self_loops"] else ""
    return text + (", some stored in one direction only, kept so" if numbers["directed"] else "")


def _split_text(numbers: dict[str, Any]) -> str:
    sizes = " / ".join(f"{count:,} {name}" for name, count in numbers["split"].items()) or "none"
    return sizes if numbers["splits"] == 1 else f"{numbers['splits']} splits, the first with {sizes}"


def _homophily_text(numbers: dict[str, Any]) -> str:
    share, adjusted = numbers["homophily"], numbers["adjusted_homophily"]
    if numbers["several_labels"]:
        return "not computed for several labels per node"
    if share is None:
        return "unknown: no edge joins two labelled nodes"
    size = "all of the same class" if adjusted is None else f"{adjusted:.2f} adjusted for class sizes"
    return f"{share:.2f} of the edges join nodes of one class, {size}"


def _histogram(data: Graph) -> dict[str, int]:
    hops = hops_from(data, data.train_mask.nonzero().flatten())
    counts = {str(h): int((hops == h).sum()) for h in range(int(hops.max()) + 1)}
    return counts | {"unreachable": int((hops == UNREACHABLE).sum())}
