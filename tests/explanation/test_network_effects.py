"""Effects on the network's margin: candidates, exact values, and the order of both."""

import torch

from highwaygraph.explanation.gradients import Classes
from highwaygraph.explanation.label_influence import training_labels
from highwaygraph.explanation.network_effects import MOST_LABELLED, MOST_NODES, message_candidates, network_effects
from tests.helpers.explained import brute_force, explained_run, view_of


def test_candidates_are_the_largest_and_labelled_ones_but_never_the_node() -> None:
    scores = torch.linspace(1, 0.1, 100)
    labelled = torch.arange(100) >= 90
    hops = torch.tensor([0] + [2] * 99)
    found = set(message_candidates(scores, labelled, hops).tolist())
    assert found == set(range(1, MOST_NODES + 1)) | set(range(90, 90 + MOST_LABELLED))
    assert message_candidates(torch.zeros(5), labelled[:5], torch.tensor([0, 1, 2, 1, 2])).tolist() == [1, 3]


def test_effects_are_differences_of_margins_on_the_whole_graph() -> None:
    result, view, node = explained_run("gcn"), view_of("gcn"), 5
    classes = Classes(*view.logits[node].topk(2).indices.tolist())
    found = network_effects(view, training_labels(view), node, classes)
    places, values, decides = found.messages
    assert torch.equal(values.abs(), values.abs().sort(descending=True).values)
    for place, value, turns in list(zip(places.tolist(), values.tolist(), decides.tolist(), strict=True))[:5]:
        without = float(classes.margin(brute_force(result, int(found.field.nodes[place]), node)))
        assert abs(found.margin - without - value) < 1e-3
        assert turns == (without < 0)
    assert len(found.labels) == int(result.data.train_mask.sum())
    assert len(found.columns.places) == 12
