"""What is worth telling about a graph or a finished run, as plain values that print and serialise alike."""

from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from highwaygraph.data.tables.read_log import Column, Finding, ReadLog
from highwaygraph.graph.augment import undirected_edges
from highwaygraph.graph.bfs import UNREACHABLE
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import degrees, homophily, hops_from, is_directed
from highwaygraph.runs.history import Round, to_record
from highwaygraph.runs.result import Result
from highwaygraph.training.metrics import HopAccuracy, accuracy_by_distance, macro_f1

# Below this share of edges within a class, neighbours mislead more than they tell.
MIXED = 0.5


# A network of two layers sees so far.
NEAR, FEW = 2, 0.1


SOME = 10_000


@dataclass(frozen=True)
class Comparison:
    """A run's accuracy by distance from the labels, beside typical training if that ran too."""

    result: Result
    hops: list[HopAccuracy]
    typical_hops: list[HopAccuracy] | None

    @property
    def f1(self) -> float:
        """The run's macro-F1 on the test nodes."""
        return _f1(self.result.data, self.result.logits)

    @property
    def typical_f1(self) -> float | None:
        """That of typical training, where it ran."""
        return _f1(self.result.data, self.result.baseline.logits) if self.result.baseline else None

    def as_dict(self) -> dict[str, Any]:
        """Return the facts fit for JSON."""
        result, typical = self.result, self.result.baseline
        facts = {
            "stopped": result.stopped,
            "kept": result.best_round,
            "highways": result.highways.size(1),
            "rounds": [to_record(asdict(r)) for r in result.rounds],
        }
        beside = None
        if typical and self.typical_hops:
            beside = _scores(result.data, typical.logits, typical.round, self.typical_hops)
            beside["rounds"] = [to_record(asdict(typical.round))]
        return _scores(result.data, result.logits, result.best, self.hops) | facts | {"typical": beside}


@dataclass(frozen=True)
class Inspection:
    """What is in a graph."""

    title: str
    facts: dict[str, str]
    hops_title: str
    hops: dict[str, int]
    numbers: dict[str, Any]
    columns: list[Column]
    findings: list[Finding]
    advice: str


def compare(result: Result) -> Comparison:
    """Return the test accuracy by hops on the original graph, of the run and of typical training beside it."""
    beside = accuracy_by_distance(result.data, result.baseline.logits) if result.baseline else None
    return Comparison(result, accuracy_by_distance(result.data, result.logits), beside)


def inspect(data: Graph) -> Inspection:
    """Return nodes, edges, features, classes, homophily and how far nodes are from the training labels."""
    numbers = _numbers(data)
    facts = {
        "nodes": f"{numbers['nodes']:,}",
        "edges": _edge_words(numbers),
        "features": f"{numbers['features']:,}, {100 * numbers['feature_density']:.1f} % not zero",
        "classes": ", ".join(f"{name} {count:,}" for name, count in numbers["classes"].items()),
        "unlabelled": f"{numbers['unlabelled']:,}",
        "isolated nodes": f"{numbers['isolated']:,}",
        "homophily": _homophily_words(numbers["homophily"]),
        "split": _split_words(numbers),
    }
    title = f"Hops to the nearest of {numbers['split'].get('train', 0):,} training labels"
    reading, said = data.read_log or ReadLog(), advice(numbers)
    numbers |= {"columns": [asdict(c) for c in reading.columns], "findings": [str(f) for f in reading.findings]}
    return Inspection(
        title=data.title,
        facts=facts,
        hops_title=title,
        hops=numbers["hops"],
        numbers=numbers | {"advice": said},
        columns=reading.columns,
        findings=reading.findings,
        advice=said,
    )


def advice(numbers: dict[str, Any]) -> str:
    """Return in a sentence whether HighwayGraph is likely to help on such a graph."""
    share, hops = numbers["homophily"], numbers["hops"]
    if not any(numbers["classes"].values()):
        return "No node has a label: name the column that holds them with --label."
    if share is None:
        return "No edge joins two labelled nodes, so whether neighbours are alike is not known: compare on validation."
    if share < MIXED:
        return f"Only {100 * share:.0f} % of the edges join one class: HighwayGraph is unlikely to help here."
    if not hops:
        return "Neighbours are mostly alike; with a split, inspect tells how far nodes are from labels."
    remote = sum(count for hop, count in hops.items() if hop == "unreachable" or int(hop) > NEAR) / sum(hops.values())
    if remote < FEW:
        return f"Nearly all nodes are within {NEAR} hops of a label: there is little for HighwayGraph to gain."
    return (
        f"{100 * remote:.0f} % of the nodes are more than {NEAR} hops from every label or unreachable, and neighbours "
        "are mostly alike: this is where HighwayGraph helps."
    )


def _numbers(data: Graph) -> dict[str, Any]:
    once, loops, directed, neighbours = _edge_numbers(data)
    # Of a mapped table, the first rows tell enough.
    x = data.x[:SOME] if data.csr is not None else data.x
    names = data.classes or [str(c) for c in range(int(data.y.max()) + 1)]
    count = torch.bincount(data.y[data.y >= 0], minlength=len(names))
    split, splits = _split_sizes(data)
    return {
        "nodes": data.num_nodes,
        "edges": once,
        "edges_per_node": float(neighbours.double().mean()),
        "features": data.x.size(1),
        "feature_density": float(x.count_nonzero()) / max(x.numel(), 1),
        "self_loops": loops,
        "directed": directed,
        "classes": dict(zip(names, count.tolist(), strict=True)),
        "unlabelled": int((data.y < 0).sum()),
        "isolated": int((neighbours == 0).sum()),
        "split": split,
        "splits": splits,
        "hops": _histogram(data) if splits == 1 and "train" in split else {},
    } | to_record({"homophily": homophily(data)})


def _edge_numbers(data: Graph) -> tuple[int, int, bool, Tensor]:
    """Return the undirected edges, the loops, whether some edge lacks its reverse, and every node's neighbours."""
    if not data.has_edge_index:
        neighbours = degrees(data)
        return int(neighbours.sum()) // 2, 0, False, neighbours
    loops = data.edge_index[0] == data.edge_index[1]
    once = undirected_edges(data.edge_index, data.num_nodes)
    neighbours = torch.bincount(once.flatten(), minlength=data.num_nodes)
    return once.size(1), int(loops.sum()), is_directed(data), neighbours


def _split_sizes(data: Graph) -> tuple[dict[str, int], int]:
    """Return the sizes of the split, or of the first of several, and how many there are."""
    masks = {name: data[f"{name}_mask"] for name in ("train", "val", "test") if f"{name}_mask" in data}
    wide = [mask.size(1) for mask in masks.values() if mask.dim() == 2]
    first = {name: mask[:, 0] if mask.dim() == 2 else mask for name, mask in masks.items()}
    return {name: int(mask.sum()) for name, mask in first.items()}, max(wide, default=1)


def _edge_words(numbers: dict[str, Any]) -> str:
    words = f"{numbers['edges']:,} undirected, {numbers['edges_per_node']:.1f} neighbours a node"
    words += f", {numbers['self_loops']:,} self-loops" if numbers["self_loops"] else ""
    return words + (", some stored in one direction only" if numbers["directed"] else "")


def _split_words(numbers: dict[str, Any]) -> str:
    sizes = " / ".join(f"{count:,} {name}" for name, count in numbers["split"].items()) or "none"
    return sizes if numbers["splits"] == 1 else f"{numbers['splits']} splits, the first with {sizes}"


def _homophily_words(share: float | None) -> str:
    return "unknown: no edge joins two labelled nodes" if share is None else f"{share:.2f} of the edges join one class"


def _histogram(data: Graph) -> dict[str, int]:
    hops = hops_from(data, data.train_mask.nonzero().flatten())
    counts = {str(h): int((hops == h).sum()) for h in range(int(hops.max()) + 1)}
    return counts | {"unreachable": int((hops == UNREACHABLE).sum())}


def _f1(data: Graph, logits: Tensor) -> float:
    return macro_f1(logits.argmax(dim=1), data.y, data.test_mask)


def _scores(data: Graph, logits: Tensor, answer: Round, hops: list[HopAccuracy]) -> dict[str, Any]:
    scores = to_record({"val": answer.val, "test": answer.test, "test_macro_f1": _f1(data, logits)})
    return scores | {"hops": [to_record(h._asdict()) for h in hops]}
