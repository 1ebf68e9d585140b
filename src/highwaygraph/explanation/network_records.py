"""The records of the network's part of an explanation."""

from typing import NamedTuple

import torch

from highwaygraph.explanation.label_influence import TrainingLabels
from highwaygraph.explanation.naming import Naming
from highwaygraph.explanation.network_effects import Effects, NetworkEffects
from highwaygraph.explanation.receptive_field import Field
from highwaygraph.explanation.records import FeatureEffect, LabelEffect, MessageEffect


class Limits(NamedTuple):
    """How many entries the lists of an explanation have."""

    messages: int = 8
    labels: int = 8
    features: int = 8


DEFAULT_LIMITS = Limits()


class NetworkPart(NamedTuple):
    """The fields of an explanation that come from the network."""

    margin: float | None
    field_nodes: int
    exact: bool
    messages: tuple[MessageEffect, ...]
    labels: tuple[LabelEffect, ...]
    features: tuple[FeatureEffect, ...]
    notes: tuple[str, ...]

    @classmethod
    def none(cls) -> "NetworkPart":
        """Return the part of a network that the answer does not use."""
        return cls(None, 0, True, (), (), (), ())


def network_part(
    effects: NetworkEffects, labels: TrainingLabels, naming: Naming, factor: float, limits: Limits
) -> NetworkPart:
    """Return the records of the network's part, in units of the answer's margin.

    Args:
        effects: The effects on the network's margin.
        labels: The training labels.
        naming: Names of nodes, classes and features.
        factor: Factor of the network's logits in the answer.
        limits: How many entries every list has.
    """
    field = effects.field
    return NetworkPart(
        margin=factor * effects.margin,
        field_nodes=len(field.nodes),
        exact=field.is_exact,
        messages=tuple(_messages(effects.messages, field, naming, factor, limits.messages)),
        labels=tuple(_labels(effects, labels, naming, factor, limits.labels)),
        features=tuple(_features(effects.columns, field, naming, factor, limits.features)),
        notes=tuple(_notes(effects, labels)),
    )


def _messages(effects: Effects, field: Field, naming: Naming, factor: float, most: int) -> list[MessageEffect]:
    found = []
    for place, value, decides in zip(*(part[:most].tolist() for part in effects), strict=True):
        node = int(field.nodes[place])
        found.append(
            MessageEffect(
                id=naming.id(node),
                hops=int(field.hops[place]),
                predicted=naming.predicted(node),
                label=naming.training_label(node),
                effect=factor * value,
                decides=decides,
            )
        )
    return found


def _labels(
    effects: NetworkEffects, labels: TrainingLabels, naming: Naming, factor: float, most: int
) -> list[LabelEffect]:
    size = effects.labels.abs()
    total = max(float(size.sum()), 1e-30)
    hops = dict(zip(effects.field.nodes.tolist(), effects.field.hops.tolist(), strict=True))
    found = []
    for place in size.topk(min(most, len(size))).indices.tolist():
        node, value = int(labels.nodes[place]), float(effects.labels[place])
        away = hops.get(node, -1)
        label = naming.classes[int(labels.classes[place])]
        found.append(
            LabelEffect(naming.id(node), label, away if away >= 0 else None, factor * value, abs(value) / total)
        )
    return found


def _features(effects: Effects, field: Field, naming: Naming, factor: float, most: int) -> list[FeatureEffect]:
    own = field.graph.x[field.target]
    nearest = field.nodes[torch.where(field.hops < 0, len(field.nodes), field.hops).argsort(stable=True)]
    names = naming.features(effects.places[:most], nearest)
    return [
        FeatureEffect(names[column], column, bool(own[column] != 0), factor * value, decides)
        for column, value, decides in zip(*(part[:most].tolist() for part in effects), strict=True)
    ]


def _notes(effects: NetworkEffects, labels: TrainingLabels) -> list[str]:
    notes = []
    if not effects.field.is_exact:
        notes.append("The receptive field is sampled: effects of messages and features are approximate.")
    if len(labels.nodes) < labels.total:
        notes.append(f"The labels are an even sample: {len(labels.nodes):,} of {labels.total:,} training labels.")
    return notes
