import pytest
from sklearn.base import clone

import highwaygraph as hg
from highwaygraph.classifier import NotFittedError
from highwaygraph.errors import ConfigError, DataError
from tests.helpers.graphs import block_graph
from tests.helpers.label_graphs import NAMES, label_graph, split_label_graph

QUICK = {"fit.epochs": 10, "fit.device": "cpu"}


def test_fit_predict_and_score_match_train() -> None:
    data = block_graph()
    classifier = hg.HighwayClassifier("sage", "full", hidden=16, seed=3, options=QUICK).fit(data)
    config = hg.override(hg.PRESETS["full"], QUICK | {"seed": 3})
    expected = hg.train(hg.models.build("sage", data, hidden=16), data, config)
    assert (classifier.predict_proba() == expected.predict_proba().numpy()).all()
    assert classifier.score() == expected.test
    assert classifier.classes_.tolist() == [0, 1, 2]
    other = block_graph(seed=5)
    correct = classifier.predict(other) == other.y.numpy()
    assert classifier.score(other) == pytest.approx(correct[other.test_mask.numpy()].mean())


def test_classes_with_names_are_predicted_by_name() -> None:
    data = block_graph()
    data.classes = ["a", "b", "c"]
    classifier = hg.HighwayClassifier(preset="typical", options=QUICK).fit(data)
    assert set(classifier.predict()) <= {"a", "b", "c"}


def test_it_can_be_cloned_and_has_parameters() -> None:
    first = hg.HighwayClassifier(preset="typical", options=QUICK)
    second = clone(first).set_params(seed=7, hidden=8)
    assert first.get_params() | {"seed": 7, "hidden": 8} == second.get_params()
    assert "seed=7" in repr(second)
    with pytest.raises(ConfigError, match="no parameter 'depth': there are model, preset"):
        first.set_params(depth=3)


def test_a_loop_over_splits() -> None:
    scores = []
    for seed in range(3):
        data = hg.split(block_graph(), train=5, val=5, seed=seed)
        scores.append(clone(hg.HighwayClassifier(preset="typical", options=QUICK)).fit(data).score())
    assert len(set(scores)) > 1


def test_wrong_calls_are_refused() -> None:
    with pytest.raises(NotFittedError, match="call fit"):
        hg.HighwayClassifier().predict()
    with pytest.raises(ConfigError, match="call fit"):
        hg.HighwayClassifier().fit(block_graph(), [1, 2])
    with pytest.raises(ConfigError, match="no preset"):
        hg.HighwayClassifier(preset="fulll").fit(block_graph())


def test_a_users_module() -> None:
    data = block_graph()
    module = hg.models.build("gcn", data, hidden=8)
    assert 0 <= hg.HighwayClassifier(module, "typical", options=QUICK).fit(data).score() <= 1


def test_several_labels_per_node() -> None:
    data = split_label_graph()
    classifier = hg.HighwayClassifier("gcn", "typical", hidden=8, options={"fit.epochs": 20}).fit(data)
    assert classifier.classes_.tolist() == NAMES
    assert classifier.predict().shape == (240, 4)
    assert classifier.score() == classifier.result_.test
    assert 0 < classifier.score(label_graph()) <= 1


def test_quantities_are_refused() -> None:
    data = block_graph()
    data.y = data.y + 0.5
    with pytest.raises(DataError, match="regression is not supported, .* bin the quantity into classes"):
        hg.HighwayClassifier().fit(data)
