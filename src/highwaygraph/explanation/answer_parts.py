"""The parts of a run's answer: the logits of every classifier in it, and the nodes that vote."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from highwaygraph.nn.baselines.fit import BASELINES
from highwaygraph.nn.functional import shift_logits
from highwaygraph.nn.votes.voter import Voter, known_probs, log_votes
from highwaygraph.runs.history import COMBINATION, ROUND, TYPICAL, VOTES
from highwaygraph.runs.other_graphs import baseline_logits
from highwaygraph.runs.result import Result
from highwaygraph.vote_options import View

# Nodes that vote the most, per view.
MOST_VOTERS = 5


class LogitPart(NamedTuple):
    """One classifier's logits of the explained nodes, and their factor in the answer."""

    factor: float
    logits: Float[Tensor, "k c"]


class Ballot(NamedTuple):
    """The weights of all voters of a view in the votes on the explained nodes."""

    view: View
    weights: Float[Tensor, "k n"]
    probs: Float[Tensor, "n c"]
    """Class probabilities that the nodes vote with; labels of training nodes."""


def factors(result: Result) -> dict[str, float]:
    """Return the factor of every classifier's logits in the answer, by name."""
    if result.answer != COMBINATION:
        return {result.answer: 1.0}
    return {name: weight / temperature for name, (weight, temperature) in scales(result).items()}


def scales(result: Result) -> dict[str, tuple[float, float]]:
    """Return weight and temperature of every classifier in a combination by name, none for another answer."""
    if result.answer != COMBINATION:
        return {}
    return {one.name: (one.weight, one.temperature) for one in result.candidates if one.weight}


def has_network(result: Result) -> bool:
    """Return whether the network has a part in the answer of its own."""
    return any(name in (ROUND, TYPICAL) for name in factors(result))


def has_votes(result: Result) -> bool:
    """Return whether votes have a part in the answer."""
    return any(name in VOTES.values() for name in factors(result))


def ballots(result: Result, network_logits: Float[Tensor, "n c"], nodes: Int[Tensor, "k"]) -> list[Ballot]:
    """Return the weights of the voters, for every view in the answer.

    Args:
        result: A finished run.
        network_logits: The logits of the selected round.
        nodes: The explained nodes.

    Returns:
        The ballots; none for the control with shuffled features.
    """
    config, names, found = result.config, factors(result), []
    for view in (view for view in VOTES if VOTES[view] in names):
        voter = Voter(view, result.data, config.votes, config.fit, config.seed)
        weights = voter.voter_weights(nodes)
        if weights is not None:
            found.append(Ballot(view, weights, known_probs(network_logits, result.data)))
    return found


def voted_logits(ballot: Ballot) -> Float[Tensor, "k c"]:
    """Return the logits of the votes on the explained nodes."""
    prior = ballot.probs.mean(dim=0)
    return log_votes(prior + ballot.weights @ (ballot.probs - prior), ballot.probs)


def logit_parts(
    result: Result, nodes: Int[Tensor, "k"], network_logits: Float[Tensor, "n c"] | None, found: list[Ballot]
) -> dict[str, LogitPart]:
    """Return the parts of the answer's logits of some nodes, without the shift of a threshold.

    Args:
        result: A finished run.
        nodes: The nodes.
        network_logits: The logits of the network; None where it has no part.
        found: The ballots of the views in the answer.

    Returns:
        The parts by name; the sum of factor times logits is the answer's logits. Simple baselines of a combination are
        fitted again.
    """
    names = factors(result)
    if result.answer != COMBINATION:
        return {result.answer: LogitPart(1.0, shift_logits(result.logits, -result.threshold_shift)[nodes])}
    baselines = baseline_logits(result, result.data, [name for name in names if name in BASELINES])
    logits = {name: one[nodes] for name, one in baselines.items()}
    logits |= {VOTES[ballot.view]: voted_logits(ballot) for ballot in found}
    if network_logits is not None:
        logits[ROUND] = network_logits[nodes]
    return {name: LogitPart(factor, logits[name]) for name, factor in names.items() if name in logits}


def top_voters(ballot: Ballot, place: int, margins: Float[Tensor, "n"]) -> tuple[Int[Tensor, "v"], Float[Tensor, "v"]]:
    """Return the nodes that vote the most on one explained node, and their parts in the voted difference.

    Args:
        ballot: The ballot.
        place: Place of the node among the explained ones.
        margins: Of every voter, its probability of the predicted class minus that of the runner-up.

    Returns:
        The nodes by the absolute value of their parts.
    """
    parts = ballot.weights[place] * (margins - margins.mean())
    nodes = parts.abs().topk(min(MOST_VOTERS, len(parts))).indices
    nodes = nodes[parts[nodes] != 0]
    return nodes, parts[nodes]


def check_sum(parts: dict[str, LogitPart], answer: Float[Tensor, "k c"]) -> bool:
    """Return whether the parts give the probabilities of the answer."""
    total = torch.stack([part.factor * part.logits for part in parts.values()]).sum(dim=0)
    return bool((total.softmax(dim=1) - answer.softmax(dim=1)).abs().max() < 1e-2)
