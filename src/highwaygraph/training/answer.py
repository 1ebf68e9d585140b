"""The answer of a run: its rounds compete with typical training and with simple baselines on validation."""

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

from torch import Tensor, nn

from highwaygraph.config import Config, Select, Votes
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.baselines.fit import LINEAR_OR_TREES, fit_baselines, is_feasible
from highwaygraph.nn.functional import shift_logits, weighted_sum
from highwaygraph.nn.votes.voter import Voter
from highwaygraph.options import override
from highwaygraph.runs.history import COMBINATION, ROUND, TYPICAL, VOTES, Candidate, HighwayTable
from highwaygraph.runs.result import Result
from highwaygraph.runtime.distributed import world_size
from highwaygraph.training.candidates import Comparison, choose, compare, node_scores
from highwaygraph.training.combination import PRIOR_VARIANCE, SHARED_VARIANCE, Expert, fit_experts, shared_prior
from highwaygraph.training.held_out import HeldOut, evaluated
from highwaygraph.training.metrics import accuracy
from highwaygraph.training.threshold import tuned_shift

# Standard errors by which a baseline has to be better than the round to start the combination on equal terms.
MUCH_BETTER = 2.0


class _Competitor(NamedTuple):
    """A candidate with its predictions."""

    name: str
    logits: Tensor
    """Its logits before the shift."""
    seconds: float
    shift: float
    """Shift of the logits by a tuned threshold."""
    setting: str = ""
    model: nn.Module | None = None
    expert: Expert = Expert(0.0, 1.0)
    """Its part in the combination."""
    held_out: HeldOut | None = None
    """Out-of-fold predictions, where there are no validation nodes."""

    @property
    def shifted(self) -> Tensor:
        """Its logits as they predict."""
        return shift_logits(self.logits, self.shift)

    def evaluated(self, data: Graph) -> tuple[Tensor, Tensor]:
        """Return its logits of nodes that it was not trained on, and the classes of these nodes."""
        logits, graph = evaluated(self.logits, data, self.held_out, self.name)
        return logits[graph.val_mask], graph.y[graph.val_mask]


class Answer(NamedTuple):
    """A result with its answer, and the logits of all candidates."""

    result: Result
    logits: dict[str, Tensor]
    """The logits of every node by name of the candidate, before the shift of a tuned threshold."""


def choose_answer(result: Result, typical: Result | None, held_out: HeldOut | None = None) -> Answer:
    """Return the result with the predictions of the candidate that is best on validation.

    Args:
        result: The trained rounds.
        typical: Typical training of the same model, where it competes.
        held_out: Out-of-fold predictions, which decide where there are no validation nodes.

    Returns:
        The result with `candidates` and `answer`; `logits` and, for typical training, `model` are the answer's. Where
        the answer uses no round, the result has no highways.
    """
    data, select = result.data, result.config.select
    simple = select.baselines and is_feasible(data) and world_size() == 1
    competitors = list(_baselines(result, held_out)) if simple else []
    if typical is not None:
        competitors.append(_trained(TYPICAL, typical))
        result = result.with_baseline(typical)
    competitors += _votes(result, held_out)
    competitors.append(_trained(ROUND, result))
    if held_out is not None:
        competitors = [one._replace(held_out=held_out) for one in competitors if one.name in held_out.logits]
    if any(one.name in _combined(result.config) for one in competitors):
        competitors = _with_combination(competitors, data, result.config, held_out)
    return Answer(_choose(result, competitors), {one.name: one.logits for one in competitors})


def _combined(config: Config) -> tuple[str, ...]:
    """Return the names of the candidates that the combination may add to the round."""
    votes = tuple(VOTES[view] for view in config.votes.views) if config.votes.weight else ()
    return (*votes, *LINEAR_OR_TREES) if config.select.combine else votes


def _choose(result: Result, competitors: list[_Competitor]) -> Result:
    data, reference = result.data, competitors[-1].name
    logits = {one.name: shift_logits(one.evaluated(data)[0], one.shift) for one in competitors}
    labels = competitors[-1].evaluated(data)[1]
    found = compare(logits, labels, reference, result.config.fit.monitor)
    answer = choose(found, reference)
    result = replace(result, candidates=tuple(_record(one, found[one.name], data) for one in competitors))
    chosen = next(one for one in competitors if one.name == answer)
    return replace(
        result,
        answer=answer,
        logits=chosen.shifted,
        model=result.model if chosen.model is None else chosen.model,
        highway_table=result.highway_table if answer in (ROUND, COMBINATION, *VOTES.values()) else HighwayTable.empty(),
        threshold_shift=chosen.shift,
    )


def _with_combination(
    competitors: list[_Competitor], data: Graph, config: Config, held_out: HeldOut | None
) -> list[_Competitor]:
    """Return the competitors with their parts in the combination, followed by the combination itself."""
    started, names = perf_counter(), (ROUND, *_combined(config))
    used = [one for one in competitors if one.name in names]
    logits = {one.name: one.evaluated(data)[0] for one in used}
    experts = _experts(logits, used[0].evaluated(data)[1], config, by_folds=held_out is not None)
    factors = {name: one.factor for name, one in experts.items()}
    combined = weighted_sum({one.name: one.logits for one in used}, factors)
    if held_out is not None:
        held_out = held_out._replace(logits={**held_out.logits, COMBINATION: weighted_sum(logits, factors)})
    parts = [one._replace(expert=experts.get(one.name, one.expert)) for one in competitors]
    shift = tuned_shift(*evaluated(combined, data, held_out, COMBINATION), config)
    seconds = perf_counter() - started
    return [*parts, _Competitor(COMBINATION, combined, seconds, shift, held_out=held_out)]


def _experts(held_out: dict[str, Tensor], labels: Tensor, config: Config, *, by_folds: bool) -> dict[str, Expert]:
    """Return the part of every candidate in the combination; a fixed weight of the votes is kept as it is."""
    weight, votes = config.votes.weight, set(VOTES.values())
    others = {name: one for name, one in held_out.items() if name not in votes}
    if by_folds:
        scores = {name: node_scores(one, labels, "loss") for name, one in others.items()}
        prior, variance, used = shared_prior(scores, ROUND), SHARED_VARIANCE, held_out
    else:
        better = choose(compare(others, labels, ROUND, "loss"), ROUND, MUCH_BETTER)
        # Votes on a round that a simple baseline surpasses repeat its errors; round and baseline are then equals.
        prior = {ROUND: 1.0} if better == ROUND else {ROUND: 0.5, better: 0.5}
        variance, used = PRIOR_VARIANCE, held_out if better == ROUND else others
    if isinstance(weight, str):
        return fit_experts(used, labels, prior, variance)
    experts = fit_experts(others, labels, prior, variance) if len(others) > 1 else {ROUND: Expert(1.0, 1.0)}
    return experts | {name: Expert(weight, 1.0) for name in held_out if name in votes}


def _votes(result: Result, held_out: HeldOut | None) -> Iterator[_Competitor]:
    """Yield the votes on the predictions of the selected round."""
    config, data = result.config, result.data
    logits = shift_logits(result.logits, -result.threshold_shift)
    for view in config.votes.views if config.votes.weight else ():
        started = perf_counter()
        voted = Voter(view, data, config.votes, config.fit, config.seed).logits(logits)
        shift = tuned_shift(*evaluated(voted, data, _having(held_out, VOTES[view]), VOTES[view]), config)
        yield _Competitor(VOTES[view], voted, perf_counter() - started, shift)


def _having(held_out: HeldOut | None, name: str) -> HeldOut | None:
    """Return the out-of-fold predictions if they have this candidate; one without them does not compete."""
    return held_out if held_out is not None and name in held_out.logits else None


def _baselines(result: Result, held_out: HeldOut | None) -> Iterator[_Competitor]:
    started = perf_counter()
    graph = result.scaled(result.data)
    for baseline in fit_baselines(graph, result.logits.size(1), folds=held_out.fold if held_out else None):
        logits = baseline.predict(graph)
        shift = tuned_shift(*evaluated(logits, graph, _having(held_out, baseline.name), baseline.name), result.config)
        yield _Competitor(baseline.name, logits, perf_counter() - started, shift, baseline.setting)
        started = perf_counter()


def _trained(name: str, result: Result) -> _Competitor:
    seconds, shift = sum(r.seconds for r in result.rounds), result.threshold_shift
    return _Competitor(name, shift_logits(result.logits, -shift), seconds, shift, model=result.model)


def _record(one: _Competitor, found: Comparison, data: Graph) -> Candidate:
    predicted = one.shifted.argmax(dim=1)
    held_out, labels = one.evaluated(data)
    correct = shift_logits(held_out, one.shift).argmax(dim=1) == labels
    return Candidate(
        name=one.name,
        score=found.score,
        difference=found.difference,
        error=found.error,
        val=float(correct.double().mean()),
        test=accuracy(predicted, data.y, data.test_mask),
        setting=one.setting,
        weight=one.expert.weight,
        temperature=one.expert.temperature,
        seconds=one.seconds,
    )


def without_answer(config: Config) -> Config:
    """Return the options of the rounds alone: nothing competes with them, and votes have no part in the answer."""
    used = config.votes.targets or config.votes.highways
    votes = override(config.votes, {"weight": 0.0}) if used else Votes()
    return config.model_copy(update={"select": Select(), "votes": votes})


def competes(config: Config) -> bool:
    """Return whether anything competes with the rounds."""
    return config.select.typical or config.select.baselines or bool(config.votes.views and config.votes.weight)
