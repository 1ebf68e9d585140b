"""Predictions of a run for requests: nodes of its graph by id, and new nodes attached to it."""

from typing import Any

from highwaygraph.data.tables.edge_columns import WEIGHTS, listed
from highwaygraph.data.tables.encoders import Ignored
from highwaygraph.data.tables.read_log import ReadLog, quote_list
from highwaygraph.data.tables.schema import ColumnRoles
from highwaygraph.errors import RunError, printable
from highwaygraph.graph.hetero import refuse_several_types
from highwaygraph.runs.open import MissingModule
from highwaygraph.runs.other_graphs import keep_fitted, load_like
from highwaygraph.runs.predictions import Columns
from highwaygraph.runs.probabilities import probability_table
from highwaygraph.runs.result import Result
from highwaygraph.service.body import parse_json
from highwaygraph.service.refusal import RefusedError
from highwaygraph.service.requests import NewNodes, RunColumns, read_request

Answer = dict[str, Any]


class Predictor:
    """Answers requests with the rows that `highway predict` prints.

    Args:
        result: A run of a built-in network.
    """

    def __init__(self, result: Result) -> None:
        if isinstance(result.model, MissingModule):
            raise RunError(
                f"This run trained your own module {result.model.name}, whose code is not in its folder: serving it is "
                "not supported; use hg.open_run(path, model=...) in Python."
            )
        refuse_several_types(result.data, "Serving is", "write the predictions to a file with highway predict")
        keep_fitted(result)
        self.result = result
        self._table = probability_table(result)
        self._positions = {str(node): place for place, node in enumerate(self._table["id"])}
        self.columns = run_columns(result)

    def answer(self, body: bytes, max_nodes: int) -> Answer:
        """Return the answer to a request's body.

        Args:
            body: JSON with `ids`, or with `nodes` and `edges`.
            max_nodes: Most nodes.

        Returns:
            The predictions, and sentences on rows that were left out.
        """
        request = read_request(parse_json(body), self.columns, max_nodes)
        return self.attached(request) if isinstance(request, NewNodes) else self.known(request)

    def node(self, node: str) -> dict[str, Any]:
        """Return the row of one node of the run; refuse an unknown id.

        Args:
            node: Its id.

        Returns:
            Id, class, confidence, known label, hops, highways and the probability of every class.
        """
        place = self._positions.get(node)
        if place is None:
            raise RefusedError(404, f"There is no node {node[:80]!r} in this run: check its id.")
        return {name: values[place] for name, values in self._table.items()}

    def known(self, ids: list[str]) -> Answer:
        """Return the rows of nodes of the run; refuse unknown ids."""
        unknown = [node[:80] for node in ids if node not in self._positions]
        if unknown:
            raise RefusedError(422, f"There are no nodes {quote_list(unknown)} in this run: check their ids.")
        return {"predictions": [self.node(node) for node in ids], "findings": []}

    def attached(self, request: NewNodes) -> Answer:
        """Return the rows of new nodes, as `highway predict RUN DATA --attach` does for tables with these cells."""
        if self.result.data.encoders is None:
            raise RefusedError(
                422,
                'The graph of this run was not read from tables, so that new nodes are not supported: send {"ids": '
                "[...]}, or train on tables.",
            )
        if all(node in self._positions for node in request.nodes[self.columns.id]):
            raise RefusedError(
                422, 'All of these nodes are in the run already: send {"ids": [...]}, or nodes with other ids.'
            )
        graph = load_like(self.result, request.nodes, request.edges, attach=True)
        log = graph.read_log or ReadLog()
        log.find("columns that the run was trained without", request.unused, len(request.unused), "left out")
        log.find(
            "columns that no node of the request has", request.missing, len(request.missing), "read as empty cells"
        )
        rows = _rows(probability_table(self.result, graph))
        return {"predictions": rows, "findings": [printable(str(finding)) for finding in log.findings]}


def run_columns(result: Result) -> RunColumns:
    """Return the columns of the tables that a run was trained on."""
    roles = ColumnRoles(**result.data.column_roles or {})
    encoders = result.data.encoders or {}
    return RunColumns(
        id=roles.id or "id",
        features=tuple(name for name, encoder in encoders.items() if not isinstance(encoder, Ignored)),
        source=roles.source or "source",
        target=roles.target or "target",
        edge_values=tuple(name for name in (roles.edge_type, *listed(roles.edge_features)) if name),
        weights=tuple(name for name in (roles.weight, *WEIGHTS) if name),
    )


def _rows(table: Columns) -> list[dict[str, Any]]:
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
