from highwaygraph.nn.baselines.fit import LABEL_BASELINES
from highwaygraph.runs.history import ROUND, TYPICAL
from tests.helpers.label_graphs import trained_labels


def test_round_typical_training_and_simple_baselines_compete() -> None:
    result = trained_labels()
    by_name = {one.name: one for one in result.candidates}
    assert list(by_name) == [*LABEL_BASELINES, TYPICAL, ROUND]
    assert result.answer in by_name
    assert result.baseline is not None
    # The features hold information on the labels.
    assert by_name["label frequency"].score < by_name["features alone"].score - 1
    assert by_name[ROUND].difference == 0
    assert by_name["label frequency"].difference < 0
    assert (result.val, result.test) == (by_name[result.answer].val, by_name[result.answer].test)


def test_the_score_per_node_decides_where_it_is_monitored() -> None:
    result = trained_labels("plus", fit__monitor="f1")
    assert all(0 <= one.score <= 1 for one in result.candidates)
