"""The nodes that a person should look at first: doubtful given labels, disagreeing candidates, low confidence."""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Int
from torch import Tensor

from highwaygraph.report.opinions import Opinions
from highwaygraph.report.run_data import RunData

Reason = Literal["given label", "disagreement", "low confidence"]


# Part of the nodes that is listed, and the bounds of their number: a list of all nodes has no order of work.
LISTED_SHARE, FEWEST_LISTED, MOST_LISTED = 0.1, 20, 200


# Most nodes listed because all other candidates contradict them, and the part of the list that given labels leave free.
MOST_CONTRADICTED, UNLABELLED_SHARE = 30, 0.25


# Calibrated confidence from which on fewer than one node in ten is expected to be wrong: it is no reason for a check.
CERTAIN = 0.9


@dataclass(frozen=True)
class CheckedNode:
    """A node to look at, and the reason."""

    node: int
    reason: Reason
    predicted: int
    """Class of the answer; for a given label, the class that contradicts it."""
    confidence: float
    """Calibrated probability of this class."""
    others: dict[str, int]
    """Classes that the other candidates predict, by name; none for a given label, which they were trained on."""


@dataclass(frozen=True)
class CheckList:
    """The nodes to look at, and how often the listed test nodes are wrong."""

    nodes: list[CheckedNode]
    listed_errors: tuple[int, int]
    """Wrong predictions among the evaluated nodes listed, and their number."""
    all_errors: tuple[int, int]
    """Wrong predictions among all evaluated nodes, and their number."""
    compared: bool = True
    """Whether there are other candidates, which may disagree."""


def check_first(run: RunData, opinions: Opinions) -> CheckList:
    """Return the nodes that a person should look at first.

    Given labels come first: labels of training and validation nodes which a prediction that they did not train
    contradicts. They are followed by other nodes in the order of their calibrated confidence: those below CERTAIN, and
    those for which at least half of the other candidates predict another class; where all of them agree on one, also
    beyond the others. No test label takes part in the order.

    Args:
        run: The run.
        opinions: Its calibrated predictions.

    Returns:
        At most `most_listed` nodes.
    """
    most = most_listed(run.result.data.num_nodes)
    doubtful = doubtful_labels(run, opinions.held_out)[: most - int(UNLABELLED_SHARE * most)]
    labels = [_given_label(opinions, node) for node in doubtful]
    nodes = [*labels, *_uncertain(run, opinions, most - len(labels))]
    wrong = run.ours.evaluated & (run.ours.predicted != run.result.data.y)
    listed = torch.zeros_like(wrong)
    listed[[one.node for one in nodes if one.reason != "given label"]] = True
    listed &= run.ours.evaluated
    errors = [(int((wrong & part).sum()), int(part.sum())) for part in (listed, run.ours.evaluated)]
    return CheckList(nodes, errors[0], errors[1], compared=bool(opinions.others))


def most_listed(count: int) -> int:
    """Return the most nodes that are listed of a graph.

    Args:
        count: The number of its nodes.

    Returns:
        A tenth of them, within bounds.

    Example:
        >>> most_listed(50), most_listed(800), most_listed(20_000)
        (20, 80, 200)
    """
    return max(FEWEST_LISTED, min(MOST_LISTED, round(LISTED_SHARE * count)))


def doubtful_labels(run: RunData, held_out: Tensor) -> list[int]:
    """Return nodes whose given label is contradicted, the clearest contradiction first.

    The rule is that of confident learning (Northcutt et al., 2021): another class than the given one is the most
    probable, with at least the mean probability that this class has among the nodes labelled with it. Out-of-fold
    predictions of another class follow without this bound, because few labels make it a matter of chance.

    Args:
        run: The run.
        held_out: Probabilities that the labels of these nodes did not train, NaN for other nodes.

    Returns:
        The nodes.
    """
    data = run.result.data
    nodes = ((data.train_mask | data.val_mask) & ~held_out.isnan().any(dim=1)).nonzero().flatten()
    probs, given = held_out[nodes], data.y[nodes]
    own = probs.gather(1, given[:, None]).flatten()
    count = torch.bincount(given, minlength=probs.size(1))
    threshold = torch.zeros(probs.size(1)).index_add_(0, given, own) / count.clamp(min=1)
    most, predicted = probs.max(dim=1)
    contradicted = predicted != given
    # A class without labels of its own has no threshold.
    is_clear = contradicted & (count[predicted] > 0) & (most >= threshold[predicted])
    order = (most - own + is_clear.float()).argsort(descending=True, stable=True)
    found = contradicted if run.result.folds is not None else is_clear
    return nodes[order][found[order]].tolist()


def _given_label(opinions: Opinions, node: int) -> CheckedNode:
    confidence, predicted = opinions.held_out[node].max(dim=0)
    return CheckedNode(node, "given label", int(predicted), float(confidence), {})


def _uncertain(run: RunData, opinions: Opinions, most: int) -> list[CheckedNode]:
    """Return the nodes without a given label that are least certain, by increasing confidence."""
    data, against = run.result.data, opinions.contradicted
    order = _by_confidence(opinions)
    order = order[~(data.train_mask | data.val_mask)[order]]
    contradicted = order[against[order]][: min(MOST_CONTRADICTED, (most + 1) // 2)]
    chosen = torch.zeros_like(against)
    chosen[contradicted] = True
    # Half of the others are a reason of their own: a calibration on few nodes may make every node certain.
    disputed = opinions.disagreement * 2 >= max(len(opinions.others), 1)
    doubtful = (opinions.answer.max(dim=1).values < CERTAIN) | disputed
    chosen[order[(doubtful & ~chosen)[order]][: most - len(contradicted)]] = True
    return [_unlabelled(opinions, node) for node in order[chosen[order]].tolist()]


def _by_confidence(opinions: Opinions) -> Int[Tensor, "n"]:
    """Return all nodes by increasing confidence in per cent; equal ones by disagreement, then by the second class."""
    # On Cora, more errors are found in the order of the confidence alone than in any mean with other candidates.
    first, second = opinions.answer.topk(2, dim=1).values.unbind(dim=1)
    order = (second / first).argsort(descending=True, stable=True)
    order = order[opinions.disagreement[order].argsort(descending=True, stable=True)]
    return order[(100 * first).round()[order].argsort(stable=True)]


def _unlabelled(opinions: Opinions, node: int) -> CheckedNode:
    confidence, predicted = opinions.answer[node].max(dim=0)
    others = {name: int(probs[node].argmax()) for name, probs in opinions.others.items()}
    reason: Reason = "disagreement" if any(one != int(predicted) for one in others.values()) else "low confidence"
    return CheckedNode(node, reason, int(predicted), float(confidence), others)
