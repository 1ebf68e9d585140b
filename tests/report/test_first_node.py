"""The node that the viewer selects first, and its paths."""

from dataclasses import replace

import torch

import highwaygraph as hg
from highwaygraph.report.first_node import first_node, first_paths
from highwaygraph.report.run_data import RunData, read
from highwaygraph.runs.history import HighwayTable
from tests.helpers.example import rescued_run, run_data
from tests.helpers.refitted import few_labels


def lost_data() -> RunData:
    """Return a run beside a typical training that is right everywhere, and an answer that is wrong at one test node."""
    result = rescued_run()
    assert result.baseline is not None
    logits = torch.nn.functional.one_hot(result.data.y, 3).float()
    wrong = result.data.test_mask.nonzero()[5]
    answer = logits.index_copy(0, wrong, logits[wrong].roll(1, dims=1))
    return read(replace(result, logits=answer, baseline=replace(result.baseline, logits=logits)))


def test_the_first_node_is_a_rescued_one() -> None:
    found = read(rescued_run())
    node = first_node(found, [3])
    label = int(found.result.data.y[node])
    assert int(found.ours.predicted[node]) == label != int(found.typical.predicted[node])
    assert bool(found.ours.evaluated[node])


def test_without_a_rescued_node_it_is_a_lost_one() -> None:
    found = lost_data()
    labels, ours = found.result.data.y, found.ours
    rescued = ours.evaluated & (ours.predicted == labels) & (found.typical.predicted != labels)
    assert not rescued.any()
    node = first_node(found, [3])
    assert int(ours.predicted[node]) != int(labels[node]) == int(found.typical.predicted[node])


def test_without_a_changed_node_it_is_the_first_listed_one_that_is_not_trained_on() -> None:
    alone = run_data(baseline=False)
    trained = alone.result.data.train_mask
    first, other = (int(mask.nonzero()[0]) for mask in (trained, ~trained))
    assert first_node(alone, [first, other]) == other
    assert first_node(alone, [first]) == first
    assert first_node(alone) is None


def test_its_paths_are_those_of_the_command() -> None:
    found = read(rescued_run())
    ids = found.result.data.ids
    same = 0
    for node in range(0, 180, 9):
        if found.result.data.train_mask[node]:
            continue
        record = hg.explain(rescued_run(), ids[node])
        for path, nearest in zip(first_paths(found, node), (record.nearest_before, record.nearest_after), strict=True):
            assert (len(path) - 1 if path else None) == nearest.same_class_hops
            if nearest.label == record.predicted:
                assert tuple(ids[one] for one in path) == nearest.path
                same += 1
    assert same


def test_without_highways_both_paths_are_the_same() -> None:
    found = read(rescued_run())
    node = first_node(found)
    plain = replace(found, result=replace(found.result, highway_table=HighwayTable.empty()))
    original, augmented = first_paths(plain, node)
    assert original == augmented == first_paths(found, node).original


def test_a_node_of_folds_has_a_path_to_a_label_of_another_fold() -> None:
    found = read(few_labels())
    fold, labels = found.held_out_by, found.result.data.y
    paths = {int(node): first_paths(found, int(node)) for node in (fold >= 0).nonzero()}
    assert any(path.original for path in paths.values())
    for node, (original, augmented) in paths.items():
        assert augmented == original
        if original:
            assert original[0] == node
            assert fold[original[-1]] not in (-1, fold[node])
            assert labels[original[-1]] == found.ours.predicted[node]
        if original and labels[node] == found.ours.predicted[node]:
            assert len(original) - 1 == found.ours.hop_distance[node]
