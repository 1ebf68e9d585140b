"""The explanations of a run's page: the records of `highway explain` for some nodes, and the command for all others."""

import shlex
import time
from collections.abc import Iterator
from itertools import chain, zip_longest
from typing import Any

from highwaygraph.errors import DataError, ModelError
from highwaygraph.explanation.explainer import Explainer
from highwaygraph.report.check_first import CheckList
from highwaygraph.report.highway_scores import ChangedNodes
from highwaygraph.runs.result import Result

# Nodes that are explained (two pages of the table of nodes to check), rescued and lost ones of them, and the seconds
# of CPU time after which no further one is begun: a node of Cora takes 0.04 s with GCN, 0.3 s with APPNP.
MOST_EXPLAINED, MOST_CHANGED, MOST_SECONDS = 40, 5, 20.0


# Rows of each list that the page shows, and digits: whole records would be twice as large.
MOST_ROWS, DIGITS = 5, 4
LISTS = ("messages", "labels", "features", "voters", "highways")


# Nodes of a graph above which none is explained: baselines, voters and logits of all nodes are computed again.
LARGEST = 50_000


HELD_OUT = (
    "The saved model, which is explained here, was trained with the label of this node. The prediction above is that "
    "of a fold that held it out, and may be another one."
)
"""The difference between a training node's explanation and its prediction on the page, where folds are evaluated."""


def explained_nodes(start: int | None, changed: ChangedNodes, checked: CheckList) -> list[int]:
    """Return the nodes that the page explains.

    Args:
        start: The node that the viewer starts on.
        changed: The rescued and lost nodes.
        checked: The nodes to check first.

    Returns:
        At most MOST_EXPLAINED nodes: the first one, then the nodes to check first, some rescued and lost ones between.
    """
    doubtful = [one.node for one in checked.nodes]
    in_turn = chain.from_iterable(zip_longest(changed.rescued[:MOST_CHANGED], changed.lost[:MOST_CHANGED], doubtful))
    found = dict.fromkeys(node for node in chain([start], in_turn) if node is not None)
    return list(found)[:MOST_EXPLAINED]


def explanation_document(result: Result, nodes: list[int], source: str) -> dict[str, Any]:
    """Return the explanations for the script of the page.

    Args:
        result: The run, as it was opened.
        nodes: The nodes to explain.
        source: Folder of the run, as a user names it.

    Returns:
        The start of the command, a note on it where it cannot be used, a note on training nodes, and the records of
        `highway explain --json` with the rows that the page shows.
    """
    is_held_out = result.folds is not None and not bool(result.data.test_mask.any())
    found: dict[str, Any] = {"command": f"highway explain {shlex.quote(source)}", "note": None, "records": []}
    found["training_note"] = HELD_OUT if is_held_out else None
    try:
        found["records"] = list(_records(result, nodes if result.data.num_nodes <= LARGEST else []))
    except (DataError, ModelError) as error:
        found |= {"command": None, "note": str(error)}
    return found


def _records(result: Result, nodes: list[int]) -> Iterator[dict[str, Any]]:
    explainer = Explainer(result, nodes)
    end = time.process_time() + MOST_SECONDS
    for place in range(len(nodes)):
        if time.process_time() > end:
            return
        record = explainer.explain(place).as_dict()
        yield _rounded(record | {name: record[name][:MOST_ROWS] for name in LISTS})


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list | tuple) else value
