"""The table of the nodes to check first, for the page and as CSV."""

from collections import Counter
from typing import Any

from highwaygraph.graph.bfs import UNREACHABLE
from highwaygraph.graph.csr import undirected_csr
from highwaygraph.graph.queries import hops_from
from highwaygraph.report.check_first import CheckedNode, CheckList
from highwaygraph.report.run_data import RunData
from highwaygraph.runs.predictions import Columns

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
        self.hops = hops_from(data, data.train_mask.nonzero().flatten())

    def document(self) -> dict[str, Any]:
        """Return the rows and the details of every node, for the script of the page."""
        return {
            "heads": HEADS,
            "rows": [self._row(one) for one in self.checked.nodes],
            "details": [self._details(one.node) for one in self.checked.nodes],
        }

    def columns(self) -> Columns:
        """Return the columns of the CSV file: those of the page, the neighbours and all attributes."""
        nodes = [one.node for one in self.checked.nodes]
        rows = [self._row(one) for one in self.checked.nodes]
        names = ("id", "reason", "given_label", "predicted", "confidence_percent", "others_predict", "hops")
        table: Columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        table["part"] = [self._part(node) for node in nodes]
        table["neighbours"] = ["; ".join(str(self.ids[other]) for other in self._neighbours(node)) for node in nodes]
        for name, values in (self.run.result.data.attributes or {}).items():
            # An attribute may have the name of one of these columns.
            table[f"attribute {name}" if name in table else name] = [values[node] for node in nodes]
        return table

    def _row(self, one: CheckedNode) -> list[Any]:
        hops = int(self.hops[one.node])
        given = self._class(int(self.run.result.data.y[one.node])) if bool(self.given[one.node]) else ""
        return [
            self.ids[one.node],
            one.reason,
            given,
            self._class(one.predicted),
            round(100 * one.confidence),
            self._others(one),
            "no path" if hops == UNREACHABLE else hops,
        ]

    def _others(self, one: CheckedNode) -> str:
        """Return the classes of the other candidates with their numbers, the most frequent first."""
        count = Counter(one.others.values())
        if set(count) == {one.predicted}:
            return f"the same ({len(one.others)})"
        return ", ".join(f"{self._class(label)} ({number})" for label, number in count.most_common())

    def _details(self, node: int) -> dict[str, Any]:
        neighbours = self._neighbours(node)
        listed = [[self.ids[other], self._class(self._shown(other)), bool(self.given[other])]
                  for other in neighbours[:MOST_NEIGHBOURS]]  # fmt: skip
        attributes = self.run.result.data.attributes or {}
        shown = {name: str(values[node])[:LONGEST_VALUE] for name, values in attributes.items()}
        return {"part": self._part(node), "neighbours": listed, "degree": len(neighbours), "attributes": shown}

    def _neighbours(self, node: int) -> list[int]:
        start, end = self.csr.rowptr[node : node + 2].tolist()
        return [int(other) for other in self.csr.col[start:end]]

    def _shown(self, node: int) -> int:
        """Return the given label of a node, or its predicted class."""
        return int(self.run.result.data.y[node] if self.given[node] else self.run.ours.predicted[node])

    def _part(self, node: int) -> str:
        data = self.run.result.data
        return "training" if data.train_mask[node] else "validation" if data.val_mask[node] else "unlabelled"

    def _class(self, label: int) -> str:
        return self.run.classes[label]
