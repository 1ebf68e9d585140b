"""The answer of a run: its rounds compete with typical training and with simple baselines on validation."""

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

from torch import Tensor, nn

from highwaygraph.config import Config
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.baselines.fit import fit_baselines, is_feasible
from highwaygraph.nn.functional import shift_logits
from highwaygraph.runs.history import ROUND, TYPICAL, Candidate, HighwayTable
from highwaygraph.runs.result import Result
from highwaygraph.runtime.distributed import world_size
from highwaygraph.training.candidates import Comparison, choose, compare
from highwaygraph.training.metrics import accuracy
from highwaygraph.training.threshold import tuned_shift


class _Competitor(NamedTuple):
    """A candidate with its predictions."""

    name: str
    logits: Tensor
    seconds: float
    shift: float
    """Shift of the logits by a tuned threshold, which they include."""
    setting: str = ""
    model: nn.Module | None = None


def choose_answer(result: Result, typical: Result | None) -> Result:
    """Return the result with the predictions of the candidate that is best on validation.

    Args:
        result: The trained rounds.
        typical: Typical training of the same model, where it competes.

    Returns:
        The result with `candidates` and `answer`; `logits` and, for typical training, `model` are the answer's. Where
        the answer is not a round, the result has no highways.
    """
    data, select = result.data, result.config.select
    competitors = list(_baselines(result)) if select.baselines and is_feasible(data) and world_size() == 1 else []
    if typical is not None:
        competitors.append(_trained(TYPICAL, typical))
        result = result.with_baseline(typical)
    competitors.append(_trained(ROUND, result))
    val = data.val_mask
    found = compare({one.name: one.logits[val] for one in competitors}, data.y[val], ROUND, result.config.fit.monitor)
    answer = choose(found, ROUND)
    result = replace(result, candidates=tuple(_record(one, found[one.name], data) for one in competitors))
    chosen = next(one for one in competitors if one.name == answer)
    if answer == ROUND:
        return result
    model = result.model if chosen.model is None else chosen.model
    return replace(
        result,
        answer=answer,
        logits=chosen.logits,
        model=model,
        highway_table=HighwayTable.empty(),
        threshold_shift=chosen.shift,
    )


def _baselines(result: Result) -> Iterator[_Competitor]:
    started = perf_counter()
    graph = result.scaled(result.data)
    for baseline in fit_baselines(graph, result.logits.size(1)):
        logits = baseline.predict(graph)
        shift = tuned_shift(logits, graph, result.config)
        seconds = perf_counter() - started
        yield _Competitor(baseline.name, shift_logits(logits, shift), seconds, shift, baseline.setting)
        started = perf_counter()


def _trained(name: str, result: Result) -> _Competitor:
    seconds = sum(r.seconds for r in result.rounds)
    return _Competitor(name, result.logits, seconds, result.threshold_shift, model=result.model)


def _record(one: _Competitor, found: Comparison, data: Graph) -> Candidate:
    predicted = one.logits.argmax(dim=1)
    return Candidate(
        name=one.name,
        score=found.score,
        difference=found.difference,
        error=found.error,
        val=accuracy(predicted, data.y, data.val_mask),
        test=accuracy(predicted, data.y, data.test_mask),
        setting=one.setting,
        seconds=one.seconds,
    )


def competes(config: Config) -> bool:
    """Return whether anything competes with the rounds."""
    return config.select.typical or config.select.baselines
