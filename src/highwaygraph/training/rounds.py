"""Algorithm 1: the loop over rounds, each followed by the highways of the next."""

import math
from dataclasses import replace
from time import perf_counter

import torch
from torch import Tensor

from highwaygraph.errors import RunError
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.gnn import GNN
from highwaygraph.runs.history import HighwayTable, Round, StopReason
from highwaygraph.runs.result import Result
from highwaygraph.runtime.distributed import gather
from highwaygraph.runtime.threads import own_threads
from highwaygraph.training.checkpoints import Snapshot
from highwaygraph.training.fit import Context, fit
from highwaygraph.training.held_out import evaluated
from highwaygraph.training.metrics import edge_precision
from highwaygraph.training.propose import pick_anchors, propose_highways, round_graphs, union
from highwaygraph.training.selection import stop_reason, update_best
from highwaygraph.training.state import RoundState, TrainingState, num_epochs, restore_state
from highwaygraph.training.targets.choose import target_of
from highwaygraph.training.tracking import new_id
from highwaygraph.training.votes import agreement, make_voters, mean_votes, target_votes


def run_rounds(context: Context, data: Graph) -> Result:
    """Train all rounds.

    Args:
        context: The constant parts of the run.
        data: The graph with its split.

    Returns:
        The result, with the weights and predictions of the selected round.
    """
    state, saved = _start_or_resume(context)
    if context.tracking is not None:
        state.run_id = state.run_id or new_id()
        context.tracking.start(state.run_id, len(state.history) + (num_epochs(saved) if saved else 0))
    # The last bits of a sum depend on the number of threads: a resumed training takes the number that it began with.
    with own_threads(state.num_threads):
        return _remaining_rounds(context, data, state, saved)


def _remaining_rounds(context: Context, data: Graph, state: TrainingState, saved: Snapshot | None) -> Result:
    config, held_out = context.config, context.held_out
    # A single round adds no edge and needs no anchors.
    anchors = pick_anchors(data, config) if config.highway.rounds > 1 else torch.empty(0, dtype=torch.long)
    voters = make_voters(data, config)
    stopped = None
    while stopped is None:
        start, number = perf_counter(), len(state.rounds) + 1
        graph, views = round_graphs(data, state.highways, config)
        finished = fit(context, state, graph, views, saved)
        saved = None
        score = update_best(state, finished, data, config, held_out)
        stopped = stop_reason(number, state.last_improvement, config, len(held_out.epochs) if held_out else None)
        added: list[HighwayTable] = []
        votes = mean_votes(voters, finished.logits) if stopped is None else None
        state.votes = target_votes(votes, config)
        if stopped is None and number + 1 >= config.highway.start:
            agreeing = agreement(votes, config)
            added = propose_highways(finished.logits, graph, anchors, number, config, votes=agreeing, held_out=held_out)
            stopped = None if any(len(table.round) for table in added) else "no new edges"
        highways = union(added, data.num_nodes)
        record = _record(finished, data, highways, context)
        state.rounds.append(replace(record, seconds=perf_counter() - start, score=score))
        state.history += finished.history
        if context.tracking is not None:
            context.tracking.on_round(state.rounds[-1], number)
        # Partners are sampled again in every round; highways of anchors accumulate.
        state.highways = added if config.highway.targets == "partners" else state.highways + added
    return _result(state, data, context, stopped)


def _start_or_resume(context: Context) -> tuple[TrainingState, Snapshot | None]:
    """Return the state at the start of a training, or at its last checkpoint together with that checkpoint."""
    saved = context.checkpoints.latest() if context.checkpoints else None
    if saved is None:
        model = context.model
        initial = {} if isinstance(model, GNN) else {k: v.clone() for k, v in model.state_dict().items()}
        state = TrainingState(initial=initial)
    else:
        state = restore_state(saved, context.model)
        if state.initial:
            context.model.load_state_dict(state.initial)
    found = gather(torch.tensor([[len(state.rounds), num_epochs(saved) if saved else -1]]))
    if bool((found != found[0]).any()):
        raise RunError("The processes find different checkpoints: put --out on a disk that all machines share.")
    return state, saved


def _record(finished: RoundState, data: Graph, added: HighwayTable, context: Context) -> Round:
    assert finished.best is not None
    config, target = context.config, target_of(data)
    decision = target.tune(*evaluated(finished.logits, data, context.held_out), config)
    predicted = decision.predict(finished.logits)

    def score(mask: Tensor) -> float:
        return target.accuracy(predicted[mask], data.y[mask])

    is_sampled = config.fit.labels_per_batch > 0
    return Round(
        epochs=len(finished.history),
        # Mini-batches are validated on sampled neighbours; the logits of all nodes are exact.
        val=score(data.val_mask) if decision.is_tuned or is_sampled else finished.best.val,
        test=score(data.test_mask),
        edges_added=added.edges.size(1),
        edge_precision=edge_precision(added.edges, data.y, ~data.train_mask) if len(added.round) else math.nan,
        seconds=0.0,
    )


def _result(state: TrainingState, data: Graph, context: Context, stopped: StopReason) -> Result:
    best, config = state.best, context.config
    assert best is not None
    decision = target_of(data).tune(*evaluated(best.logits, data, context.held_out), config)
    return Result(
        model=best.model,
        data=data,
        config=config,
        rounds=tuple(state.rounds),
        best_round=best.number,
        stopped=stopped,
        logits=decision.shifted(best.logits),
        highway_table=union(best.highways, data.num_nodes),
        history=tuple(state.history),
        threshold_shift=decision.shift,
        label_thresholds=decision.thresholds,
        num_threads=state.num_threads,
    )
