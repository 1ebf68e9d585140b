"""The command that explains predictions."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from highwaygraph.cli.app import Json, app
from highwaygraph.cli.output import print_result
from highwaygraph.errors import ConfigError
from highwaygraph.runtime.progress import spinner

if TYPE_CHECKING:
    from highwaygraph.explanation.records import Explanation


@app.command
def explain(run: Path, /, *ids: str, json: Json = False) -> None:
    """Explain predictions: the nodes, labels, features, votes and highways that they rest on.

    Example: highway explain runs/mine paper17 paper42

    Parameters
    ----------
    run
        Folder of a run.
    ids
        Ids of nodes of the training graph; numbers from 0 where it has no ids.
    """
    if not ids:
        raise ConfigError(f"There is no node to explain: name at least one id, as in highway explain {run} 17.")
    with spinner(f"Explaining {len(ids)} {'prediction' if len(ids) == 1 else 'predictions'}"):
        found = _explain(run, ids)
    if json:
        return print_result(_to_json(run, found))
    _print_explanations(found)


def _explain(run: Path, ids: tuple[str, ...]) -> "list[Explanation]":
    from highwaygraph.explanation.explainer import Explainer
    from highwaygraph.explanation.lookup import node_numbers
    from highwaygraph.runs.folder import require_run
    from highwaygraph.runs.open import open_run

    require_run(run)
    result = open_run(run)
    explainer = Explainer(result, node_numbers(result.data, ids))
    return [explainer.explain(place) for place in range(len(ids))]


def _to_json(run: Path, found: "list[Explanation]") -> dict[str, Any]:
    return {"run": str(run), "explanations": [one.as_dict() for one in found]}


def _print_explanations(found: "list[Explanation]") -> None:
    from highwaygraph.cli.explanation_table import explanation_text

    for place, one in enumerate(found):
        print_result(explanation_text(one, first=place == 0))
