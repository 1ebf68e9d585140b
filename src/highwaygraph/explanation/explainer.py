"""Explanations of some nodes of one run; costs that do not depend on the node are paid once."""

from collections.abc import Sequence
from functools import cached_property

import torch
from torch import Tensor

from highwaygraph.explanation.answer_parts import (
    Ballot,
    LogitPart,
    ballots,
    check_sum,
    has_network,
    has_votes,
    logit_parts,
    scales,
    top_voters,
)
from highwaygraph.explanation.gradients import Classes
from highwaygraph.explanation.highway_records import HighwayRecords
from highwaygraph.explanation.label_influence import TrainingLabels, training_labels
from highwaygraph.explanation.naming import Naming
from highwaygraph.explanation.network import NetworkView, network_view
from highwaygraph.explanation.network_effects import network_effects
from highwaygraph.explanation.network_records import DEFAULT_LIMITS, Limits, NetworkPart, network_part
from highwaygraph.explanation.records import Explanation, Part, VoteEffect
from highwaygraph.graph.hetero import refuse_several_types
from highwaygraph.graph.multilabel import refuse_several_labels
from highwaygraph.nn.functional import shift_logits
from highwaygraph.runs.calibrated import calibrated_probs
from highwaygraph.runs.history import COMBINATION, ROUND, TYPICAL, VOTES
from highwaygraph.runs.result import Result


class Explainer:
    """Explains some nodes of a run.

    Args:
        result: A finished run.
        nodes: The numbers of the nodes.
        limits: How many entries every list has.
    """

    def __init__(self, result: Result, nodes: Sequence[int], limits: Limits = DEFAULT_LIMITS) -> None:
        instead = "read the probability of every label with highway predict RUN"
        refuse_several_labels(result.data, "An explanation", instead)
        refuse_several_types(result.data, "Explanations are", "highway predict shows hops and highways")
        self._result, self._nodes, self._limits = result, torch.tensor(nodes, dtype=torch.long), limits
        self._naming = Naming(result)
        self._highways = HighwayRecords(result, self._naming)

    def explain(self, place: int) -> Explanation:
        """Return the explanation of the node at that place."""
        node, result, naming = int(self._nodes[place]), self._result, self._naming
        logits = result.logits[node]
        classes = Classes(*logits.topk(2).indices.tolist())
        network = self._network_part(node, classes)
        chosen, count = self._highways.highways(node)
        return Explanation(
            id=naming.id(node),
            node=node,
            predicted=naming.classes[classes.predicted],
            confidence=float(self._probs[node, classes.predicted]),
            runner_up=naming.classes[classes.runner_up],
            margin=float(classes.margin(logits)),
            label=naming.known_class(node),
            split=naming.split(node),
            typical=self._typical(node),
            answer=result.answer,
            parts=tuple(self._answer_parts(place, classes)),
            network_margin=network.margin,
            field_nodes=network.field_nodes,
            exact=network.exact,
            messages=network.messages,
            labels=network.labels,
            features=network.features,
            voters=tuple(self._voters(place, classes)),
            highways=chosen,
            num_highways=count,
            highways_at_prediction=self._predicts_with_highways and bool(result.highways.size(1)),
            nearest_before=self._highways.nearest(node, classes.predicted, with_highways=False),
            nearest_after=self._highways.nearest(node, classes.predicted, with_highways=True),
            notes=(*network.notes, *self._notes()),
        )

    @cached_property
    def _view(self) -> NetworkView | None:
        needed = has_network(self._result) or has_votes(self._result)
        return network_view(self._result) if needed else None

    @cached_property
    def _probs(self) -> Tensor:
        return calibrated_probs(self._result)

    @cached_property
    def _labels(self) -> TrainingLabels:
        assert self._view is not None
        return training_labels(self._view)

    @cached_property
    def _ballots(self) -> list[Ballot]:
        if self._view is None or not has_votes(self._result):
            return []
        return ballots(self._result, self._view.logits, self._nodes)

    @cached_property
    def _parts(self) -> dict[str, LogitPart]:
        logits = self._view.logits if self._view is not None and has_network(self._result) else None
        return logit_parts(self._result, self._nodes, logits, self._ballots)

    @property
    def _predicts_with_highways(self) -> bool:
        options, answer = self._result.config.highway, self._result.answer
        return options.predict == "highways" and options.control != "pseudo-labels" and answer != TYPICAL

    def _network_part(self, node: int, classes: Classes) -> NetworkPart:
        if self._view is None or not has_network(self._result):
            return NetworkPart.none()
        effects = network_effects(self._view, self._labels, node, classes)
        name = ROUND if ROUND in self._parts else self._result.answer
        return network_part(effects, self._labels, self._naming, self._parts[name].factor, self._limits)

    def _typical(self, node: int) -> str | None:
        typical = self._result.baseline
        return None if typical is None else self._naming.classes[int(typical.logits[node].argmax())]

    def _answer_parts(self, place: int, classes: Classes) -> list[Part]:
        names, found, weights = self._naming.classes, [], scales(self._result)
        for name, (factor, logits) in self._parts.items():
            row, scale = logits[place], weights.get(name, (None, None))
            found.append(Part(name, factor, names[int(row.argmax())], factor * float(classes.margin(row)), *scale))
        found.sort(key=lambda part: -abs(part.margin))
        if shift := self._result.threshold_shift:
            found.append(Part("threshold", 1.0, None, shift if classes.predicted == 1 else -shift))
        return found

    def _voters(self, place: int, classes: Classes) -> list[VoteEffect]:
        naming, found = self._naming, []
        for ballot in self._ballots:
            nodes, parts = top_voters(ballot, place, classes.margin(ballot.probs))
            for node, part in zip(nodes.tolist(), parts.tolist(), strict=True):
                voted = naming.classes[int(ballot.probs[node].argmax())]
                weight = float(ballot.weights[place, node])
                label = naming.training_label(node)
                found.append(VoteEffect(naming.id(node), ballot.view, voted, label, weight, part))
        return found

    def _notes(self) -> list[str]:
        result, notes = self._result, []
        if result.answer == COMBINATION and not check_sum(self._parts, self._unshifted):
            notes.append("The parts of the answer, computed again, do not add up to its stored logits.")
        if result.answer in VOTES.values():
            notes.append("The answer is the votes alone: the network has a part in it through the voters' predictions.")
        elif result.answer == COMBINATION and not has_network(result):
            notes.append("The weight of the network in the combination is 0: it has no part in the answer.")
        elif not has_network(result):
            notes.append(f"The answer is {result.answer}, a simple baseline: the network has no part in it.")
        return notes

    @property
    def _unshifted(self) -> Tensor:
        return shift_logits(self._result.logits, -self._result.threshold_shift)[self._nodes]
