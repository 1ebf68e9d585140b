"""The table of the nodes to check first, for the page and as CSV."""

from collections import Counter
from typing import Any

from highwaygraph.errors import shortened
from highwaygraph.graph.bfs import UNREACHABLE, hops_from
from highwaygraph.graph.csr import undirected_csr
from highwaygraph.report.check_first import CheckedNode, CheckList
from highwaygraph.report.run_data import RunData
from highwaygraph.runs.predictions import DIGITS, Columns, class_names
from highwaygraph.runs.probabilities import split_parts

# Neighbours listed per node, and characters of an attribute on the page.
MOST_NEIGHBOURS, LONGEST_VALUE = 12, 600


HEADS = ("Node", "Why", "Given label", "Predicted", "Confidence %", "Others predict", "Hops to a label")


class CheckTable:
    """The nodes to check with their neighbours and attributes.

    Args:
        run: The run.
        checked: The nodes.
    """

    def __init__(self, run: RunData, checked: CheckList) -> None:
        self.run, self.checked = run, checked
        data = run.result.data
        self.ids = list(data.ids or range(data.num_nodes))
        self.given = data.train_mask | data.val_mask
        self.csr = undirected_csr(data.edge_index, data.num_nodes)
        self.hops = run.label_hops.tolist() if run.result.folds is not None else self._other_hops()
        self.parts = split_parts(data)

    def document(self) -> dict[str, Any]:
        """Return the rows and the details of every node, for the script of the page."""
        return {
            "heads": HEADS,
            "rows": [self._row(one) for one in self.checked.nodes],
            "details": [self._details(one.node) for one in self.checked.nodes],
        }

    def columns(self) -> Columns:
        """Return the columns of the CSV file: those of `highway predict`, the neighbours and all attributes."""
        listed, nodes = self.checked.nodes, [one.node for one in self.checked.nodes]
        names = class_names(self.run.result.data, len(self.run.classes))
        table: Columns = {
            "id": [self.ids[node] for node in nodes],
            "reason": [one.reason for one in listed],
            "label": [self._given(node, names) for node in nodes],
            "class": [names[one.predicted] for one in listed],
            "confidence": [round(one.confidence, DIGITS) for one in listed],
            "others_predict": [_others(one, names) for one in listed],
            "part": [self.parts[node] for node in nodes],
            "hops": [None if self.hops[node] == UNREACHABLE else self.hops[node] for node in nodes],
        }
        table["neighbours"] = ["; ".join(str(self.ids[other]) for other in self._neighbours(node)) for node in nodes]
        for name, values in (self.run.result.data.attributes or {}).items():
            # An attribute may have the name of one of these columns.
            table[f"attribute {name}" if name in table else name] = [values[node] for node in nodes]
        return table

    def _other_hops(self) -> list[int]:
        """Return the hops to the nearest label; for a listed label, to the nearest other one, as it was predicted."""
        hops, trained = self.run.label_hops.tolist(), self.run.result.data.train_mask
        for node in (one.node for one in self.checked.nodes if one.reason == "given label" and trained[one.node]):
            others = trained.clone()
            others[node] = False
            hops[node] = int(hops_from([self.csr], others.nonzero().flatten())[node])
        return hops

    def _row(self, one: CheckedNode) -> list[Any]:
        hops, classes = self.hops[one.node], self.run.classes
        return [
            self.ids[one.node],
            one.reason,
            self._given(one.node, classes),
            classes[one.predicted],
            round(100 * one.confidence),
            _others(one, classes),
            "no path" if hops == UNREACHABLE else hops,
        ]

    def _given(self, node: int, names: list[str]) -> str:
        """Return the name of the given label, empty for a test node too, whose label takes no part."""
        return names[int(self.run.result.data.y[node])] if bool(self.given[node]) else ""

    def _details(self, node: int) -> dict[str, Any]:
        neighbours = self._neighbours(node)
        listed = [[self.ids[other], self.run.classes[self._shown(other)], bool(self.given[other])]
                  for other in neighbours[:MOST_NEIGHBOURS]]  # fmt: skip
        attributes = self.run.result.data.attributes or {}
        shown = {name: shortened(str(values[node]), LONGEST_VALUE) for name, values in attributes.items()}
        return {"part": self.parts[node], "neighbours": listed, "degree": len(neighbours), "attributes": shown}

    def _neighbours(self, node: int) -> list[int]:
        start, end = self.csr.rowptr[node : node + 2].tolist()
        return [int(other) for other in self.csr.col[start:end]]

    def _shown(self, node: int) -> int:
        """Return the given label of a node, or its predicted class."""
        return int(self.run.result.data.y[node] if self.given[node] else self.run.ours.predicted[node])


def _others(one: CheckedNode, names: list[str]) -> str:
    """Return the classes of the other candidates with their numbers, the most frequent first."""
    count = Counter(one.others.values())
    if set(count) == {one.predicted}:
        return f"the same ({len(one.others)})"
    return ", ".join(f"{names[label]} ({number})" for label, number in count.most_common())
