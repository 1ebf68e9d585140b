"""Why a node is predicted to be of its class: the public functions."""

from collections.abc import Iterable, Sequence
from typing import Any

from highwaygraph.errors import ConfigError
from highwaygraph.explanation.explainer import Explainer
from highwaygraph.explanation.lookup import node_numbers
from highwaygraph.explanation.records import Explanation
from highwaygraph.runs.result import Result, check_result


def explain(result: Result, node: int | str) -> Explanation:
    """Explain the prediction of one node of the training graph.

    Args:
        result: A finished run, from `train` or `open_run`.
        node: The user's id of the node, or its number from 0 where the graph has no ids.

    Returns:
        The parts of the answer; the nodes, labels and features that the network's margin rests on; the nodes that vote;
        the highways at the node, and its nearest label without and with them.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), seed=0)
        >>> config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 5})
        >>> result = hg.train(hg.models.build("gcn", data, hidden=8), data, config, progress=False)
        >>> found = hg.explain(result, data.ids[7])
        >>> found.exact, len(found.messages) > 0, len(found.labels)
        (True, True, 8)
    """
    check_result(result)
    return Explainer(result, node_numbers(result.data, [node])).explain(0)


def explain_nodes(result: Result, ids: Sequence[int | str]) -> list[dict[str, Any]]:
    """Explain the predictions of several nodes, as values for JSON.

    Args:
        result: A finished run.
        ids: The nodes, as for `explain`.

    Returns:
        An explanation per node, as `Explanation.as_dict` returns it; the baselines and voters of the run are fitted
        once for all nodes.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), seed=0)
        >>> config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 5})
        >>> result = hg.train(hg.models.build("gcn", data, hidden=8), data, config, progress=False)
        >>> [one["node"] for one in hg.explain_nodes(result, data.ids[7:9])]
        [7, 8]
    """
    check_result(result)
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise ConfigError(f"ids is a list of nodes: write explain_nodes(result, [{ids!r}]).")
    ids = list(ids)
    explainer = Explainer(result, node_numbers(result.data, ids))
    return [explainer.explain(place).as_dict() for place in range(len(ids))]
