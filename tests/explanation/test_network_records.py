"""Records of the network's part: units of the answer's margin, limits and notes."""

import math

from highwaygraph.explanation.gradients import Classes
from highwaygraph.explanation.label_influence import training_labels
from highwaygraph.explanation.naming import Naming
from highwaygraph.explanation.network_effects import network_effects
from highwaygraph.explanation.network_records import Limits, NetworkPart, network_part
from tests.helpers.explained import explained_run, view_of


def test_effects_are_scaled_by_the_factor_and_cut_to_the_limits() -> None:
    view, labels = view_of("gcn"), training_labels(view_of("gcn"))
    classes = Classes(*view.logits[5].topk(2).indices.tolist())
    effects = network_effects(view, labels, 5, classes)
    found = network_part(effects, labels, Naming(explained_run("gcn")), 0.5, Limits(2, 3, 4))
    assert (len(found.messages), len(found.labels), len(found.features)) == (2, 3, 4)
    assert math.isclose(found.margin, 0.5 * effects.margin)
    assert math.isclose(found.messages[0].effect, 0.5 * float(effects.messages.values[0]))
    assert found.labels[0].share == max(one.share for one in found.labels)
    assert all(one.own for one in found.features)
    assert found.notes == ()
    sampled = effects._replace(field=effects.field._replace(is_exact=False))
    notes = network_part(sampled, labels._replace(total=10_000), Naming(explained_run("gcn")), 1.0, Limits()).notes
    assert [note.split(":")[0] for note in notes] == ["The receptive field is sampled", "The labels are an even sample"]


def test_a_network_without_a_part_has_no_records() -> None:
    assert NetworkPart.none().messages == ()
    assert NetworkPart.none().margin is None
