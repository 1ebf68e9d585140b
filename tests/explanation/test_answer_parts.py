"""Parts of the answer: they sum to its logits, and voters to the votes."""

from dataclasses import replace
from functools import cache

import torch

from highwaygraph.explanation.answer_parts import (
    ballots,
    check_sum,
    factors,
    has_network,
    has_votes,
    logit_parts,
    scales,
    top_voters,
    voted_logits,
)
from highwaygraph.explanation.network import network_view
from highwaygraph.nn.functional import weighted_sum
from highwaygraph.nn.votes.voter import Voter
from highwaygraph.runs.history import COMBINATION, ROUND, VOTES, Candidate
from highwaygraph.runs.other_graphs import baseline_logits
from highwaygraph.runs.result import Result
from tests.helpers.explained import combined_run

NODES = torch.tensor([3, 200, 7])
WEIGHTS = {ROUND: 0.5, VOTES["features"]: 0.3, "smoothed features": 0.25}


@cache
def network_logits() -> torch.Tensor:
    """Return the logits of the run's network, whatever its answer was."""
    return network_view(replace(combined_run(), answer=COMBINATION)).logits


def votes_of(result: Result) -> torch.Tensor:
    config = result.config
    return Voter("features", result.data, config.votes, config.fit, config.seed).logits(network_logits())


def combination() -> Result:
    """Return a combination with weights of our own on the logits of the run, whatever its answer was."""
    result = combined_run()
    candidates = tuple(Candidate(n, *[0.0] * 5, weight=2 * w, temperature=2.0) for n, w in WEIGHTS.items())
    logits = {ROUND: network_logits(), VOTES["features"]: votes_of(result)}
    logits |= baseline_logits(result, result.data, ["smoothed features"])
    return replace(result, answer=COMBINATION, candidates=candidates, logits=weighted_sum(logits, WEIGHTS))


def test_the_parts_of_a_combination_sum_to_its_logits() -> None:
    result, network = combination(), network_logits()
    assert factors(result) == WEIGHTS
    assert {name: weight / temperature for name, (weight, temperature) in scales(result).items()} == WEIGHTS
    assert has_network(result)
    assert has_votes(result)
    found = logit_parts(result, NODES, network, ballots(result, network, NODES))
    total = torch.stack([part.factor * part.logits for part in found.values()]).sum(dim=0)
    torch.testing.assert_close(total, result.logits[NODES], rtol=1e-4, atol=1e-4)
    assert check_sum(found, result.logits[NODES])
    assert not check_sum(found, -result.logits[NODES])


def test_voters_reconstruct_the_votes() -> None:
    result = combination()
    (ballot,) = ballots(result, network_logits(), NODES)
    torch.testing.assert_close(voted_logits(ballot), votes_of(result)[NODES], rtol=1e-3, atol=1e-3)
    margins = ballot.probs[:, 0] - ballot.probs[:, 1]
    nodes, parts = top_voters(ballot, 1, margins)
    assert 200 not in nodes.tolist()
    torch.testing.assert_close(parts, ballot.weights[1, nodes] * (margins[nodes] - margins.mean()))


def test_another_answer_is_its_only_part() -> None:
    result = replace(combined_run(), answer="label propagation")
    assert not has_network(result)
    found = logit_parts(result, NODES, None, [])
    assert list(found) == ["label propagation"]
    assert torch.equal(found["label propagation"].logits, result.logits[NODES])
