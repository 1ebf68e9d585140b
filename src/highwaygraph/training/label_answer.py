"""The answer of a run with several labels per node: its round, typical training or a simple baseline."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from torch import Tensor, nn

from highwaygraph.nn.baselines.fit import fit_baselines, is_feasible
from highwaygraph.nn.calibration import label_log_likelihood
from highwaygraph.runs.history import ROUND, TYPICAL, Candidate, HighwayTable
from highwaygraph.runs.result import Result
from highwaygraph.runtime.distributed import world_size
from highwaygraph.training.answer import Answer
from highwaygraph.training.candidates import Comparison, choose, compare_scores
from highwaygraph.training.label_metrics import micro_f1, node_f1

if TYPE_CHECKING:
    from highwaygraph.training.targets.target import Decision

Tune = Callable[[Tensor], "Decision"]
"""Returns the decision for logits of all nodes."""


class _Competitor(NamedTuple):
    """A candidate with its predictions."""

    name: str
    logits: Tensor
    seconds: float
    decision: "Decision"
    setting: str = ""
    model: nn.Module | None = None


def choose_label_answer(result: Result, typical: Result | None, tune: Tune) -> Answer:
    """Return the result with the predictions of the candidate that is best on validation.

    With fit.monitor=loss the calibrated log-likelihood of the labels decides, else the F1 of every node's labels. A
    candidate replaces the round where it is better by more than a standard error and its F1 is not lower.

    Args:
        result: The trained round.
        typical: Typical training of the same model, where it competes.
        tune: Returns the thresholds of a candidate.

    Returns:
        The result with `candidates` and `answer`; logits, thresholds and model are the answer's.
    """
    select = result.config.select
    simple = select.baselines and is_feasible(result.data) and world_size() == 1
    competitors = list(_baselines(result, tune)) if simple else []
    if typical is not None:
        competitors.append(_trained(TYPICAL, typical, tune))
        result = result.with_baseline(typical)
    competitors.append(_trained(ROUND, result, tune))
    found = _compare(competitors, result)
    answer = choose(found, ROUND)
    chosen = next(one for one in competitors if one.name == answer)
    changed = replace(
        result,
        candidates=tuple(_record(one, found[one.name], result) for one in competitors),
        answer=answer,
        logits=chosen.logits,
        label_thresholds=chosen.decision.thresholds,
        model=result.model if chosen.model is None else chosen.model,
        highway_table=HighwayTable.empty(),
    )
    return Answer(changed, {one.name: one.logits for one in competitors})


def _compare(competitors: list[_Competitor], result: Result) -> dict[str, Comparison]:
    data, by_loss = result.data, result.config.fit.monitor == "loss"
    labels = data.y[data.val_mask]
    logits = {one.name: one.logits[data.val_mask] for one in competitors}
    f1 = {one.name: node_f1(one.decision.predict(logits[one.name]), labels) for one in competitors}
    scores = {name: label_log_likelihood(one.double(), labels) for name, one in logits.items()} if by_loss else f1
    return compare_scores(scores, f1, ROUND)


def _baselines(result: Result, tune: Tune) -> Iterator[_Competitor]:
    started, graph = perf_counter(), result.scaled(result.data)
    for baseline in fit_baselines(graph, result.logits.size(1)):
        logits = baseline.predict(graph)
        yield _Competitor(baseline.name, logits, perf_counter() - started, tune(logits), baseline.setting)
        started = perf_counter()


def _trained(name: str, result: Result, tune: Tune) -> _Competitor:
    seconds = sum(one.seconds for one in result.rounds)
    return _Competitor(name, result.logits, seconds, tune(result.logits), model=result.model)


def _record(one: _Competitor, found: Comparison, result: Result) -> Candidate:
    data, predicted = result.data, one.decision.predict(one.logits)
    val, test = (micro_f1(predicted[mask], data.y[mask]) for mask in (data.val_mask, data.test_mask))
    return Candidate(
        one.name, found.score, found.difference, found.error, val, test, setting=one.setting, seconds=one.seconds
    )
