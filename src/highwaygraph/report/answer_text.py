"""Sentences on a run's answer: what was chosen and why, and whether the graph and a GNN are needed."""

import math

from highwaygraph.nn.baselines.fit import BASELINES as ONE_CLASS
from highwaygraph.nn.baselines.fit import LABEL_BASELINES
from highwaygraph.runs.history import COMBINATION, ROUND, TYPICAL, VOTES, Candidate
from highwaygraph.runs.result import Result

# Baselines that use no edge.
WITHOUT_GRAPH = ("largest class", "label frequency", "features alone")


# Of one class or of several labels per node.
BASELINES = (*ONE_CLASS, *LABEL_BASELINES)


LEFT_OUT = "Simple baselines were left out: the graph is too large for them, on disk, or shared by several processes."


FITTED = (
    "The combination is scored on the nodes that its weights were fitted on; accuracies by distance and class are of "
    "other nodes."
)


FITTED_ON_FOLDS = (
    "The combination is scored on the nodes that its weights were fitted on; for the accuracies by distance and class, "
    "every fold fitted its own weights without the nodes that it held out."
)


# Weights in the combination below this are not named.
LEAST_WEIGHT = 0.005


# Standard errors, and the least difference of the score, by which the answer has to be better than what has no graph or
# no GNN to need it.
NEEDED_ERRORS, NEEDED_SCORE = 2.0, 0.01


SCORES = {
    "loss": "log-likelihood",
    "accuracy": "accuracy",
    "f1": "macro F1",
    "balanced_accuracy": "balanced accuracy",
}
"""Text for the deciding score of each fit.monitor."""


def answer_lines(result: Result) -> list[str]:
    """Return the sentences on a run with candidates, none for a run without.

    Args:
        result: A finished run.

    Returns:
        The choice and its reason, whether the graph is needed, and whether a GNN is.
    """
    if not result.candidates:
        return []
    left_out = result.config.select.baselines and not any(one.name in BASELINES for one in result.candidates)
    fitted = any(one.name == COMBINATION for one in result.candidates)
    weights = FITTED_ON_FOLDS if result.folds is not None and not bool(result.data.test_mask.any()) else FITTED
    more = (weights if fitted else "", _graph_line(result), _gnn_line(result), LEFT_OUT if left_out else "")
    return [_choice(result), *(line for line in more if line)]


def score_name(result: Result) -> str:
    """Return the name of the score that decided."""
    monitor = result.config.fit.monitor
    return "F1 of every node's labels" if result.label_thresholds and monitor != "loss" else SCORES[monitor]


def evaluated_on(result: Result) -> str:
    """Return the predictions that candidates are compared by: of validation nodes, or out-of-fold ones."""
    return "validation" if result.folds is None else "the folds"


def candidate_cells(one: Candidate, reference: str) -> list[str]:
    """Return the cells of a candidate's row: name, score, difference, standard error, validation and test accuracy.

    Args:
        one: The candidate.
        reference: The name of the candidate that the others are compared with; it has no difference.

    Returns:
        The cells.
    """
    name = f"{one.name}, {one.setting}" if one.setting else one.name
    gap = ["", ""] if one.name == reference else [f"{rounded(one.difference):+.3f}", f"{one.error:.3f}"]
    return [
        name,
        f"{rounded(one.score):.3f}",
        *gap,
        *(_percent(share).removesuffix(" %") for share in (one.val, one.test)),
    ]


def candidate_heads(result: Result) -> list[str]:
    """Return the heads of the table of candidates; folds without test nodes have one accuracy only."""
    source = "Validation %" if result.folds is None else "Folds %"
    # A training on all labels has often no test nodes.
    last = ["Test %"] if result.folds is None or bool(result.data.test_mask.any()) else []
    return ["Candidate", "Score", "Difference", "Error", source, *last]


def reference_name(result: Result) -> str:
    """Return the name of the candidate that the others are compared with."""
    return result.candidates[-1].name


def _choice(result: Result) -> str:
    reference = reference_name(result)
    if result.answer == reference:
        where = evaluated_on(result)
        return f"Answer: {_reference_text(result)}; no other candidate is better on {where} by a standard error."
    one = _find(result, result.answer)
    name = "Typical training" if one.name == TYPICAL else one.name.capitalize() if one.name != ROUND else one.name
    better = "are" if one.name.endswith(("features", "votes")) or one.name == "features alone" else "is"
    without = one.name in (ROUND, *VOTES.values()) or bool(result.label_thresholds)
    unused = "" if without else "; highways are not used"
    return (
        f"Answer: {one.name}. {name} {better} better on {evaluated_on(result)} than {reference} ({score_name(result)} "
        f"{rounded(one.difference):+.3f}, standard error {one.error:.3f}){unused}."
    )


def _reference_text(result: Result) -> str:
    """Return the reference in words: the round, or the parts of the combination with their weights."""
    if result.answer == ROUND:
        return f"HighwayGraph, round {result.best_round}"
    parts = [one for one in result.candidates if one.weight >= LEAST_WEIGHT]
    names = [f"{one.name} ({one.weight:.2f})" for one in sorted(parts, key=lambda one: -one.weight)]
    return f"combination, with weights from {evaluated_on(result)}: {', '.join(names)}"


def _graph_line(result: Result) -> str:
    alone = [one for one in result.candidates if one.name in WITHOUT_GRAPH]
    return _needed(result, "the graph", alone, needless=result.answer in WITHOUT_GRAPH)


def _gnn_line(result: Result) -> str:
    simple = [one for one in result.candidates if one.name in BASELINES]
    return _needed(result, "a GNN", simple, needless=result.answer in BASELINES)


def _needed(result: Result, what: str, without: list[Candidate], *, needless: bool) -> str:
    """Return whether something is needed, from the best candidate without it."""
    if not without:
        return ""
    best = max(without, key=lambda one: one.score)
    ours = _find(result, result.answer)
    if needless:
        return f"Is {what} needed? No: the answer is {ours.name}, without it."
    is_needed = -best.difference > max(NEEDED_ERRORS * best.error, NEEDED_SCORE) and ours.val >= best.val
    verdict = "Yes" if is_needed else "Not clearly"
    return (
        f"Is {what} needed? {verdict}: {best.name} has {_percent(best.val)} on {evaluated_on(result)}, the answer "
        f"{_percent(ours.val)} ({score_name(result)} {rounded(best.difference):+.3f}, standard error {best.error:.3f})."
    )


def rounded(score: float) -> float:
    """Return a score with three decimals, never -0.000."""
    return round(score, 3) + 0.0


def _find(result: Result, name: str) -> Candidate:
    return next(one for one in result.candidates if one.name == name)


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.1f} %"
