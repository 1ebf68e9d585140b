from dataclasses import replace

import pytest
import torch

from highwaygraph.errors import ConfigError
from highwaygraph.options import override
from highwaygraph.report.comparison import compare_runs
from highwaygraph.report.summary import compare
from highwaygraph.training.gain import paired_gain
from tests.helpers.compared import two_runs, with_data
from tests.helpers.example import run, without_test
from tests.helpers.graphs import block_graph


def test_changed_predictions_are_counted_on_all_nodes_and_on_test_nodes() -> None:
    runs = two_runs()
    (change,) = compare_runs(runs).changes
    assert (change.run, change.nodes, change.changed) == ("second", 180, 19)
    assert (change.test_nodes, change.test_changed) == (120, 17)
    assert (change.became_right, change.became_wrong) == (10, 4)
    assert change.gain.points == pytest.approx(100 * 6 / 120)
    mask, y = run().data.test_mask, run().data.y
    assert change.gain == paired_gain(*((one.predict() == y)[mask] for one in runs.values()))


def test_a_run_has_its_network_preset_labels_accuracies_and_answer() -> None:
    first, second = compare_runs(two_runs()).runs
    assert (first.network, first.labels, first.test_nodes, first.answer) == ("gcn", 30, 120, "HighwayGraph")
    assert (first.test, second.test) == (pytest.approx(107 / 120), pytest.approx(113 / 120))
    assert (first.val, second.val) == (1.0, 1.0)
    assert second.changed_options == first.changed_options + 1
    assert first.relation == second.relation == "same test nodes"


def test_the_answer_of_typical_training_has_its_name() -> None:
    plain = replace(run(), config=override(run().config, {"pairs.weight": 0.0, "highway.rounds": 1}))
    found = compare_runs({"plain": plain, "full": run()})
    assert [row.answer for row in found.runs] == ["typical training", "HighwayGraph"]


def test_scores_by_distance_and_class_are_those_of_each_run() -> None:
    runs = two_runs()
    found = compare_runs(runs)
    expected = [compare(one) for one in runs.values()]
    assert [row.hops for row in found.hops] == [row.hops for row in expected[0].hops]
    for place, one in enumerate(expected):
        assert repr([row.scores[place] for row in found.hops]) == repr(one.hops)
        assert [row.scores[place] for row in found.classes] == [row.ours for row in one.classes]
    assert [row.name for row in found.classes] == run().data.classes
    assert found.options == {"fit.lr": (run().config.fit.lr, 0.5)}


def test_a_run_on_another_graph_is_compared_by_accuracies_and_options_only() -> None:
    runs = two_runs()
    first, second = runs.values()
    for changes in ({"x": first.data.x + 1}, {"edge_index": first.data.edge_index[:, 2:]}):
        found = compare_runs({"first": first, "other": with_data(second, **changes)})
        assert [row.relation for row in found.runs] == ["same test nodes", "other graph"]
        assert (found.hops, found.classes, found.changes) == ((), (), ())
        assert "fit.lr" in found.options
    three = compare_runs({"first": first, "other": with_data(second, x=first.data.x + 1), "second": second})
    assert [row.name for row in three.comparable] == ["first", "second"]
    assert [change.run for change in three.changes] == ["second"]
    assert {len(row.scores) for row in three.hops} == {2}
    assert len(three.options["fit.lr"]) == 3


def test_an_equal_copy_of_the_graph_with_its_edges_in_another_order_is_the_same_graph() -> None:
    first, second = two_runs().values()
    shuffled = with_data(second, edge_index=second.data.edge_index.flip(1))
    assert compare_runs({"first": first, "other": shuffled}).runs[1].relation == "same test nodes"


def test_other_training_nodes_with_the_same_test_nodes_have_a_paired_difference() -> None:
    first, second = two_runs().values()
    fewer = first.data.train_mask.clone()
    fewer[fewer.nonzero().flatten()[:5]] = False
    found = compare_runs({"first": first, "fewer": with_data(second, train_mask=fewer)})
    assert [row.labels for row in found.runs] == [30, 25]
    assert found.changes[0].gain is not None


def test_with_other_test_nodes_changes_are_counted_on_those_of_both() -> None:
    first, second = two_runs().values()
    mask = first.data.test_mask.clone()
    mask[first.data.test_mask.nonzero().flatten()[:12]] = False
    found = compare_runs({"first": first, "other": with_data(second, test_mask=mask)})
    assert found.runs[1].relation == "other test nodes"
    (change,) = found.changes
    assert (change.test_nodes, change.became_right, change.became_wrong) == (108, 0, 2)
    assert change.gain is None
    assert {score.nodes for score in found.hops[-1].scores} == {120, 108}


def test_without_test_nodes_there_are_no_scores() -> None:
    first, second = (without_test(one) for one in two_runs().values())
    found = compare_runs({"first": first, "second": second})
    assert (found.hops, found.classes) == ((), ())
    assert (found.changes[0].changed, found.changes[0].test_nodes, found.changes[0].gain) == (19, 0, None)


def test_outputs_beyond_the_classes_that_occur_are_left_out() -> None:
    first, second = two_runs().values()
    wider = replace(second, logits=torch.cat([second.logits, torch.full((180, 1), -1.0)], dim=1))
    assert len(compare_runs({"first": first, "wider": wider}).classes) == 3


def test_one_run_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least two runs, not 1"):
        compare_runs({"first": run()})


def test_the_graphs_of_two_seeds_are_other_graphs() -> None:
    other = block_graph(seed=1)
    found = compare_runs({"first": run(), "other": replace(run(), data=other)})
    assert found.runs[1].relation == "other graph"


def test_distances_have_the_paired_difference_of_their_nodes() -> None:
    runs = two_runs()
    found = compare_runs(runs)
    assert found.hops[-1].gains == (found.changes[0].gain,)
    gains = [row.gains[0] for row in found.hops[:-1]]
    assert [gain.nodes if gain else 0 for gain in gains] == [row.scores[0].nodes for row in found.hops[:-1]]
    assert sum(gain.corrected for gain in gains if gain) == 10
    first, second = runs.values()
    fewer = first.data.train_mask.clone()
    fewer[fewer.nonzero().flatten()[:25]] = False
    other = compare_runs({"first": first, "fewer": with_data(second, train_mask=fewer)})
    # The labels of both are at other distances, but all test nodes are the same.
    assert other.hops[0].gains == (None,)
    assert other.hops[-1].gains[0] is not None


def test_the_nodes_whose_prediction_changed_are_listed() -> None:
    (change,) = compare_runs(two_runs()).changes
    assert len(change.predictions) == change.changed
    effects = [one.effect for one in change.predictions if one.part == "test"]
    assert (effects.count("became right"), effects.count("became wrong")) == (10, 4)
