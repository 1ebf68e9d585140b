"""The nodes that a person should look at first: doubtful given labels, disagreeing candidates, low confidence."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from highwaygraph.report.opinions import Opinions
from highwaygraph.report.run_data import RunData

Reason = Literal["given label", "disagreement", "low confidence"]


# Nodes listed, those of them whose given label is contradicted, and those that all other candidates contradict.
MOST_LISTED, MOST_LABELS, MOST_CONTRADICTED = 200, 50, 30


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


def check_first(run: RunData, opinions: Opinions) -> CheckList:
    """Return the nodes that a person should look at first.

    Given labels come first: labels of training and validation nodes which a prediction that they did not train
    contradicts. They are followed by other nodes in the order of their calibrated confidence: the lowest ones, and
    those for which all other candidates predict another class. No test label takes part in the order.

    Args:
        run: The run.
        opinions: Its calibrated predictions.

    Returns:
        At most MOST_LISTED nodes.
    """
    labels = [_given_label(opinions, node) for node in doubtful_labels(run, opinions.held_out)[:MOST_LABELS]]
    nodes = [*labels, *_doubtful(run, opinions, MOST_LISTED - len(labels))]
    wrong = run.ours.evaluated & (run.ours.predicted != run.result.data.y)
    listed = torch.zeros_like(wrong)
    listed[[one.node for one in nodes if one.reason != "given label"]] = True
    listed &= run.ours.evaluated
    errors = [(int((wrong & part).sum()), int(part.sum())) for part in (listed, run.ours.evaluated)]
    return CheckList(nodes, errors[0], errors[1])


def doubtful_labels(run: RunData, held_out: Tensor) -> list[int]:
    """Return nodes whose given label is contradicted, the clearest contradiction first.

    The rule is that of confident learning (Northcutt et al., 2021): another class than the given one is the most
    probable, with at least the mean probability that this class has among the nodes labelled with it.

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
    # A class without labels of its own has no threshold.
    found = (predicted != given) & (count[predicted] > 0) & (most >= threshold[predicted])
    order = (most - own)[found].argsort(descending=True, stable=True)
    return nodes[found][order].tolist()


def _given_label(opinions: Opinions, node: int) -> CheckedNode:
    confidence, predicted = opinions.held_out[node].max(dim=0)
    return CheckedNode(node, "given label", int(predicted), float(confidence), {})


def _doubtful(run: RunData, opinions: Opinions, most: int) -> list[CheckedNode]:
    """Return the nodes without a given label that are least certain, by increasing confidence."""
    data, confidence = run.result.data, opinions.answer.max(dim=1).values
    # On Cora, more errors are found in the order of the confidence alone than in any mean with other candidates.
    order = confidence.argsort(stable=True)
    order = order[~(data.train_mask | data.val_mask)[order]]
    against = opinions.contradicted
    contradicted = order[against[order]][: min(MOST_CONTRADICTED, most)]
    chosen = torch.zeros_like(against)
    chosen[contradicted] = True
    chosen[order[~chosen[order]][: most - len(contradicted)]] = True
    return [_unlabelled(opinions, node) for node in order[chosen[order]].tolist()]


def _unlabelled(opinions: Opinions, node: int) -> CheckedNode:
    confidence, predicted = opinions.answer[node].max(dim=0)
    others = {name: int(probs[node].argmax()) for name, probs in opinions.others.items()}
    reason: Reason = "disagreement" if any(one != int(predicted) for one in others.values()) else "low confidence"
    return CheckedNode(node, reason, int(predicted), float(confidence), others)
