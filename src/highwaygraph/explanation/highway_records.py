"""The records of highways at a node, and of its nearest label without and with them."""

from functools import cached_property

import torch
from torch import Tensor

from highwaygraph.explanation.highway_reasons import NodeHighways, node_highways
from highwaygraph.explanation.naming import Naming
from highwaygraph.explanation.nearest_label import LabelSearch
from highwaygraph.explanation.records import HighwayReason, NearestLabel
from highwaygraph.graph.csr import CSR, undirected_csr
from highwaygraph.graph.queries import undirected_adjacencies
from highwaygraph.nn.features import scale_features
from highwaygraph.runs.result import Result


class HighwayRecords:
    """Highways and nearest labels of any nodes of a run.

    Args:
        result: A finished run.
        naming: Its names.
    """

    def __init__(self, result: Result, naming: Naming) -> None:
        self._result, self._naming = result, naming
        self._searches: dict[tuple[bool, int | None], LabelSearch] = {}

    def highways(self, node: int) -> tuple[tuple[HighwayReason, ...], int]:
        """Return the highways at a node with the highest pair scores, and the number of all."""
        found = node_highways(self._result.highway_table, node, self._features)
        columns = found.shared.columns[found.shared.columns >= 0].unique()
        names = self._naming.features(columns, torch.cat([torch.tensor([node]), found.others]))
        reasons = (self._reason(found, place, node, names) for place in range(len(found.places)))
        return tuple(reasons), found.total

    def _reason(self, found: NodeHighways, place: int, node: int, names: dict[int, str]) -> HighwayReason:
        table, naming = self._result.highway_table, self._naming
        other, row = int(found.others[place]), int(found.places[place])
        return HighwayReason(
            id=naming.id(other),
            label=naming.training_label(other),
            predicted=naming.predicted(other),
            same_prediction=naming.predicted(other) == naming.predicted(node),
            round=int(table.round[row]),
            confidence=float(table.confidence[row]),
            pair_score=float(table.pair_score[row]),
            similarity=float(found.shared.similarity[place]),
            shared=tuple(
                naming.shared(column, names[column], (node, other))
                for column in found.shared.columns[place].tolist()
                if column >= 0
            ),
        )

    def _features(self, nodes: Tensor) -> Tensor:
        data = self._result.data
        return scale_features(data.x[nodes], self._result.config.fit, data.scaling).float()

    def nearest(self, node: int, predicted: int, *, with_highways: bool) -> NearestLabel:
        """Return the nearest label of a node.

        Args:
            node: The node.
            predicted: Its predicted class.
            with_highways: Whether paths may use highways.
        """
        hops, path = self._search(None, with_highways=with_highways).nearest(node)
        return NearestLabel(
            hops=hops,
            path=tuple(self._naming.id(one) for one in path),
            label=self._naming.training_label(path[-1]) if path else None,
            same_class_hops=self._search(predicted, with_highways=with_highways).hops(node),
        )

    def _search(self, label: int | None, *, with_highways: bool) -> LabelSearch:
        key = (with_highways and bool(self._result.highways.size(1)), label)
        if key not in self._searches:
            data = self._result.data
            chosen = data.train_mask if label is None else data.train_mask & (data.y == label)
            self._searches[key] = LabelSearch(self._adjacencies[int(key[0])], chosen.nonzero().flatten())
        return self._searches[key]

    @cached_property
    def _adjacencies(self) -> tuple[list[CSR], list[CSR]]:
        """The original graph, and the graph with highways."""
        data, highways = self._result.data, self._result.highways
        before = undirected_adjacencies(data)
        return before, [*before, undirected_csr(highways, data.num_nodes)] if highways.size(1) else before
