"""The state that a window shows."""

from highwaygraph.annotation.session import Given
from highwaygraph.data.label_file import hide_labels
from tests.helpers.annotation import named_graph, new_workspace


def test_the_state_counts_answers_and_known_labels(tmp_path) -> None:
    graph = hide_labels(named_graph(), "train")
    known = int((graph.y >= 0).sum())
    workspace = new_workspace(tmp_path, graph, classes=("pink",))
    node = int((graph.y < 0).nonzero()[0])
    workspace.session.give("w", node, Given("label", "pink"), None)
    state = workspace.state("w")
    assert [one["name"] for one in state["classes"]] == ["red", "green", "blue", "pink"]
    assert [one["key"] for one in state["classes"]] == ["1", "2", "3", "4"]
    assert sum(one["count"] for one in state["classes"]) == known + 1
    assert (state["labels"], state["left"], state["current"], state["can_undo"]) == (1, 60 - known - 1, None, True)
    assert workspace.state("other")["can_undo"] is False


def test_a_chosen_node_is_shown_in_place_of_a_suggestion(tmp_path) -> None:
    workspace = new_workspace(tmp_path)
    shown = workspace.state("w", 5)["current"]
    assert (shown["node"], shown["reason"]) == (5, "")


def test_the_curve_of_an_earlier_session_is_shown(tmp_path) -> None:
    line = '{"labels": 10, "classes": 3, "accuracy": 0.5, "low": 0.3, "high": 0.7, "folds": 5, "time": ""}\n'
    (tmp_path / "labels.curve.jsonl").write_text(line)
    assert [point["accuracy"] for point in new_workspace(tmp_path).state("w")["curve"]] == [0.5]
